/* One request of a client and its reply; coopsim/client/compiled.py says the same in Python's words. */
#ifndef COOPSIM_EXCHANGE_H
#define COOPSIM_EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_INTERFACE 1 /* counted up with each change of the structures */

/* What becomes of an exchange, unless it succeeds: then the result is the tick of the reply.
 * EXCHANGE_UNSENT: nothing was sent or received. EXCHANGE_SENT: the request has gone; what came, if anything, is in the inbox.
 * EXCHANGE_CUT: a part of the request has gone. */
enum { EXCHANGE_UNSENT = -1, EXCHANGE_SENT = -2, EXCHANGE_CUT = -3 };

/* What messages that differ in id, tick and values alone have in common, packed: begin, id, head, tick, middle, values, end. */
typedef struct {
    const uint8_t *begin, *head, *middle, *end;
    int64_t begin_size, head_size, middle_size, end_size;
    int64_t is_binary, count;
    double *values;
} exchange_form;

typedef struct {
    int64_t fd; /* a socket that blocks, with a time limit for receiving */
    uint64_t number, tick;
    int64_t kind; /* LANE_TCP or LANE_ZMTP */
    exchange_form request, reply;
    uint8_t *in, *out;
    int64_t in_size;
    int64_t have, gone, out_at, out_end; /* bytes that came; those of a request that has gone in part; where it lies */
} exchange_state;

int64_t exchange_run(exchange_state *x);
int64_t exchange_interface(int64_t *state_bytes);

#endif
