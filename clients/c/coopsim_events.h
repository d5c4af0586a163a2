/* Events and states: messages with id 0, which coopsim_state brings once somebody subscribed.
 * What is read points into the message, and is good until that is freed. */
#ifndef COOPSIM_EVENTS_H
#define COOPSIM_EVENTS_H

#include "coopsim_values.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a program, or the simulation, published. */
typedef struct {
    int64_t number; /* of this connection; one that is left out is an event that was lost */
    const char *topic, *source, *text;
    int64_t tick;
    const double *data; /* NULL = none */
    size_t n_data;
} coopsim_event;

/* How many events a message from /sim/events tells. */
size_t coopsim_n_events(const coopsim_message *message);
/* Read them, as many as coopsim_n_events says. Returns an outcome. */
int coopsim_read_events(const coopsim_message *message, coopsim_event *events);

/* A state of the stream. */
typedef struct {
    const coopsim_message *message;
    double time;
    int64_t run, generation, revision;
    const char *mode;
    int is_paused, has_ended;
    size_t n_bodies, n_robots;
} coopsim_state_values;

/* Returns an outcome. */
int coopsim_read_state(const coopsim_message *message, coopsim_state_values *state);
/* The name of a body, and its pose: x y z and a quaternion w x y z. */
const char *coopsim_body_name(const coopsim_state_values *state, size_t body);
const double *coopsim_body_pose(const coopsim_state_values *state, size_t body);
/* The name of a robot, and its readings; NULL = none. */
const char *coopsim_robot_name(const coopsim_state_values *state, size_t robot);
const double *coopsim_robot_readings(const coopsim_state_values *state, size_t robot, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
