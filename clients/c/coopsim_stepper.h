/* Steps of many robots in one message: what they take and give, by robot, module and name. */
#ifndef COOPSIM_STEPPER_H
#define COOPSIM_STEPPER_H

#include "coopsim_values.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct coopsim_stepper coopsim_stepper;

/* Claim robots, none = all, and learn what a step of them takes and gives. NULL when that fails. */
coopsim_stepper *coopsim_stepper_open(coopsim_client *sim, const char *const *robots, size_t n_robots);
/* Give the robots back. Returns an outcome; the stepper is freed in any case. */
int coopsim_stepper_close(coopsim_stepper *stepper);

/* Set a value, or a run of values, of the next command of a robot; the last one holds until there is another. */
int coopsim_stepper_put(coopsim_stepper *stepper, const char *robot, const char *module, const char *name,
                        const double *values, size_t count);
/* Do a step; when the scene has changed, robots begin anew with commands of 0. Returns an outcome. */
int coopsim_stepper_step(coopsim_stepper *stepper);
/* The reply of the last step: its tick, and, behind the first param, the robots that had no command for too long. */
const coopsim_message *coopsim_stepper_reply(const coopsim_stepper *stepper);
/* A run of values of the last step, good until the next one; NULL with an outcome in `outcome` when there is none. */
const double *coopsim_stepper_numbers(coopsim_stepper *stepper, const char *robot, const char *module,
                                      const char *name, size_t *count, int *outcome);
double coopsim_stepper_number(coopsim_stepper *stepper, const char *robot, const char *module, const char *name,
                              int *outcome);

#ifdef __cplusplus
}
#endif
#endif
