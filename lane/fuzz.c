/* Hostile bytes for the lane: built with -fsanitize=address,undefined by tests/unit/lane, run with a number of rounds.
 * Whatever comes, it must neither read nor write where it may not, and take in nothing but what was learned. */
#include "coopsim_lane/lane.c"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define TAKES 4
#define GIVES 5
#define ROWS 16

static uint64_t seed = 88172645463325252ULL;

static uint64_t random_number(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void *exactly(const void *from, size_t size) { /* beyond its end lies poison */
    void *made = malloc(size ? size : 1);
    assert(made);
    if (from) memcpy(made, from, size);
    return made;
}

static const uint8_t HEAD[] = "\xa9/sim/step", MIDDLE[] = "\x00\xa0\x0b\x92\x01\xa6robot1\xc4\x20", REPLY[] = "\x00\xa0\x0b\x91\x01\xc4\x28";

static lane_member member(int fd, int kind) {
    static const int64_t slots[] = {1, 2, 3, 5, 6}, sources[] = {-1, 0, 1, 2, 3}, stamps[] = {0, 4}, gives[] = {0, 1, 2, 3, 4};
    static const double image[] = {10, 0, 0, 0, 0};
    lane_member m = {.fd = fd, .kind = kind, .begin = 0x99, .takes = TAKES, .gives = GIVES};
    m.head = exactly(HEAD, m.head_size = sizeof HEAD - 1);
    m.middle = exactly(MIDDLE, m.middle_size = sizeof MIDDLE - 1);
    m.reply = exactly(REPLY, m.reply_size = sizeof REPLY - 1);
    m.end = exactly("", 0);
    m.slots = slots, m.sources = sources, m.stamps = stamps, m.readings = gives, m.image = image;
    m.slot_count = 5, m.stamp_count = 2;
    m.in_size = m.head_size + m.middle_size + 8 * TAKES + 64;
    m.in = exactly(NULL, (size_t)m.in_size);
    m.out = exactly(NULL, (size_t)(REPLY_ROOM + 20 + m.head_size + m.reply_size + 8 * GIVES));
    return m;
}

/* Packs a STEP with its frame; returns its length. */
static int64_t request(uint8_t *raw, int kind, uint64_t number, uint64_t tick) {
    int64_t begin = kind == LANE_TCP ? TCP_HEAD : SHORT_HEAD, at = begin;
    raw[at++] = 0x99, raw[at++] = VERSION;
    at = put_uint(raw, at, number);
    memcpy(raw + at, HEAD, sizeof HEAD - 1);
    at = put_uint(raw, at + (int64_t)sizeof HEAD - 1, tick);
    memcpy(raw + at, MIDDLE, sizeof MIDDLE - 1);
    at += (int64_t)sizeof MIDDLE - 1;
    for (int k = 0; k < TAKES; k++, at += 8) memcpy(raw + at, &(double){0.5 + k}, 8);
    memset(raw, 0, (size_t)begin);
    raw[begin - 1] = (uint8_t)(at - begin);
    return at;
}

static void mutate(uint8_t *raw, int64_t *size, int64_t most) {
    static const uint8_t hostile[] = {0, 1, 2, 4, 0x7f, 0x80, 0x90, 0xc4, 0xc6, 0xcc, 0xcd, 0xce, 0xcf, 0xdf, 0xff};
    for (uint64_t times = random_number() % 6; times; times--) {
        int64_t at = (int64_t)(random_number() % (uint64_t)(*size ? *size : 1));
        switch (random_number() % 4) {
            case 0: raw[at] = hostile[random_number() % sizeof hostile]; break;
            case 1: raw[at] ^= (uint8_t)(1 << random_number() % 8); break;
            case 2: *size = at; break;
            default:
                while (*size < most && random_number() % 8) raw[(*size)++] = (uint8_t)random_number();
        }
    }
}

/* Gives a member bytes as if they had come by its socket, cut anywhere; returns whether they were taken in. */
static bool offer(lane_state *lane, lane_member *m, const uint8_t *raw, int64_t size) {
    m->have = m->ready = lane->ready = 0;
    for (int64_t at = 0; at < size;) {
        int64_t rest = size - at, piece = 1 + (int64_t)(random_number() % (uint64_t)rest), room = m->in_size - m->have;
        if (m->ready || room <= 0) return false;
        piece = piece < room ? piece : room;
        memcpy(m->in + m->have, raw + at, (size_t)piece);
        m->have += piece, at += piece;
        if (!take(lane, m)) return false;
    }
    return m->ready;
}

/* Returns whether a message is what the general way would take, read without any of the lane's code. */
static bool is_good(const uint8_t *raw, int64_t size, int kind, uint64_t next) {
    static const int widths[] = {1, 2, 4, 8};
    int64_t at = kind == LANE_TCP ? 4 : raw[0] == LONG ? 9 : 2;
    if (size < at) return false;
    for (int part = 0; part < 2; part++) {
        const uint8_t *known = part ? HEAD : (const uint8_t *)"\x99\x01";
        int64_t length = part ? (int64_t)sizeof HEAD - 1 : 2;
        if (size - at < length || memcmp(raw + at, known, (size_t)length)) return false;
        at += length;
        uint64_t value = 0;
        if (at >= size) return false;
        if (raw[at] >= 0x80) {
            if (raw[at] < 0xcc || raw[at] > 0xcf) return false;
            int width = widths[raw[at] - 0xcc];
            if (size - at <= width) return false;
            for (int k = 1; k <= width; k++) value = value * 256 + raw[at + k];
            at += width;
        } else {
            value = raw[at];
        }
        at++;
        if (part && value && value != next) return false;
    }
    int64_t length = (int64_t)sizeof MIDDLE - 1;
    return size - at == length + 8 * TAKES && !memcmp(raw + at, MIDDLE, (size_t)length);
}

static void fuzz_bytes(long rounds) {
    lane_member members[] = {member(-1, LANE_TCP), member(-1, LANE_ZMTP)};
    lane_state lane = {.members = members, .count = 2, .next = 77};
    uint8_t raw[4096];
    long taken = 0;
    for (long k = 0; k < rounds; k++) {
        lane_member *m = members + k % 2;
        int64_t size = request(raw, (int)m->kind, random_number() >> random_number() % 64, k % 3 ? 0 : 77);
        int64_t whole = size;
        bool is_whole = k % 5 == 0;
        if (!is_whole) mutate(raw, &size, (int64_t)sizeof raw);
        bool is_taken = offer(&lane, m, raw, size);
        assert(!is_whole || (is_taken && size == whole));
        assert(!is_taken || is_good(raw, size, (int)m->kind, 77));
        taken += is_taken;
    }
    for (int kind = 0; kind < 2; kind++)
        for (int64_t cut = 0; cut < request(raw, kind, 300, 77); cut++) { /* cut at every byte */
            assert(!offer(&lane, members + kind, raw, cut));
            assert(members[kind].have == cut);
        }
    printf("%ld messages, %ld taken in\n", rounds, taken);
}

/* Sends hostile bytes through sockets to a lane whose physics answers at once with records that may be hostile, too. */
static void fuzz_sockets(long rounds) {
    uint64_t *words = calloc(2048, 8);
    uint8_t *ring = calloc(1, 4096);
    double *rows = calloc(ROWS, 8);
    int64_t wanted = 0;
    int32_t member_of[64], *others = exactly(NULL, 2 * LANE_EVENTS * sizeof(int32_t));
    int ends[2][2], pipes[2][2], epoll = epoll_create1(0);
    assert(words && ring && rows && !pipe(pipes[0]) && !pipe(pipes[1]));
    memset(member_of, -1, sizeof member_of);
    lane_member members[2];
    for (int k = 0; k < 2; k++) {
        assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends[k]) && ends[k][0] < 64);
        members[k] = member(ends[k][0], k);
        member_of[ends[k][0]] = k;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[k][0]};
        assert(!epoll_ctl(epoll, EPOLL_CTL_ADD, ends[k][0], &event));
    }
    lane_state lane = {.epoll = epoll, .permit = pipes[0][1], .woken = pipes[1][0], .members = members, .count = 2,
        .member_of = member_of, .descriptors = 64, .words = words, .w_version = 8, .w_generation = 10, .w_permits = 16,
        .w_sleeps = 17, .w_watches = 18, .w_begun = 21, .w_begun_at = 22, .w_tail = 4, .ring = ring, .ring_size = 4096,
        .rows = rows, .generation = 1, .lockstep = 1, .reading_size = GIVES, .wanted = &wanted, .others = others};
    long steps = 0;
    for (long k = 0; k < rounds; k++) {
        uint64_t next = 1 + random_number() % 1000, *header = (uint64_t *)(void *)(ring + (words[22] = 8 * (random_number() % 512)) % 4096);
        if (words[22] + 24 * 8 <= 4096) {
            header[R_SIZE] = HEADER_BYTES + 8 * (13 * 2 + GIVES + 8), header[R_TICK] = next, header[R_GENERATION] = 1;
            header[R_MODE] = 1, header[R_FLAGS] = 0, header[R_BODIES] = 2, header[R_READINGS] = GIVES;
            header[R_EDITS] = header[R_KEYFRAME] = header[R_LAYOUT] = 0;
            if (random_number() % 2) header[random_number() % 18] = random_number() >> random_number() % 64;
        }
        for (int who = 0; who < 2; who++) {
            uint8_t raw[4096];
            int64_t size = request(raw, who, random_number(), next);
            if (random_number() % 4 == 0) mutate(raw, &size, 600);
            ssize_t sent = write(ends[who][1], raw, (size_t)size);
            assert(sent == size);
        }
        words[21] = random_number() % 8 ? words[21] : 0;
        lane.next = next, lane.until = now() + MS, wanted = 1, lane.is_single = 1;
        for (int who = 0; who < 2; who++) members[who].have = members[who].ready = 0;
        wanted = random_number() % 2; /* without a tick: physics is slow, or somebody waits */
        lane_run(&lane);
        if (lane.ready == 2) { /* the record is there: what a tick would have shown */
            const uint8_t *values = readings(&lane);
            for (int who = 0; values && who < 2; who++) values = pack(&lane, members + who, values) ? values : NULL;
            if (values) steps++, send_all(&lane);
        }
        char drain[8192];
        for (int who = 0; who < 2; who++) {
            while (recv(ends[who][1], drain, sizeof drain, MSG_DONTWAIT) > 0) continue;
            while (recv(ends[who][0], drain, sizeof drain, MSG_DONTWAIT) > 0) continue;
        }
    }
    printf("%ld steps by sockets, %ld answered\n", rounds, steps);
}

/* Memory goes with the process. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }

int main(int count, char **arguments) {
    long rounds = count > 1 ? strtol(arguments[1], NULL, 10) : 100000;
    fuzz_bytes(rounds);
    fuzz_sockets(1 + rounds / 1000);
    return 0;
}
