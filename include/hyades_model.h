/* Models for Hyades, written in C or in any language that can speak it.
 *
 * A model is a state space given by an initial state and a function that tells
 * the successors of a state. Built as a shared object, it is explored by
 *
 *     reach model.so --model-argument TEXT
 *
 * with all questions, limits and outputs that `reach` has. This header needs
 * C99 or C++11 and nothing else; there is no library to link with:
 *
 *     cc -std=c11 -O2 -shared -fPIC -I include model.c -o model.so
 *
 * The plugin exports one function, hyades_model_open, which returns a table of
 * what the model is and what it can do: hyades_model. Example: a counter modulo
 * 3 that may also be reset.
 *
 *     #include "hyades_model.h"
 *
 *     static const char *const labels[] = {"STEP", "RESET"};
 *
 *     static int32_t initial(void *self, void *state, hyades_error *error) {
 *         (void)self, (void)error;
 *         *(uint8_t *)state = 0;
 *         return 0;
 *     }
 *
 *     static int32_t successors(void *self, void *scratch, const void *state,
 *                               const hyades_emit *emit, hyades_call call,
 *                               hyades_error *error) {
 *         uint8_t count = *(const uint8_t *)state, next = (count + 1) % 3, zero = 0;
 *         (void)self, (void)scratch, (void)error;
 *         emit->transition(call, 0, &next, sizeof next);
 *         if (count != 0) emit->transition(call, 1, &zero, sizeof zero);
 *         return 0;
 *     }
 *
 *     HYADES_MODEL_EXPORT const hyades_model *hyades_model_open(const char *argument,
 *                                                               hyades_error *error) {
 *         static hyades_model model;
 *         (void)argument, (void)error;
 *         model.version = HYADES_MODEL_VERSION;
 *         model.hidden_label = HYADES_NO_LABEL;
 *         model.labels = labels;
 *         model.label_count = 2;
 *         model.state_size = 1;
 *         model.initial = initial;
 *         model.successors = successors;
 *         return &model;
 *     }
 *
 * States
 *     A state is a string of state_size bytes, the same number for all states of
 *     a model. Two states are the same if and only if their bytes are. A struct
 *     may be a state if the padding between its fields is always set to the
 *     same value (memset before, or no padding). The host keeps each state once,
 *     so that shorter is faster and smaller: pack it well. Pointers to states
 *     that the host hands out are aligned to 8 bytes; those that it gets need no
 *     alignment. States mean nothing to the host, which never changes a byte,
 *     but they do not outlive the process: byte order and layout are the
 *     machine's.
 *
 * Errors
 *     A function that can fail returns 0 if all is well and anything else if
 *     not, having put a reason for the user into error->text:
 *
 *         snprintf(error->text, sizeof error->text, "no disk %d", disk);
 *
 *     lower case, no full stop, in UTF-8. It ends at the first byte 0, or at the
 *     end of the array. An error ends the exploration; nothing of it is kept. That
 *     a limit is reached is no error: HYADES_LIMIT. Nor is that the model does not
 *     go on from some states: is_truncated and was_truncated, without which a
 *     state that has no transitions is a deadlock.
 *
 * Threads
 *     hyades_model_open, initial and close are called by one thread. All other
 *     functions are called by several threads at once, unless HYADES_ONE_THREAD
 *     is among the flags. What they need to write on is in scratch memory, which
 *     each thread has of its own; what they share they only read. The host may
 *     hand scratch memory from one thread to another between two calls.
 *
 * Not allowed
 *     - C++ exceptions, longjmp and the like must not leave a function of the
 *       model: the process would be aborted, or worse.
 *     - Writing to standard output, which belongs to the host; to a `const`
 *       place; or before or beyond a state or a text.
 *     - Calling exit, or changing signals and the floating point environment.
 *
 *     The host finds out many a mistake and says so: sizes, labels and null
 *     pointers that cannot be, writing a little before or beyond a state, callbacks
 *     at the wrong time or from the wrong thread. It cannot survive a crash. With
 *     `reach --check-model` it asks for states twice and compares; do that once
 *     with a new model.
 */
#ifndef HYADES_MODEL_H
#define HYADES_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this contract: what hyades_model.version must be. Plugins that were
 * built for version 1 are taken as well, as what they are: their table ends with
 * `close`, and no status of theirs is HYADES_LIMIT. */
#define HYADES_MODEL_VERSION 2u

/* No label: for hyades_model.hidden_label if no label is hidden; what
 * hyades_emit.label returns if there is no such label. */
#define HYADES_NO_LABEL UINT32_MAX

/* For hyades_model.flags: no two functions of this model may run at the same
 * time. They may still run on different threads, one after the other, and each
 * thread has scratch memory of its own. The search goes on in parallel, but the
 * model is a bottleneck. */
#define HYADES_ONE_THREAD 1u

/* The most bytes that a state may have, and a label. */
#define HYADES_MAX_STATE_SIZE ((size_t)1 << 20)
#define HYADES_MAX_LABEL_SIZE ((size_t)1 << 20)

/* The most bytes that an explanation of a transition may have. */
#define HYADES_MAX_EXPLANATION_SIZE ((size_t)1 << 20)

/* What successors or representative returns that fails because a limit is reached, and
 * not a mistake: of the model, or of what it was given. Without an initial state there
 * is nothing to explore: initial has errors only. The exploration ends without a verdict,
 * exit status 3, and what was found before holds; `reach` tells error->text. The 15
 * numbers above it are kept for limits of models in Rust. */
#define HYADES_LIMIT 0x10000

/* Why there is no answer. */
typedef struct hyades_error {
    char text[1024];
} hyades_error;

/* Which call of hyades_model.successors it is. Means nothing to the model. */
typedef uint64_t hyades_call;

/* What hyades_model.successors calls to hand over what it finds. Both functions
 * may be called while that call of successors has not returned, on its thread,
 * with its `call`, and with no other. */
typedef struct hyades_emit {
    /* The number of the label with this text, which ends with a byte 0: its
     * place in hyades_model.labels if it is there, otherwise a number that is
     * good until successors returns. The text is copied. Returns
     * HYADES_NO_LABEL after a mistake. Labels of the table are cheaper. */
    uint32_t (*label)(hyades_call call, const char *text);

    /* One transition of the state that was asked about: its label, a place in
     * hyades_model.labels or a number from `label` above; the state it leads to,
     * which is copied; and the size of that state, state_size. Transitions keep
     * their order; equal ones are all counted, so leave out duplicates if that
     * is wrong. Returns 0 as long as there is a point in going on. */
    int32_t (*transition)(hyades_call call, uint32_t label, const void *target, size_t size);
} hyades_emit;

/* A model. What is not used is 0. The table, and what it points to, remain
 * unchanged until the model is closed. */
typedef struct hyades_model {
    /* HYADES_MODEL_VERSION. Remains the first field in all versions. */
    uint32_t version;

    /* HYADES_ONE_THREAD or 0. */
    uint32_t flags;

    /* Which of the labels is the hidden (internal, tau) action; HYADES_NO_LABEL
     * if none is. Its text matters to hyades_emit.label only, and may be NULL. */
    uint32_t hidden_label;

    /* The number of labels. */
    uint32_t label_count;

    /* The labels that are known beforehand, no two of them the same, each ending
     * with a byte 0; NULL if there are none. Others may be introduced on the way
     * by hyades_emit.label. */
    const char *const *labels;

    /* How many bytes a state has: 1 to HYADES_MAX_STATE_SIZE. */
    size_t state_size;

    /* If this is not 0, it promises that every state is one uint32_t below
     * `numbers` in the byte order of the machine; state_size is 4 then. The host
     * keeps a table of that many numbers instead of looking states up, which is
     * faster unless most numbers are unreachable. */
    uint32_t numbers;

    /* 0. */
    uint32_t reserved;

    /* Anything; the first argument of all functions below. */
    void *self;

    /* Puts the initial state into `state`, which has state_size bytes of 0.
     * Required. */
    int32_t (*initial)(void *self, void *state, hyades_error *error);

    /* Hands the outgoing transitions of a state to emit->transition.
     * Required.
     *
     * This must be a function of the state: the same transitions in the same
     * order whenever and on whatever thread it is asked, whatever was asked
     * before. `scratch` comes from create_scratch; NULL if there is none. If it
     * fails, what it has handed over is forgotten. */
    int32_t (*successors)(void *self, void *scratch, const void *state, const hyades_emit *emit,
                          hyades_call call, hyades_error *error);

    /* Puts the representative of the orbit of `state` into `representative`,
     * which has state_size bytes of 0. Optional; used by
     * `reach --symmetry model`, which explores representatives only, and by
     * `check --symmetry model` for formulas that name no labels.
     *
     * It must keep these promises, or answers are wrong:
     *  - There is a group G of automorphisms of the model. An automorphism is a
     *    bijection g of the states, together with a bijection of the labels that
     *    leaves the hidden label alone, such that there is a transition
     *    s -a-> t if and only if there is g(s) -g(a)-> g(t).
     *  - The representative of s is g(s) for some g in G. So it has as many
     *    different transitions as s, and as many hidden ones.
     *  - It is a function of the state, on whatever thread it is asked.
     *  - It is idempotent: a representative is its own representative.
     * It should also give all states of an orbit { g(s) : g in G } the same
     * representative. If it does not, results are right all the same, but more
     * states are explored than need be.
     *
     * If all automorphisms leave all labels alone, the result is strongly
     * bisimilar to the whole state space: every answer and the length of every
     * trace are those of the whole. If labels move, this holds for deadlocks and
     * livelocks, and for `--find` if with a label it also finds those that it
     * moves to; each step of a trace is a step of the model up to the symmetry.
     */
    int32_t (*representative)(void *self, void *scratch, const void *state, void *representative,
                              hyades_error *error);

    /* Fresh scratch memory, and its end; optional, both or neither. NULL is a
     * failure. The host makes one or two for each thread. */
    void *(*create_scratch)(void *self, hyades_error *error);
    void (*destroy_scratch)(void *self, void *scratch);

    /* The model is not needed any more, and all scratch memory has been
     * destroyed. Optional. Called once if the host has accepted the table. The
     * shared object itself stays loaded until the process ends. */
    void (*close)(void *self);

    /* The rest is new in version 2. */

    /* Not 0 if the model does not go on from `state`, which has no outgoing transitions
     * here but may have some all the same: then it is no deadlock, and formulas that
     * depend on what it can do have no verdict. A function of the state. Optional:
     * there are no such states. */
    int32_t (*is_truncated)(void *self, const void *state);

    /* Not 0 if the exploration that has come to its end has left something out, so that
     * what was not seen may be there all the same: instead of FALSE it is UNKNOWN
     * whether there is a deadlock, say. A model with is_truncated must have this, too.
     * Optional: nothing was left out. */
    int32_t (*was_truncated)(void *self);

    /* What happens in a transition, in words, for traces: lines of UTF-8, with a line
     * feed between two of them. `label` ends with a byte 0; it is NULL for the hidden
     * action. Returns how many bytes the words have, as snprintf does, 0 if there is
     * no more to say than the label does. If these are fewer than `size`, they are in
     * `text`; otherwise the function is called again with more room, and nothing is
     * said if they are more than HYADES_MAX_EXPLANATION_SIZE. Optional. */
    size_t (*explain)(void *self, const void *source, const char *label, const void *target,
                      char *text, size_t size);
} hyades_model;

#if defined(__GNUC__) || defined(__clang__)
#define HYADES_MODEL_EXPORT __attribute__((visibility("default")))
#else
#define HYADES_MODEL_EXPORT
#endif

/* What a plugin defines: opens a model. `argument` is the text of
 * --model-argument, NULL without; it is gone when the function returns. May be
 * called again, with another argument, while a model is open. Returns NULL, and
 * a reason in *error, if there is no such model. */
HYADES_MODEL_EXPORT const hyades_model *hyades_model_open(const char *argument,
                                                          hyades_error *error);

#ifdef __cplusplus
}
#endif

#endif
