#include "coopsim_values.h"

#include <stdlib.h>
#include <string.h>

static size_t span(coopsim_reader *from, size_t length, coopsim_place place, size_t *count) {
    size_t back = place.start < 0 ? (size_t)-place.start : 0, first = place.start < 0 ? length - back : (size_t)place.start;
    size_t all = place.count > 0 ? place.count : length - first - place.end;
    if (back <= length && first <= length && all <= length - first && all % place.parts == 0) {
        *count = all / place.parts;
        return first + place.part * *count;
    }
    *count = 0;
    if (from->outcome == COOPSIM_OK) from->outcome = coopsim_fail(COOPSIM_MALFORMED, "a reply of %zu values", length);
    return 0;
}

const double *coopsim_numbers(coopsim_reader *from, coopsim_place place, size_t *count) {
    size_t first = span(from, from->reply->n_data, place, count);
    return *count > 0 ? from->reply->data + first : NULL;
}

const coopsim_param *coopsim_params(coopsim_reader *from, coopsim_place place, size_t *count) {
    size_t first = span(from, from->reply->n_params, place, count);
    return *count > 0 ? from->reply->params + first : NULL;
}

double coopsim_number_at(coopsim_reader *from, long place) {
    size_t count;
    const double *values = coopsim_numbers(from, (coopsim_place){place, 1, 0, 0, 1}, &count);
    return count > 0 ? values[0] : 0;
}

coopsim_param coopsim_value_at(coopsim_reader *from, long place) {
    size_t count;
    const coopsim_param *values = coopsim_params(from, (coopsim_place){place, 1, 0, 0, 1}, &count);
    return count > 0 ? values[0] : coopsim_text("");
}

static void meant(coopsim_reader *from, const char *type) {
    if (from->outcome == COOPSIM_OK) from->outcome = coopsim_fail(COOPSIM_MALFORMED, "another value where %s is meant", type);
}

double coopsim_float_at(coopsim_reader *from, long place) {
    coopsim_param value = coopsim_value_at(from, place);
    switch (value.type) {
        case COOPSIM_FLOAT: return value.value;
        case COOPSIM_UINT: return (double)value.whole;
        case COOPSIM_INT: return (double)(int64_t)value.whole;
        default: meant(from, "a number"); return 0;
    }
}

int64_t coopsim_whole_at(coopsim_reader *from, long place) {
    coopsim_param value = coopsim_value_at(from, place);
    if (value.type == COOPSIM_INT || (value.type == COOPSIM_UINT && value.whole <= INT64_MAX)) return (int64_t)value.whole;
    meant(from, "an integer of 64 bits");
    return 0;
}

const char *coopsim_text_at(coopsim_reader *from, long place) {
    coopsim_param value = coopsim_value_at(from, place);
    if (value.type == COOPSIM_TEXT) return value.text;
    meant(from, "a text");
    return "";
}

void coopsim_add_params(coopsim_values *to, const coopsim_param *params, size_t count) {
    if (count == 0) return;
    to->params = realloc(to->params, sizeof *params * (to->n_params + count));
    memcpy(to->params + to->n_params, params, sizeof *params * count);
    to->n_params += count;
}

void coopsim_add_param(coopsim_values *to, coopsim_param param) { coopsim_add_params(to, &param, 1); }

void coopsim_add_texts(coopsim_values *to, const char *const *texts, size_t count) {
    if (count == 0) return;
    to->params = realloc(to->params, sizeof *to->params * (to->n_params + count));
    for (size_t place = 0; place < count; place++) to->params[to->n_params++] = coopsim_text(texts[place]);
}

void coopsim_add_data(coopsim_values *to, const double *data, size_t count) {
    if (count == 0) return;
    to->data = realloc(to->data, sizeof *data * (to->n_data + count));
    memcpy(to->data + to->n_data, data, sizeof *data * count);
    to->n_data += count;
}

void coopsim_add_number(coopsim_values *to, double value) { coopsim_add_data(to, &value, 1); }

int coopsim_ask_values(coopsim_client *sim, const char *target, uint64_t command, coopsim_values *values, coopsim_message *reply) {
    int outcome = coopsim_ask(sim, target, command, values->params, values->n_params, values->data, values->n_data, reply);
    free(values->params);
    free(values->data);
    memset(values, 0, sizeof *values);
    return outcome;
}
