/* The Towers of Hanoi: a model for Hyades.
 *
 *     cc -std=c11 -O2 -shared -fPIC -I include examples/c/hanoi.c -o hanoi.so
 *     reach hanoi.so --model-argument 7 --find SOLVED
 *
 * The argument is the number of disks, 3 if there is none. All disks begin on
 * peg 0; a smaller disk may lie on a larger one, not the reverse. SOLVED tells
 * that all disks are on one of the other pegs.
 *
 * With n disks there are 3^n states and 3 (3^n - 1) + 2 transitions, and a
 * shortest way to SOLVED has 2^n - 1 moves. Pegs 1 and 2 can be exchanged, which
 * leaves (3^n + 1) / 2 orbits: `reach --symmetry model`. For this, labels tell
 * which disk moves, and not from where to where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hyades_model.h"

enum { MOST_DISKS = 20 };

/* What is opened: one of these for each number of disks. A state has one byte
 * for each disk, the smallest first: the peg that it is on. */
typedef struct {
    int disks;
    char texts[MOST_DISKS + 1][16];
    const char *labels[MOST_DISKS + 1]; /* SOLVED, then a move for each disk */
    hyades_model model;
} hanoi;

static int32_t initial(void *self, void *state, hyades_error *error) {
    (void)self, (void)state, (void)error;
    return 0; /* it is all zeros already */
}

static int32_t successors(void *self, void *scratch, const void *state, const hyades_emit *emit,
                          hyades_call call, hyades_error *error) {
    const int disks = ((const hanoi *)self)->disks;
    const uint8_t *pegs = state;
    uint8_t target[MOST_DISKS];
    int covered[3] = {0, 0, 0}; /* whether a smaller disk is on this peg */
    (void)scratch, (void)error;

    memcpy(target, pegs, disks);
    for (int disk = 0; disk < disks; disk++) {
        const uint8_t from = pegs[disk];
        for (uint8_t to = 0; to < 3; to++) {
            if (to == from || covered[from] || covered[to]) continue;
            target[disk] = to;
            emit->transition(call, 1 + disk, target, disks);
        }
        target[disk] = from;
        covered[from] = 1;
    }
    if (covered[0] + covered[1] + covered[2] == 1 && !covered[0])
        emit->transition(call, 0, pegs, disks);
    return 0;
}

/* Of a state and its image under the exchange of pegs 1 and 2: the one whose
 * smallest disk that is not on peg 0 is on peg 1. */
static int32_t representative(void *self, void *scratch, const void *state, void *result,
                              hyades_error *error) {
    const int disks = ((const hanoi *)self)->disks;
    const uint8_t *pegs = state;
    uint8_t *image = result;
    int first = 0;
    (void)scratch, (void)error;

    while (first < disks && pegs[first] == 0) first++;
    for (int disk = 0; disk < disks; disk++) {
        const int exchange = pegs[disk] != 0 && pegs[first] == 2;
        image[disk] = exchange ? 3 - pegs[disk] : pegs[disk];
    }
    return 0;
}

HYADES_MODEL_EXPORT const hyades_model *hyades_model_open(const char *argument,
                                                          hyades_error *error) {
    char *end = NULL;
    const long disks = argument == NULL ? 3 : strtol(argument, &end, 10);
    if (argument != NULL && (end == argument || *end != 0 || disks < 1 || disks > MOST_DISKS)) {
        snprintf(error->text, sizeof error->text, "the number of disks is 1 to %d, not '%s'",
                 MOST_DISKS, argument);
        return NULL;
    }
    hanoi *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return NULL;
    }
    self->disks = (int)disks;
    self->labels[0] = "SOLVED";
    for (int disk = 0; disk < disks; disk++) {
        snprintf(self->texts[disk], sizeof self->texts[disk], "MOVE !%d", disk);
        self->labels[1 + disk] = self->texts[disk];
    }
    self->model = (hyades_model){
        .version = HYADES_MODEL_VERSION,
        .hidden_label = HYADES_NO_LABEL,
        .label_count = (uint32_t)disks + 1,
        .labels = self->labels,
        .state_size = (size_t)disks,
        .self = self,
        .initial = initial,
        .successors = successors,
        .representative = representative,
        .close = free,
    };
    return &self->model;
}
