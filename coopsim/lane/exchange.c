/* A client's request that was made before with another id, tick and values, and its reply: packed, sent, received and compared
 * without Python. Whatever else comes is handed back whole: Python alone decides about it.
 *
 * The caller holds no lock of the interpreter meanwhile. What templates hold is trusted; what comes from sockets is not. */
#define _GNU_SOURCE
#include "exchange.h"
#include "parts.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static int64_t put_part(uint8_t *raw, int64_t at, const uint8_t *part, int64_t size) {
    memcpy(raw + at, part, (size_t)size);
    return at + size;
}

/* Packs the request with its frame; false if one of its values is no number that a message can carry. */
static bool pack_request(exchange_state *x) {
    const exchange_form *form = &x->request;
    uint8_t *raw = x->out;
    int64_t at = put_part(raw, REPLY_ROOM, form->begin, form->begin_size);
    at = put_uint(raw, at, x->number);
    at = put_part(raw, at, form->head, form->head_size);
    at = put_uint(raw, at, x->tick);
    at = put_part(raw, at, form->middle, form->middle_size);
    for (int64_t k = 0; k < form->count; k++) {
        if (!is_finite(form->values[k])) return false;
        if (!form->is_binary) at = put_number(raw, at, form->values[k]);
    }
    if (form->is_binary) at = put_part(raw, at, (const uint8_t *)form->values, 8 * form->count);
    x->out_end = put_part(raw, at, form->end, form->end_size);
    x->out_at = put_frame(raw, x->kind, x->out_end - REPLY_ROOM);
    return true;
}

/* Returns whether the server has ended the connection, or has said something that nobody has heard yet. */
static bool is_disturbed(const exchange_state *x) {
    uint8_t first;
    return recv((int)x->fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

static int64_t send_request(exchange_state *x) {
    int64_t size = x->out_end - x->out_at;
    ssize_t sent = send((int)x->fd, x->out + x->out_at, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return EXCHANGE_UNSENT;
    if (sent == size) return EXCHANGE_SENT;
    x->gone = sent;
    return EXCHANGE_CUT;
}

/* Returns how many bytes of the message that has begun are still to come, 0 if that is not known, or too many. */
static int64_t missing(const exchange_state *x, int64_t *begin) {
    int64_t size = frame_length(x->in, x->kind, x->have, x->in_size, begin);
    return size > x->have ? size - x->have : 0;
}

/* Returns whether one whole message came; of a long one the rest is waited for. */
static bool receive_reply(exchange_state *x, int64_t *begin) {
    ssize_t came = recv((int)x->fd, x->in, (size_t)x->in_size, 0);
    if (came <= 0) return false; /* no time is left, a signal, or the end, of which Python is told once more */
    x->have = came;
    int64_t rest = missing(x, begin);
    if (rest && (came = recv((int)x->fd, x->in + x->have, (size_t)rest, MSG_WAITALL)) > 0) x->have += came;
    return frame_length(x->in, x->kind, x->have, x->in_size, begin) == x->have;
}

static int64_t read_values(const exchange_state *x, int64_t at, int64_t end) {
    const exchange_form *form = &x->reply;
    if (form->is_binary) {
        if (end - at < 8 * form->count) return -1;
        if (form->count) memcpy(form->values, x->in + at, (size_t)(8 * form->count));
        at += 8 * form->count;
    }
    for (int64_t k = 0; k < form->count; k++) {
        if (!form->is_binary && (at >= end || x->in[at] != FLOAT64)) return -1;
        if (!form->is_binary && (at = read_number(x->in, at, end, form->values + k)) < 0) return -1;
        if (!is_finite(form->values[k])) return -1;
    }
    return at;
}

/* Returns whether a message between two places is the reply that is expected, and takes in its tick and values. */
static bool read_reply(exchange_state *x, int64_t at, int64_t end) {
    const exchange_form *form = &x->reply;
    uint64_t number;
    if ((at = skip(x->in, at, end, form->begin, form->begin_size)) < 0) return false;
    if ((at = read_uint(x->in, at, end, &number)) < 0 || number != x->number) return false;
    if ((at = skip(x->in, at, end, form->head, form->head_size)) < 0) return false;
    if ((at = read_uint(x->in, at, end, &x->tick)) < 0 || x->tick > INT64_MAX) return false;
    if ((at = skip(x->in, at, end, form->middle, form->middle_size)) < 0) return false;
    if ((at = read_values(x, at, end)) < 0) return false;
    return skip(x->in, at, end, form->end, form->end_size) == end;
}

int64_t exchange_run(exchange_state *x) {
    int64_t begin = 0;
    x->have = x->gone = 0;
    if (!pack_request(x) || is_disturbed(x)) return EXCHANGE_UNSENT;
    int64_t outcome = send_request(x);
    if (outcome != EXCHANGE_SENT || !receive_reply(x, &begin)) return outcome;
    if (!read_reply(x, begin, x->have)) return EXCHANGE_SENT;
    x->have = 0;
    return (int64_t)x->tick;
}

int64_t exchange_interface(int64_t *state_bytes) {
    *state_bytes = sizeof(exchange_state);
    return EXCHANGE_INTERFACE;
}
