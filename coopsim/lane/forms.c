/* Messages that look like those that were learned, and their answers. */
#include "parts.h"

#include <string.h>

/* Returns where the value at a place ends, -1 if there is none that is finite. */
static int64_t read_value(const lane_member *m, const lane_form *form, int64_t at, int64_t end, double *value) {
    if (!form->is_binary) return read_number(m->in, at, end, value);
    if (end - at < 8) return -1;
    memcpy(value, m->in + at, 8);
    return is_finite(*value) ? at + 8 : -1;
}

/* Takes in the values of a message; returns where they end, -1 if there are others. */
static int64_t read_values(lane_member *m, const lane_form *form, int64_t at, int64_t end) {
    double *values = m->values + form->values_before;
    for (int64_t k = 0; k < form->takes && at >= 0; k++) at = read_value(m, form, at, end, values + k);
    for (int64_t k = 0; k < form->takes && at >= 0 && form->lows; k++)
        if (values[k] < form->lows[k] || values[k] > form->highs[k]) return -1;
    return at;
}

/* Takes in a message between two places whose id ends at the first; false if it is anything but this form. */
static bool is_of(const lane_state *lane, lane_member *m, const lane_form *form, int64_t at, int64_t end) {
    const uint8_t *raw = m->in;
    uint64_t tick;
    if ((at = skip(raw, at, end, form->head, form->head_size)) < 0) return false;
    if ((at = read_uint(raw, at, end, &tick)) < 0) return false;
    if (form->kind <= LANE_SET && tick && tick != lane->next) return false;
    if ((at = skip(raw, at, end, form->middle, form->middle_size)) < 0) return false;
    if ((at = read_values(m, form, at, end)) < 0) return false;
    return skip(raw, at, end, form->end, form->end_size) == end;
}

/* Returns the form of the message between two places, NULL if it has none. */
const lane_form *recognise(const lane_state *lane, lane_member *m, int64_t at, int64_t end) {
    const uint8_t *raw = m->in;
    if (end - at < 2 || raw[at + 1] != VERSION) return NULL;
    uint8_t begin = raw[at];
    if ((at = read_uint(raw, at + 2, end, &m->number)) < 0) return NULL;
    for (int64_t k = 1; k <= m->form_count; k++) { /* most come in turn */
        int64_t which = (m->last + k) % m->form_count;
        const lane_form *form = m->forms + which;
        if (form->begin != begin || !is_of(lane, m, form, at, end)) continue;
        m->last = which;
        return form;
    }
    return NULL;
}

static double value_of(const lane_state *lane, const lane_form *form, int64_t which) {
    if (form->kind == LANE_PING) return which ? lane->time : (double)(lane->next - 1);
    double value;
    memcpy(&value, lane->readings + 8 * form->readings[which], 8);
    return value;
}

/* Copies readings that follow each other; returns where they end, -1 if one of them is not finite. */
static int64_t put_readings(const lane_state *lane, uint8_t *raw, int64_t at, const lane_form *form) {
    const uint8_t *from = lane->readings + 8 * form->readings[0];
    int64_t count = form->gives, infinite = 0;
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, from + 8 * k, 8);
        memcpy(raw + at + 8 * k, &bits, 8);
        infinite |= (bits >> 52 & 0x7ff) == 0x7ff;
    }
    return infinite ? -1 : at + 8 * count;
}

/* Packs the values of an answer; returns where they end, -1 if one of them is no number that a message can carry. */
static int64_t put_values(const lane_state *lane, uint8_t *raw, int64_t at, const lane_form *form) {
    if (form->is_dense && form->is_binary) return put_readings(lane, raw, at, form);
    for (int64_t k = 0; k < form->gives; k++) {
        double value = value_of(lane, form, k);
        if (!is_finite(value)) return -1;
        if (form->is_binary) memcpy(raw + at + 8 * k, &value, 8);
        else at = put_number(raw, at, value);
    }
    return form->is_binary ? at + 8 * form->gives : at;
}

/* Packs the answer to the last message of a connection; false if there is none that a message can carry, or its readings
 * may have been overwritten meanwhile. */
bool pack(const lane_state *lane, lane_member *m, const lane_form *form) {
    uint8_t *raw = m->out;
    int64_t at = REPLY_ROOM;
    raw[at++] = 0x99;
    raw[at++] = VERSION;
    at = put_uint(raw, at, m->number);
    memcpy(raw + at, form->head, (size_t)form->head_size);
    at = put_uint(raw, at + form->head_size, lane->next - 1);
    memcpy(raw + at, form->reply, (size_t)form->reply_size);
    at = put_values(lane, raw, at + form->reply_size, form);
    if (at < 0) return false;
    m->out_end = at;
    m->out_at = put_frame(raw, m->kind, at - REPLY_ROOM);
    return !is_overwritten(lane);
}
