/* The lane: STEPs that look like the last ones of their connections are received, checked, carried out and answered
 * without Python. Whatever else comes is handed back whole: Python alone decides about it.
 *
 * One thread calls lane_run, which holds no lock of the interpreter meanwhile. Tables are made by
 * coopsim/server/lane/tables.py and trusted; what comes from sockets is not. */
#define _GNU_SOURCE
#include "lane.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define US 1000LL
#define MS (1000LL * US)
/* The rest of a step that has begun is waited for this long, and a tick; then Python does. */
#define REST (10 * MS)
#define TICK (3 * MS)
#define SPIN (1 * MS)
/* Who gives way for longer has met a thread that works. */
#define TAKEN (600 * US)
#define RESTS 64
#define VERSION 1
#define TCP_HEAD 4
#define SHORT_HEAD 2
#define LONG_HEAD 9
#define LONG 2
#define REPLY_ROOM 16
/* words of a record's header, see coopsim/state/record.py */
enum { R_SIZE, R_TICK, R_GENERATION = 5, R_MODE, R_FLAGS, R_BODIES, R_READINGS, R_EDITS = 11, R_KEYFRAME = 16, R_LAYOUT };
#define HEADER_BYTES 192

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static void store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static void barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

static uint64_t big_endian(const uint8_t *raw, int width) {
    uint64_t value = 0;
    for (int k = 0; k < width; k++) value = value << 8 | raw[k];
    return value;
}

/* bytes of messages */

/* Returns where the unsigned integer at a place ends, -1 if there is none before the end. */
static int64_t read_uint(const uint8_t *raw, int64_t at, int64_t end, uint64_t *value) {
    if (at >= end) return -1;
    uint8_t kind = raw[at];
    if (kind < 0x80) {
        *value = kind;
        return at + 1;
    }
    if (kind < 0xcc || kind > 0xcf) return -1;
    int width = 1 << (kind - 0xcc);
    if (end - at - 1 < width) return -1;
    *value = big_endian(raw + at + 1, width);
    return at + 1 + width;
}

static int64_t put_uint(uint8_t *raw, int64_t at, uint64_t value) {
    if (value < 0x80) {
        raw[at] = (uint8_t)value;
        return at + 1;
    }
    int kind = value < 0x100 ? 0 : value < 0x10000 ? 1 : value < 0x100000000ULL ? 2 : 3, width = 1 << kind;
    raw[at++] = (uint8_t)(0xcc + kind);
    for (int k = width - 1; k >= 0; k--) raw[at++] = (uint8_t)(value >> (8 * k));
    return at;
}

/* Returns where a known part ends, -1 if something else stands there. */
static int64_t skip(const uint8_t *raw, int64_t at, int64_t end, const uint8_t *part, int64_t size) {
    if (end - at < size || memcmp(raw + at, part, (size_t)size)) return -1;
    return at + size;
}

static bool is_finite(const uint8_t *raw, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, raw + 8 * k, 8);
        if ((bits >> 52 & 0x7ff) == 0x7ff) return false;
    }
    return true;
}

/* Takes in a STEP between two places; false if it is anything but what was learned. */
static bool recognise(const lane_state *lane, lane_member *m, int64_t at, int64_t end) {
    const uint8_t *raw = m->in;
    uint64_t number, tick;
    if (end - at < 2 || raw[at] != m->begin || raw[at + 1] != VERSION) return false;
    if ((at = read_uint(raw, at + 2, end, &number)) < 0) return false;
    if ((at = skip(raw, at, end, m->head, m->head_size)) < 0) return false;
    if ((at = read_uint(raw, at, end, &tick)) < 0 || (tick && tick != lane->next)) return false;
    if ((at = skip(raw, at, end, m->middle, m->middle_size)) < 0) return false;
    if (end - at != 8 * m->takes + m->end_size) return false;
    if (skip(raw, at + 8 * m->takes, end, m->end, m->end_size) < 0) return false;
    if (!is_finite(raw + at, m->takes)) return false;
    m->number = number;
    m->data_at = at;
    return true;
}

/* Returns the length of the message that has begun, its head included; 0 = more must come, -1 = it is none of ours. */
static int64_t length(const lane_member *m, int64_t *begin) {
    const uint8_t *raw = m->in;
    uint64_t size;
    if (m->kind == LANE_TCP) {
        if (m->have < TCP_HEAD) return 0;
        *begin = TCP_HEAD, size = big_endian(raw, TCP_HEAD);
    } else if (raw[0] == LONG) {
        if (m->have < LONG_HEAD) return 0;
        *begin = LONG_HEAD, size = big_endian(raw + 1, 8);
    } else if (raw[0] == 0) {
        if (m->have < SHORT_HEAD) return 0;
        *begin = SHORT_HEAD, size = raw[1];
    } else {
        return -1;
    }
    return size > (uint64_t)m->in_size ? -1 : *begin + (int64_t)size;
}

/* Takes in what came; false if Python must look at it. */
static bool take(lane_state *lane, lane_member *m) {
    int64_t begin = 0, size = m->have ? length(m, &begin) : 0;
    if (size < 0 || (size && m->have > size)) return false;
    if (!size || m->have < size) return m->have < m->in_size;
    if (!recognise(lane, m, begin, size)) return false;
    m->ready = 1;
    lane->ready++;
    return true;
}

/* Receives what a connection has; false if Python must look at it. */
static bool receive(lane_state *lane, lane_member *m) {
    if (m->ready) return false; /* a second one before the tick, or its end: it stays where it is */
    int64_t room = m->in_size - m->have;
    ssize_t came = recv((int)m->fd, m->in + m->have, (size_t)room, MSG_DONTWAIT);
    if (came < 0) return errno == EAGAIN || errno == EINTR;
    if (came == 0) return false; /* Python is told once more */
    if (!m->have) {
        m->turn = lane->turns++;
        if (!lane->begun) lane->begun = now();
    }
    m->have += came;
    return take(lane, m);
}

/* the tick */

static void write_rows(lane_state *lane) {
    uint64_t *version = lane->words + lane->w_version;
    store(version, *version + 1);
    barrier();
    store(lane->words + lane->w_generation, lane->generation);
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        const uint8_t *data = m->in + m->data_at;
        for (int64_t i = 0; i < m->slot_count; i++) {
            double value = m->image[i];
            if (m->sources[i] >= 0) memcpy(&value, data + 8 * m->sources[i], 8);
            lane->rows[m->slots[i]] = value;
        }
        for (int64_t i = 0; i < m->stamp_count; i++) lane->rows[m->stamps[i]] += 1.0;
    }
    barrier();
    store(version, *version + 1);
}

static void grant(lane_state *lane) {
    uint64_t *permits = lane->words + lane->w_permits;
    store(lane->words + lane->w_watches, lane->rest == 0);
    store(permits, *permits + 1);
    barrier();
    if (load(lane->words + lane->w_sleeps)) {
        ssize_t written = write((int)lane->permit, "!", 1); /* a full pipe wakes, too */
        (void)written;
    }
}

static bool is_begun(const lane_state *lane, uint64_t seen) { return load(lane->words + lane->w_begun) != seen; }
static bool is_wanted(const lane_state *lane) { return __atomic_load_n(lane->wanted, __ATOMIC_ACQUIRE) != 0; }

/* Waits for the readings: watching while nobody else needs the processor, then asleep. False if they do not come. */
static bool await_readings(lane_state *lane, uint64_t seen) {
    int64_t began = now(), before = began;
    while (!lane->rest && !is_begun(lane, seen) && !is_wanted(lane)) {
        sched_yield();
        int64_t after = now();
        if (after - before > TAKEN) lane->rest = RESTS + 1;
        if (after - began > SPIN) break;
        before = after;
    }
    if (lane->rest) lane->rest--;
    if (is_begun(lane, seen)) return true;
    store(lane->words + lane->w_watches, 0);
    barrier();
    while (!is_begun(lane, seen) && !is_wanted(lane) && now() - began < TICK) {
        struct pollfd woken = {(int)lane->woken, POLLIN, 0};
        if (poll(&woken, 1, 1) > 0) {
            char drained[256];
            if (read((int)lane->woken, drained, sizeof drained) == 0) return false; /* physics is gone */
        }
    }
    return is_begun(lane, seen);
}

/* Returns the readings of the tick; NULL if its record is no plain one. */
static const uint8_t *readings(const lane_state *lane) {
    uint64_t head = load(lane->words + lane->w_begun_at), place = head % lane->ring_size, header[R_LAYOUT + 1];
    if (place + HEADER_BYTES > lane->ring_size) return NULL;
    const uint8_t *raw = lane->ring + place;
    memcpy(header, raw, sizeof header);
    if (header[R_TICK] != lane->next || header[R_GENERATION] != lane->generation || header[R_MODE] != lane->lockstep)
        return NULL;
    if (header[R_FLAGS] || header[R_EDITS] || header[R_KEYFRAME] || header[R_LAYOUT]) return NULL;
    if (header[R_READINGS] != lane->reading_size || header[R_SIZE] > lane->ring_size - place) return NULL;
    uint64_t first = HEADER_BYTES + 8 * 13 * header[R_BODIES];
    if (header[R_BODIES] > header[R_SIZE] / 104 || first + 8 * lane->reading_size > header[R_SIZE]) return NULL;
    return raw + first;
}

/* Packs the answer of a connection; false if it holds what no message can carry. */
static bool pack(const lane_state *lane, lane_member *m, const uint8_t *readings) {
    uint8_t *raw = m->out;
    int64_t at = REPLY_ROOM;
    raw[at++] = 0x99;
    raw[at++] = VERSION;
    at = put_uint(raw, at, m->number);
    memcpy(raw + at, m->head, (size_t)m->head_size);
    at = put_uint(raw, at + m->head_size, lane->next);
    memcpy(raw + at, m->reply, (size_t)m->reply_size);
    at += m->reply_size;
    for (int64_t i = 0; i < m->gives; i++) memcpy(raw + at + 8 * i, readings + 8 * m->readings[i], 8);
    if (!is_finite(raw + at, m->gives)) return false;
    m->out_end = at + 8 * m->gives;
    uint64_t size = (uint64_t)(m->out_end - REPLY_ROOM);
    int head = m->kind == LANE_TCP ? TCP_HEAD : size < 256 ? SHORT_HEAD : LONG_HEAD;
    int width = head == SHORT_HEAD ? 1 : head == LONG_HEAD ? 8 : TCP_HEAD;
    m->out_at = REPLY_ROOM - head;
    raw[m->out_at] = head == LONG_HEAD ? LONG : 0;
    for (int k = 0; k < width; k++) raw[REPLY_ROOM - 1 - k] = (uint8_t)(size >> (8 * k));
    return true;
}

/* Sends all answers; returns whether all of them were taken whole. */
static bool send_all(lane_state *lane) {
    bool is_whole = true;
    for (int64_t k = 0; k < lane->count; k++) {
        lane_member *m = lane->members + k;
        int64_t size = m->out_end - m->out_at;
        ssize_t sent = send((int)m->fd, m->out + m->out_at, (size_t)size, MSG_DONTWAIT | MSG_NOSIGNAL);
        m->out_at += sent > 0 ? sent : 0;
        is_whole = is_whole && sent == size;
        m->have = m->ready = 0;
    }
    lane->ready = lane->turns = lane->begun = 0;
    return is_whole;
}

/* Carries out a step for which all commands are there. */
static int64_t step(lane_state *lane) {
    uint64_t seen = load(lane->words + lane->w_begun);
    write_rows(lane);
    grant(lane);
    const uint8_t *values = await_readings(lane, seen) ? readings(lane) : NULL;
    for (int64_t k = 0; values && k < lane->count; k++)
        if (!pack(lane, lane->members + k, values)) values = NULL;
    uint64_t head = load(lane->words + lane->w_begun_at);
    if (!values || load(lane->words + lane->w_tail) > head) return LANE_GRANTED;
    lane->next++;
    lane->steps++;
    return send_all(lane) ? LANE_OVER : LANE_UNSENT;
}

/* waiting */

/* Returns for how long to sleep [ms]; 0 = the time is over. */
static int patience(const lane_state *lane) {
    int64_t end = lane->until, at = now();
    if (lane->begun && lane->begun + REST < end) end = lane->begun + REST;
    return end <= at ? 0 : end - at > 1000 * MS ? 1000 : (int)((end - at + MS - 1) / MS);
}

/* Takes in events; returns whether there is one for Python. */
static bool is_for_python(lane_state *lane, const struct epoll_event *events, int count) {
    for (int k = 0; k < count; k++) {
        int fd = events[k].data.fd;
        int64_t member = fd >= 0 && fd < lane->descriptors ? lane->member_of[fd] : -1;
        bool is_plain = member >= 0 && events[k].events == EPOLLIN;
        if (is_plain && receive(lane, lane->members + member)) continue;
        lane->others[2 * lane->other_count] = fd;
        lane->others[2 * lane->other_count++ + 1] = (int32_t)events[k].events;
    }
    return lane->other_count > 0;
}

static int64_t run(lane_state *lane) {
    struct epoll_event events[LANE_EVENTS];
    for (;;) {
        int wait = patience(lane);
        if (!wait) return LANE_OVER;
        int count = epoll_wait((int)lane->epoll, events, LANE_EVENTS, wait);
        if (count < 0) return LANE_OVER; /* a signal, most likely */
        bool is_foreign = is_for_python(lane, events, count);
        if (lane->ready == lane->count) {
            int64_t outcome = step(lane);
            if (outcome != LANE_OVER || lane->is_single || is_wanted(lane)) return outcome;
        }
        if (is_foreign) return LANE_OVER;
    }
}

/* what Python calls */

int64_t lane_run(lane_state *lane) {
    lane->steps = lane->ready = lane->turns = lane->begun = lane->other_count = 0;
    int64_t outcome = run(lane);
    store(lane->words + lane->w_watches, 0);
    return outcome;
}

int64_t lane_interface(int64_t *state_bytes, int64_t *member_bytes) {
    *state_bytes = sizeof(lane_state);
    *member_bytes = sizeof(lane_member);
    return LANE_INTERFACE;
}
