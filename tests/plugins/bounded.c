/* Counts up to 3, and no further: what is beyond is left out, or a limit. */
#include <stdio.h>
#include <string.h>

#include "hyades_model.h"

static const char *const labels[] = {"UP"};
static int has_limit, says_all;

static int32_t initial(void *self, void *state, hyades_error *error) {
    (void)self, (void)state, (void)error;
    return 0;
}

static int32_t successors(void *self, void *scratch, const void *state, const hyades_emit *emit,
                          hyades_call call, hyades_error *error) {
    uint8_t next = *(const uint8_t *)state + 1;
    (void)self, (void)scratch;
    if (next <= 3) {
        emit->transition(call, 0, &next, sizeof next);
    } else if (has_limit) {
        snprintf(error->text, sizeof error->text, "no further than 3");
        return HYADES_LIMIT;
    }
    return 0;
}

static int32_t is_truncated(void *self, const void *state) {
    (void)self;
    return !has_limit && *(const uint8_t *)state == 3;
}

static int32_t was_truncated(void *self) {
    (void)self;
    return !has_limit;
}

static size_t explain(void *self, const void *source, const char *label, const void *target,
                      char *text, size_t size) {
    int from = *(const uint8_t *)source, to = *(const uint8_t *)target;
    (void)self;
    return snprintf(text, size, "%s%*s\nto %d\x1b[7m", label, says_all ? 5000 : from, "", to);
}

const hyades_model *hyades_model_open(const char *argument, hyades_error *error) {
    static hyades_model model;
    (void)error;
    has_limit = argument != NULL && strstr(argument, "limit") != NULL;
    says_all = argument != NULL && strstr(argument, "all") != NULL;
    /* What stands behind `close` is nothing to version 1. */
    model.version = argument != NULL && strstr(argument, "old") != NULL ? 1 : HYADES_MODEL_VERSION;
    model.hidden_label = HYADES_NO_LABEL;
    model.labels = labels;
    model.label_count = 1;
    model.state_size = 1;
    model.initial = initial;
    model.successors = successors;
    model.is_truncated = is_truncated;
    model.was_truncated = was_truncated;
    model.explain = explain;
    return &model;
}
