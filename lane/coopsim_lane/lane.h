/* What Python and the lane share; coopsim/server/lane/library.py says the same in Python's words. */
#ifndef COOPSIM_LANE_H
#define COOPSIM_LANE_H

#include <stdint.h>

#define LANE_INTERFACE 2
#define LANE_EVENTS 64 /* half the length of others */

enum { LANE_TCP, LANE_ZMTP };

/* LANE_OVER: time is over, a signal came, somebody waits, or there is something for Python.
 * LANE_GRANTED: a tick is permitted, and answered by nobody yet.
 * LANE_UNSENT: a step is done, of whose answers not all were taken. */
enum { LANE_OVER, LANE_GRANTED, LANE_UNSENT };

/* One connection: what its STEPs and their answers look like, and what it has said. */
typedef struct {
    int64_t fd, kind, begin;
    const uint8_t *head, *middle, *end, *reply; /* packed: the target; from the error to the values; the run; as middle */
    int64_t head_size, middle_size, end_size, reply_size;
    int64_t takes, gives; /* values of a STEP, and of its answer */
    const int64_t *slots, *sources; /* rows[slots[i]] becomes value sources[i], or image[i] where that is -1 */
    const double *image;
    const int64_t *stamps, *readings;
    int64_t slot_count, stamp_count;
    uint8_t *in, *out;
    int64_t in_size;
    /* what happens: bytes that came, where the values are, its place among those that came; bytes that are to go */
    int64_t have, ready, data_at, turn, out_at, out_end;
    uint64_t number;
} lane_member;

typedef struct {
    int64_t epoll, permit, woken, until; /* descriptors; when to return, by the monotonic clock [ns] */
    lane_member *members;
    const int32_t *member_of; /* by descriptor, -1 = none */
    int64_t count, descriptors, is_single; /* is_single: return after each step */
    uint64_t *words; /* control words of the ring, and which is which */
    int64_t w_version, w_generation, w_permits, w_sleeps, w_watches, w_begun, w_begun_at, w_tail;
    const uint8_t *ring;
    uint64_t ring_size;
    double *rows;
    uint64_t generation, lockstep, reading_size;
    const int64_t *wanted; /* how many threads wait for the caller's lock */
    /* what happens: the step that is prepared, steps done, members that are ready, and since when one has begun */
    uint64_t next;
    int64_t steps, ready, turns, begun;
    /* descriptors for Python and what happened there, by turns: an edge is told only once */
    int32_t *others;
    int64_t other_count;
    int64_t rest; /* how many ticks are waited for asleep: others need the processor */
} lane_state;

int64_t lane_run(lane_state *lane);
int64_t lane_interface(int64_t *state_bytes, int64_t *member_bytes);

#endif
