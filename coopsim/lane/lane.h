/* What Python and the lane share; coopsim/server/lane/library.py says the same in Python's words. */
#ifndef COOPSIM_LANE_H
#define COOPSIM_LANE_H

#include <stdint.h>

#define LANE_INTERFACE 6 /* counted up with each change of a structure or of a meaning */
#define LANE_EVENTS 64 /* taken at once, half the length of others: a kilobyte on the stack; what is left comes with the next look */

enum { LANE_TCP, LANE_ZMTP };

/* LANE_STEP: commands for all robots of a connection, answered after the tick. LANE_SET: one for a module.
 * LANE_READ: readings of a module. LANE_PING: tick and time. LANE_PART: commands that count with those of the STEP behind it. */
enum { LANE_STEP, LANE_SET, LANE_READ, LANE_PING, LANE_PART };

/* LANE_OVER: time is over, a signal came, somebody waits, or there is something for Python.
 * LANE_GRANTED: a tick is permitted, and what waits for it is answered by nobody yet. */
enum { LANE_OVER, LANE_GRANTED };

/* What messages of a connection that come again and again, and their answers, have in common. */
typedef struct {
    int64_t kind, begin;
    const uint8_t *head, *middle, *end, *reply; /* packed: the target; from the error to the values; the run; as middle */
    int64_t head_size, middle_size, end_size, reply_size;
    /* form and number of the values of a message, number of those of its answer, and how many values the parts before it have */
    int64_t is_binary, takes, gives, values_before;
    const double *lows, *highs; /* limits of the values it takes, NULL = there are none */
    const int64_t *slots, *sources; /* rows[slots[i]] becomes value sources[i], or image[i] where that is -1 */
    const double *image;
    const int64_t *stamps, *readings, *robots; /* robots: which ones it commands */
    int64_t slot_count, stamp_count, robot_count, is_dense; /* is_dense: the readings follow each other */
    int64_t *taken; /* counts those that were carried out */
} lane_form;

/* One connection: what it says, and what it has said. */
typedef struct {
    int64_t fd, kind;
    const lane_form *forms;
    /* robots: how many it owns, of which this is the first one; parts: how many PARTs go before its STEP, in the order of
     * their forms, which are the last ones but that of the STEP */
    int64_t form_count, robots, first, parts;
    uint8_t *in, *out;
    double *values; /* room for those of its longest message */
    int64_t in_size;
    /* what happens: bytes that came, the form of the message that waits for the tick, the form that came last; own robots
     * without a command; its place among those that came; bytes that are to go. A STEP whose bytes are used up has its commands
     * written, and is answered after the tick that is due. */
    int64_t have, last, left, turn, out_at, out_end;
    const lane_form *held;
    uint64_t number, due;
    uint64_t *numbers; /* ids of the parts that came, and of their STEP */
    /* parts that came, which stay where they are until their STEP does; where the message after them begins; parts that are
     * answered; whether the answer to the last of those has gone in part */
    int64_t kept, scanned, answered, is_cut;
} lane_member;

/* The first and the last tick that a command counts for. */
typedef struct {
    uint64_t first, last;
} lane_span;

typedef struct {
    int64_t epoll, permit, woken, until; /* descriptors; when to return, by the monotonic clock [ns] */
    lane_member *members;
    const int32_t *member_of; /* by descriptor, -1 = none */
    /* is_single: return after each step; is_crowded: more members drive robots than there are processors */
    int64_t count, descriptors, is_single, is_crowded;
    uint64_t *words; /* control words of the ring, and which is which */
    int64_t w_version, w_generation, w_permits, w_sleeps, w_watches, w_crowded, w_begun, w_begun_at, w_tail;
    const uint8_t *ring;
    uint64_t ring_size;
    double *rows;
    uint64_t generation, lockstep, reading_size;
    const int64_t *wanted; /* how many threads wait for the caller's lock */
    int64_t *commanded; /* of each robot, 0 = nothing came for this step, else one more than the kind of its command */
    const int64_t *periods; /* of each robot, for how many ticks a command counts */
    lane_span *spans; /* of each robot, for which ticks its last command does */
    int64_t robots; /* how many of them there are; 0 = there are no steps to do */
    /* what happens: the newest record; the step that is prepared, steps done, robots without a command, and how many of those
     * there were when the step began; whether its tick is permitted */
    const uint8_t *readings;
    uint64_t position;
    double time;
    uint64_t next, seen;
    int64_t steps, missing, awaited, is_granted;
    /* connections that have begun a message, those that have not taken theirs, and since when something is under way */
    int64_t busy, unsent, turns, begun;
    /* descriptors for Python and what happened there, by turns: an edge is told only once */
    int32_t *others;
    int64_t other_count;
    int64_t rest; /* how many ticks are waited for asleep: others need the processor */
} lane_state;

int64_t lane_run(lane_state *lane);
int64_t lane_interface(int64_t *state_bytes, int64_t *member_bytes, int64_t *form_bytes);

#endif
