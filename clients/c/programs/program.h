/* What the numbered programs share: they end, with words, when something goes wrong. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>

#include "../coopsim.h"

static coopsim_client *sim;
static coopsim_message reply;

static inline void connect_or_die(void) {
    sim = coopsim_connect(NULL, 5.0);
    if (sim == NULL) coopsim_die(NULL);
}

static inline void ask_all(const char *target, int command, const coopsim_param *params, size_t n_params,
                           const double *data, size_t n_data) {
    if (coopsim_ask(sim, target, (uint64_t)command, params, n_params, data, n_data, &reply) != COOPSIM_OK) coopsim_die(sim);
}

static inline void ask(const char *target, int command) { ask_all(target, command, NULL, 0, NULL, 0); }

static inline int done(void) {
    coopsim_free(&reply);
    coopsim_close(sim);
    return 0;
}

#endif
