/* Commands on their way to physics, permission for a tick, and the readings that come back. */
#define _GNU_SOURCE
#include "parts.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The record alone is waited for this long; then whatever else comes is waited for with it. */
#define TICK (3 * MS)
/* So long the record is watched for without sleep, as physics watches for permission (transport/watching.py): a look costs
 * nothing, a wake-up 20 to 50 us, and most ticks are over by then. */
#define SPIN (1 * MS)
/* Who gives way for longer has met a thread that works: threads that only watch give way in turn at
 * once, and one that works keeps the processor for a slice of Linux's scheduler, 700 us or more. */
#define TAKEN (600 * US)
/* So many ticks are waited for asleep after that: if nobody works any more, they cost 64 wake-ups, 3 ms together. */
#define RESTS 64

int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
void store(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
static void barrier(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

bool is_wanted(const lane_state *lane) { return __atomic_load_n(lane->wanted, __ATOMIC_ACQUIRE) != 0; }
static bool is_begun(const lane_state *lane) { return load(lane->words + lane->w_begun) != lane->seen; }

/* Returns whether the tick that is permitted has no readings yet, and nobody wants the lock. */
bool is_ticking(const lane_state *lane) { return lane->is_granted && !is_begun(lane) && !is_wanted(lane); }

/* Takes in wake-ups of physics; false if it is gone. A pipe that is not emptied at once wakes again. */
bool drain(const lane_state *lane) {
    char drained[256]; /* any number of bytes means the same */
    return read((int)lane->woken, drained, sizeof drained) != 0;
}

/* Returns whether the newest readings may be those of another record by now. */
bool is_overwritten(const lane_state *lane) { return load(lane->words + lane->w_tail) > lane->position; }

/* Writes the values of a message to where physics finds them. */
void command(lane_state *lane, const lane_member *m, const lane_form *form) {
    if (!form->slot_count) return;
    uint64_t *version = lane->words + lane->w_version;
    store(version, *version + 1);
    barrier();
    store(lane->words + lane->w_generation, lane->generation);
    const double *values = m->values + form->values_before;
    for (int64_t i = 0; i < form->slot_count; i++)
        lane->rows[form->slots[i]] = form->sources[i] >= 0 ? values[form->sources[i]] : form->image[i];
    for (int64_t i = 0; i < form->stamp_count; i++) lane->rows[form->stamps[i]] += 1.0;
    barrier();
    store(version, *version + 1);
}

/* Says that a tick is under way, and whether physics needs to wake anybody after it. */
void watch_tick(lane_state *lane) {
    lane->is_granted = 1;
    store(lane->words + lane->w_watches, lane->rest == 0);
}

/* Permits a tick. */
void let_tick(lane_state *lane) {
    uint64_t *permits = lane->words + lane->w_permits;
    lane->seen = load(lane->words + lane->w_begun);
    watch_tick(lane);
    store(permits, *permits + 1);
    barrier();
    if (load(lane->words + lane->w_sleeps)) {
        ssize_t written = write((int)lane->permit, "!", 1); /* a full pipe wakes, too */
        (void)written;
    }
}

/* Waits for the readings: watching while nobody else needs the processor, then asleep. False if they do not come. */
static bool await_readings(lane_state *lane) {
    int64_t began = now(), before = began;
    while (!lane->rest && !is_begun(lane) && !is_wanted(lane)) {
        sched_yield();
        int64_t after = now();
        if (after - before > TAKEN) lane->rest = RESTS + 1;
        if (after - began > SPIN) break;
        before = after;
    }
    if (lane->rest) lane->rest--;
    if (is_begun(lane)) return true;
    store(lane->words + lane->w_watches, 0);
    barrier();
    while (!is_begun(lane) && !is_wanted(lane) && now() - began < TICK) {
        struct pollfd woken = {(int)lane->woken, POLLIN, 0};
        if (poll(&woken, 1, 1) > 0 && !drain(lane)) return false;
    }
    return is_begun(lane);
}

/* Finds the readings of the tick; false if its record is no plain one. */
static bool find_readings(lane_state *lane) {
    uint64_t head = load(lane->words + lane->w_begun_at), place = head % lane->ring_size, header[R_LAYOUT + 1];
    if (place + HEADER_BYTES > lane->ring_size) return false;
    const uint8_t *raw = lane->ring + place;
    memcpy(header, raw, sizeof header);
    if (header[R_TICK] != lane->next || header[R_GENERATION] != lane->generation || header[R_MODE] != lane->lockstep)
        return false;
    if (header[R_FLAGS] || header[R_EDITS] || header[R_KEYFRAME] || header[R_LAYOUT]) return false;
    if (header[R_READINGS] != lane->reading_size || header[R_SIZE] > lane->ring_size - place) return false;
    /* behind the header 13 numbers of 8 bytes for each body: position, quaternion, velocity, turning rate */
    uint64_t first = HEADER_BYTES + 8 * 13 * header[R_BODIES];
    if (header[R_BODIES] > header[R_SIZE] / 104 || first + 8 * lane->reading_size > header[R_SIZE]) return false;
    lane->readings = raw + first, lane->position = head;
    lane->time = (double)header[R_TIME] / 1e9;
    return true;
}

/* Waits for the tick that is permitted; false if its readings do not come, or in another way than usual. */
bool await_tick(lane_state *lane) {
    if (!await_readings(lane) || !find_readings(lane)) return false;
    lane->next++;
    return true;
}
