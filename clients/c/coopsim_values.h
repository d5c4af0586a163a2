/* Values of requests and replies by type and place; what is missing, or of another type, is no message.
 * The functions of coopsim_modules.h use these. */
#ifndef COOPSIM_VALUES_H
#define COOPSIM_VALUES_H

#include "coopsim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Say what went wrong, for coopsim_problem, and return the outcome. */
int coopsim_fail(int outcome, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* What a reply is read with; its outcome is that of the first value that is wrong. */
typedef struct {
    const coopsim_message *reply;
    int outcome;
} coopsim_reader;

/* Where some values stand: from start (below 0 = counted from the end) count of them, or all but end values if that is 0;
 * of these it is one of some equal parts. */
typedef struct {
    long start;
    size_t count, end, part, parts;
} coopsim_place;

/* Runs of data or params: they are those of the reply, and good until that is freed. */
const double *coopsim_numbers(coopsim_reader *from, coopsim_place place, size_t *count);
const coopsim_param *coopsim_params(coopsim_reader *from, coopsim_place place, size_t *count);
double coopsim_number_at(coopsim_reader *from, long place);
double coopsim_float_at(coopsim_reader *from, long place);
int64_t coopsim_whole_at(coopsim_reader *from, long place);
const char *coopsim_text_at(coopsim_reader *from, long place);
coopsim_param coopsim_value_at(coopsim_reader *from, long place);

/* The values of a request; they are freed when it is asked. */
typedef struct {
    coopsim_param *params;
    double *data;
    size_t n_params, n_data;
} coopsim_values;

void coopsim_add_params(coopsim_values *to, const coopsim_param *params, size_t count);
void coopsim_add_param(coopsim_values *to, coopsim_param param);
void coopsim_add_texts(coopsim_values *to, const char *const *texts, size_t count);
void coopsim_add_data(coopsim_values *to, const double *data, size_t count);
void coopsim_add_number(coopsim_values *to, double value);
int coopsim_ask_values(coopsim_client *sim, const char *target, uint64_t command, coopsim_values *values, coopsim_message *reply);

#ifdef __cplusplus
}
#endif
#endif
