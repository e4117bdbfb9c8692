/* A counter modulo 10 that does one thing wrong: what the argument says. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hyades_model.h"

static char mode[64];
static char long_label[HYADES_MAX_LABEL_SIZE + 2];
static int created, destroyed, asked;

static int is(const char *name) { return strcmp(mode, name) == 0; }

static int32_t fail(hyades_error *error, const char *why) {
    snprintf(error->text, sizeof error->text, "%s", why);
    return 1;
}

static int32_t initial(void *self, void *state, hyades_error *error) {
    (void)self;
    if (is("initial-fails")) return fail(error, "nothing to begin with");
    if (is("initial-beyond")) memset(state, 0, 5);
    if (is("initial-before")) memset((char *)state - 1, 0, 5);
    if (is("initial-far-before")) memset((char *)state - 64, 0, 4);
    if (is("initial-far-beyond")) memset((char *)state + 8, 0, 4);
    if (is("initial-range")) *(uint32_t *)state = 10;
    if (is("initial-random")) *(uint32_t *)state = asked++;
    return 0;
}

static const hyades_emit *the_emit;
static hyades_call the_call;

static void *on_another_thread(void *state) {
    the_emit->transition(the_call, 0, state, 4);
    return NULL;
}

static int32_t successors(void *self, void *scratch, const void *state, const hyades_emit *emit,
                          hyades_call call, hyades_error *error) {
    const uint32_t count = *(const uint32_t *)state;
    const uint32_t next = (count + 1) % 10;
    (void)self, (void)scratch;

    if (count == 5) {
        static const unsigned char odd[16];
        asked++;
        if (is("fails")) return fail(error, "state \x1b[7m5 is \xff not to my taste\n");
        if (is("fails-silently")) return -1;
        if (is("exits")) exit(0);
        if (is("fails-at-length")) {
            memset(error->text, 'x', sizeof error->text);
            return 1;
        }
        if (is("fails-late")) {
            emit->transition(call, 0, &next, 4);
            return fail(error, "too late");
        }
        if (is("label-range")) emit->transition(call, 2, &next, 4);
        if (is("label-huge")) emit->transition(call, 0x80000000u, &next, 4);
        if (is("label-none")) emit->transition(call, HYADES_NO_LABEL, &next, 4);
        if (is("label-null")) emit->transition(call, emit->label(call, NULL), &next, 4);
        if (is("label-long")) emit->transition(call, emit->label(call, long_label), &next, 4);
        if (is("target-null")) emit->transition(call, 0, NULL, 4);
        if (is("target-small")) emit->transition(call, 0, &next, 3);
        if (is("target-empty")) emit->transition(call, 0, &next, 0);
        if (is("target-large")) emit->transition(call, 0, odd, 5);
        if (is("target-huge")) emit->transition(call, 0, odd, SIZE_MAX);
        if (is("target-range")) emit->transition(call, 0, "\x0a\0\0", 4);
        if (is("target-unaligned")) {
            unsigned char place[5];
            memcpy(place + 1, &next, 4);
            emit->transition(call, 1, place + 1, 4);
        }
        if (is("call-made-up")) emit->transition(0xDEADBEEF, 0, &next, 4);
        if (is("call-zero")) emit->transition(0, 0, &next, 4);
        if (is("call-over")) emit->transition(the_call, 0, &next, 4);
        if (is("call-thread")) {
            pthread_t thread;
            uint32_t target = next;
            the_emit = emit, the_call = call;
            if (pthread_create(&thread, NULL, on_another_thread, &target) != 0) abort();
            pthread_join(thread, NULL);
        }
        if (is("writes-state")) *(uint32_t *)state = 6;
        if (is("writes-beyond")) ((uint32_t *)state)[1] = 6;
        if (is("writes-before")) ((uint32_t *)state)[-2] = 6;
        if (is("random-target")) {
            const uint32_t target = asked % 10;
            emit->transition(call, 0, &target, 4);
        }
        if (is("random-label")) emit->transition(call, asked % 2, &next, 4);
        if (is("random-text"))
            emit->transition(call, emit->label(call, asked % 2 ? "ODD" : "EVEN"), &next, 4);
        if (is("random-number") && asked % 2) emit->transition(call, 0, &next, 4);
    }
    if (is("label-over")) {
        static uint32_t label;
        if (count == 5) return emit->transition(call, label, &next, 4);
        label = emit->label(call, "NEW");
    }
    the_call = call, the_emit = emit;
    emit->transition(call, 0, &next, 4);
    if (count % 2) emit->transition(call, 1, &count, 4);
    return 0;
}

static int32_t is_truncated(void *self, const void *state) {
    (void)self;
    (void)state;
    return 0;
}

static int32_t representative(void *self, void *scratch, const void *state, void *result,
                              hyades_error *error) {
    uint32_t count = *(const uint32_t *)state;
    (void)self, (void)scratch;
    if (count == 5) {
        asked++;
        if (is("orbit-fails")) return fail(error, "5 is alone");
        if (is("orbit-before")) memset((char *)result - 2, 0, 6);
        if (is("orbit-beyond")) memset(result, 0, 6);
        if (is("orbit-writes-state")) *(uint32_t *)state = 7;
        if (is("orbit-calls")) the_emit->transition(the_call, 0, &count, 4);
    }
    if (is("orbit-range") && count == 5) count = 10;
    if (is("orbit-random") && count == 5) count = asked % 2 ? 5 : 7;
    if (is("orbit-not-idempotent") && count == 5) count = 7;
    else if (is("orbit-not-idempotent") && count == 7) count = 5;
    if (is("orbit-no-automorphism") && count == 5) count = 4;
    *(uint32_t *)result = count;
    return 0;
}

static void *create_scratch(void *self, hyades_error *error) {
    if (is("no-scratch")) {
        fail(error, "no room");
        return NULL;
    }
    created++;
    return self;
}

static void destroy_scratch(void *self, void *scratch) {
    if (self != scratch) abort();
    destroyed++;
    if (is("calls-at-the-end") && the_emit != NULL)
        the_emit->transition(the_call, 0, "12345678", 4);
}

static void close_model(void *self) {
    (void)self;
    if (is("reports")) fprintf(stderr, "%d left, closed\n", created - destroyed);
}

const hyades_model *hyades_model_open(const char *argument, hyades_error *error) {
    static const char *labels[] = {"STEP", "i"};
    static hyades_model model;
    if (argument == NULL) {
        fail(error, "it has an argument");
        return NULL;
    }
    snprintf(mode, sizeof mode, "%s", argument);
    memset(long_label, 'x', sizeof long_label - 1);
    if (is("no-table")) return NULL;
    if (is("no-table-at-length")) {
        memset(error->text, 'x', sizeof error->text);
        return NULL;
    }
    model.version = is("version") ? HYADES_MODEL_VERSION + 1 : HYADES_MODEL_VERSION;
    model.flags = is("flags") ? 6 : is("one-thread") ? HYADES_ONE_THREAD : 0;
    model.hidden_label = is("hidden-range") ? 2 : 1;
    model.label_count = 2;
    model.labels = is("no-labels") ? NULL : labels;
    if (is("null-label")) labels[0] = NULL;
    if (is("long-label")) labels[1] = long_label;
    if (is("same-labels")) labels[1] = "STEP";
    model.state_size = is("no-size") ? 0 : is("huge-size") ? SIZE_MAX : 4;
    if (is("size-of-numbers")) model.state_size = 8;
    if (is("size-of-numbers") || strstr(mode, "-range")) model.numbers = 10;
    model.reserved = is("reserved");
    model.self = mode;
    model.initial = is("no-initial") ? NULL : initial;
    model.successors = is("no-successors") ? NULL : successors;
    model.representative = is("no-symmetry") ? NULL : representative;
    model.create_scratch = is("no-create") ? NULL : create_scratch;
    model.destroy_scratch = is("no-destroy") ? NULL : destroy_scratch;
    model.close = close_model;
    model.is_truncated = is("no-was") ? is_truncated : NULL;
    return &model;
}
