/* Hostile bytes for the lane: built with -fsanitize=address,undefined by tests/unit/server, run with a number of rounds.
 * Whatever comes, it must neither read nor write where it may not, and take in nothing but what was learned. */
#define _GNU_SOURCE
#include "../../coopsim/lane/bytes.c"
#include "../../coopsim/lane/forms.c"
#include "../../coopsim/lane/frames.c"
#include "../../coopsim/lane/lane.c"
#include "../../coopsim/lane/tick.c"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define TAKES 4
#define GIVES 5
#define ROWS 16
#define FORMS 6
#define STEP (FORMS - 1) /* the form of a STEP comes last */
#define PART FORMS       /* known to members of fuzz_parts alone */
#define NEXT 77

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

/* Robot k is driven by member k: by STEP, by SET with binary values and with packed ones; and readings, and a ping. */
static const struct {
    int64_t kind, is_binary, takes, gives;
    const char *head, *middle, *end, *reply;
    int64_t middle_size, reply_size, begin;
} KNOWN[FORMS + 1] = {
    {LANE_SET, 1, 2, 0, "\xa7/motors", "\x00\xa0\x0a\x90\xc4\x10", "", "\x00\xa0\x0a\x90\xc4\x00", 6, 6, 0x99},
    {LANE_SET, 0, 2, 0, "\xa7/motors", "\x00\xa0\x0a\x90\x92", "\x07", "\x00\xa0\x0a\x90\x90", 5, 5, 0x9a},
    {LANE_READ, 0, 0, GIVES, "\xa7/sonars", "\x00\xa0\x0a\x90\x90", "", "\x00\xa0\x0a\x90\x95", 5, 5, 0x99},
    {LANE_READ, 1, 0, GIVES, "\xa7/sonars", "\x00\xa0\x0a\x90\xc4\x00", "", "\x00\xa0\x0a\x90\xc4\x28", 6, 6, 0x99},
    {LANE_PING, 0, 0, 2, "\xaa/sim/clock", "\x00\xa0\x00\x90\x90", "\xcd\x01\x00", "\x00\xa0\x00\x92\xa5""clock\x07\x92", 5, 12, 0x9a},
    {LANE_STEP, 1, TAKES, GIVES, "\xa9/sim/step", "\x00\xa0\x0b\x92\x01\xa6robot1\xc4\x20", "", "\x00\xa0\x0b\x91\x01\xc4\x28", 14, 7, 0x99},
    {LANE_PART, 1, TAKES, GIVES, "\xa9/sim/step", "\x00\xa0\x12\x92\x01\xa6robot2\xc4\x20", "", "\x00\xa0\x12\x91\x01\xc4\x28", 14, 7, 0x99},
};
static const double LOWS[] = {-8, -8, -8, -8}, HIGHS[] = {8, 8, 8, 8};

static size_t text_size(const char *text) { return strlen(text) + (text[0] == '\xcd' ? 1 : 0); }

static lane_form form(int which, int robot, int64_t *taken) {
    static const int64_t slots[] = {1, 2, 3, 5, 6}, sources[] = {-1, 0, 1, 2, 3}, stamps[] = {0, 4}, gives[] = {0, 1, 2, 3, 4};
    static const int64_t robots[] = {0, 1};
    static const double image[] = {10, 0, 0, 0, 0};
    lane_form f = {.kind = KNOWN[which].kind, .begin = KNOWN[which].begin, .is_binary = KNOWN[which].is_binary};
    f.takes = KNOWN[which].takes, f.gives = KNOWN[which].gives;
    f.head = exactly(KNOWN[which].head, f.head_size = strlen(KNOWN[which].head));
    f.middle = exactly(KNOWN[which].middle, f.middle_size = KNOWN[which].middle_size);
    f.reply = exactly(KNOWN[which].reply, f.reply_size = KNOWN[which].reply_size);
    f.end = exactly(KNOWN[which].end, f.end_size = text_size(KNOWN[which].end));
    f.slots = slots, f.sources = sources, f.stamps = stamps, f.readings = gives, f.image = image, f.robots = robots + robot;
    bool is_command = f.kind <= LANE_SET || f.kind == LANE_PART;
    f.slot_count = is_command ? 1 + f.takes : 0, f.stamp_count = is_command, f.robot_count = is_command;
    if (f.kind == LANE_SET) f.lows = LOWS, f.highs = HIGHS;
    f.taken = taken;
    return f;
}

static lane_member member(int fd, int kind, int64_t *taken) {
    lane_form *forms = exactly(NULL, FORMS * sizeof(lane_form));
    for (int k = 0; k < FORMS; k++) forms[k] = form(k, kind, taken);
    lane_member m = {.fd = fd, .kind = kind, .forms = forms, .form_count = FORMS, .robots = 1, .first = kind, .left = 1, .last = -1};
    m.in_size = 16 + 14 + 9 * TAKES + 64;
    m.in = exactly(NULL, (size_t)m.in_size);
    m.out = exactly(NULL, REPLY_ROOM + 20 + 16 + 12 + 9 * GIVES);
    m.values = exactly(NULL, TAKES * sizeof(double));
    m.numbers = exactly(NULL, sizeof(uint64_t));
    return m;
}

/* Drives robots 0 and 1 by a STEP after a PART, and says nothing else. */
static lane_member member_in_parts(int fd, int64_t *taken) {
    lane_member m = member(fd, LANE_ZMTP, taken);
    lane_form *forms = exactly(NULL, 2 * sizeof(lane_form));
    forms[0] = form(PART, 1, taken), forms[1] = form(STEP, 0, taken);
    forms[1].values_before = TAKES;
    m.forms = forms, m.form_count = 2, m.robots = 2, m.first = 0, m.left = 2, m.parts = 1;
    m.in_size *= 2;
    m.in = exactly(NULL, (size_t)m.in_size);
    m.values = exactly(NULL, 2 * TAKES * sizeof(double));
    m.numbers = exactly(NULL, 2 * sizeof(uint64_t));
    return m;
}

static int64_t put(uint8_t *raw, int64_t at, const void *part, int64_t size) {
    memcpy(raw + at, part, (size_t)size);
    return at + size;
}

/* Packs a message of a form with its frame; returns its length. */
static int64_t request(uint8_t *raw, int kind, int which, uint64_t number, uint64_t tick) {
    int64_t begin = kind == LANE_TCP ? TCP_HEAD : SHORT_HEAD, at = begin;
    raw[at++] = (uint8_t)KNOWN[which].begin, raw[at++] = VERSION;
    at = put_uint(raw, at, number);
    at = put(raw, at, KNOWN[which].head, (int64_t)strlen(KNOWN[which].head));
    at = put_uint(raw, at, tick);
    at = put(raw, at, KNOWN[which].middle, KNOWN[which].middle_size);
    for (int k = 0; k < KNOWN[which].takes; k++) {
        double value = 0.5 + k;
        if (KNOWN[which].is_binary) at = put(raw, at, &value, 8);
        else if (random_number() % 2) at = put_number(raw, at, value);
        else at = put_uint(raw, at, random_number() % 8);
    }
    at = put(raw, at, KNOWN[which].end, (int64_t)text_size(KNOWN[which].end));
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

/* Lets the last command of each robot count for some ticks, or for none any more, and the next one for some. */
static void set_spans(lane_state *lane, int64_t *periods) {
    for (int64_t robot = 0; robot < lane->robots; robot++) {
        lane->spans[robot].first = lane->next - random_number() % 3;
        lane->spans[robot].last = lane->next + random_number() % 4 - 2;
        periods[robot] = 1 + (int64_t)(random_number() % 4);
    }
}

/* Gives a member bytes as if they had come by its socket, cut anywhere; returns whether all were taken in. */
static bool offer(lane_state *lane, lane_member *m, const uint8_t *raw, int64_t size) {
    begin_step(lane);
    m->have = m->kept = m->scanned = lane->unsent = 0, m->held = NULL, lane->busy = 1;
    for (int64_t at = 0; at < size;) {
        int64_t rest = size - at, piece = 1 + (int64_t)(random_number() % (uint64_t)rest), room = m->in_size - m->have;
        if (m->held || room <= 0) return false;
        piece = piece < room ? piece : room;
        memcpy(m->in + m->have, raw + at, (size_t)piece);
        lane->busy = 1;
        m->have += piece, at += piece;
        if (!take(lane, m)) return false;
    }
    return true;
}

/* Returns where a number ends whose form is learned by nobody but this function, -1 for none. */
static int64_t past_number(const uint8_t *raw, int64_t at, int64_t size, bool is_whole, uint64_t *value) {
    static const int widths[] = {1, 2, 4, 8};
    *value = 0;
    if (at >= size) return -1;
    if (raw[at] < 0x80) return *value = raw[at], at + 1;
    if (!is_whole && raw[at] == 0xcb) return size - at < 9 ? -1 : at + 9;
    if (!is_whole && raw[at] >= 0xe0) return at + 1;
    if (raw[at] < 0xcc || raw[at] > 0xcf || size - at <= widths[raw[at] - 0xcc]) return -1;
    for (int k = 1; k <= widths[raw[at] - 0xcc]; k++) *value = *value * 256 + raw[at + k];
    return at + 1 + widths[raw[at] - 0xcc];
}

/* Returns whether a message has a form, read without any of the lane's code. */
static bool is_good(const uint8_t *raw, int64_t at, int64_t size, int which) {
    uint64_t value;
    int64_t head = (int64_t)strlen(KNOWN[which].head), middle = KNOWN[which].middle_size;
    if (size - at < 2 || raw[at] != KNOWN[which].begin || raw[at + 1] != 1) return false;
    if ((at = past_number(raw, at + 2, size, true, &value)) < 0) return false;
    if (size - at < head || memcmp(raw + at, KNOWN[which].head, (size_t)head)) return false;
    if ((at = past_number(raw, at + head, size, true, &value)) < 0) return false;
    if (KNOWN[which].kind <= LANE_SET && value && value != NEXT) return false;
    if (size - at < middle || memcmp(raw + at, KNOWN[which].middle, (size_t)middle)) return false;
    at += middle;
    for (int k = 0; k < KNOWN[which].takes && at >= 0; k++)
        at = KNOWN[which].is_binary ? at + 8 : past_number(raw, at, size, false, &value);
    int64_t end = (int64_t)text_size(KNOWN[which].end);
    return at >= 0 && size - at == end && !memcmp(raw + at, KNOWN[which].end, (size_t)end);
}

static bool is_any(const uint8_t *raw, int64_t size, int kind) {
    int64_t begin = kind == LANE_TCP ? 4 : raw[0] == LONG ? 9 : 2;
    for (int which = 0; which < FORMS; which++)
        if (is_good(raw, begin, size, which)) return true;
    return false;
}

static void fuzz_bytes(long rounds) {
    int64_t taken = 0, commanded[3] = {0}, periods[3] = {1, 1, 1}, drains[2][2];
    lane_span spans[3] = {{0, 0}};
    double *readings = exactly(NULL, GIVES * 8), *rows = calloc(ROWS, 8);
    uint64_t *words = calloc(64, 8);
    memset(readings, 0, GIVES * 8);
    lane_member members[3] = {[2] = {.fd = -1, .robots = 1, .first = 2}}; /* of which one never says a word */
    for (int k = 0; k < 2; k++) {
        int ends[2];
        assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        drains[k][0] = ends[1], members[k] = member(ends[0], k, &taken);
    }
    lane_state lane = {.members = members, .count = 3, .next = NEXT, .commanded = commanded, .periods = periods, .spans = spans, .robots = 3,
        .words = words, .w_version = 8, .w_generation = 10, .w_tail = 4, .rows = rows, .readings = (uint8_t *)readings,
        .position = UINT64_MAX};
    uint8_t raw[4096], drain[4096];
    long whole_ones = 0;
    for (long k = 0; k < rounds; k++) {
        lane_member *m = members + k % 2;
        int which = (int)(random_number() % FORMS);
        int64_t size = request(raw, (int)m->kind, which, random_number() >> random_number() % 64, k % 3 ? 0 : NEXT), before = taken;
        int64_t whole = size;
        bool is_whole = k % 5 == 0;
        if (!is_whole) mutate(raw, &size, (int64_t)sizeof raw);
        set_spans(&lane, periods);
        spans[2].last = 0;
        bool is_all = offer(&lane, m, raw, size), is_taken = m->held || taken > before;
        assert(!is_whole || (is_all && is_taken && size == whole));
        if (is_all && is_taken && !m->have) assert(is_any(raw, size, (int)m->kind));
        if (m->held) assert(m->held->kind == LANE_STEP || (m->held->kind == LANE_READ && spans[k % 2].last >= NEXT));
        if (m->held) assert(is_any(raw, m->have, (int)m->kind));
        whole_ones += is_taken;
        while (recv((int)drains[k % 2][0], drain, sizeof drain, MSG_DONTWAIT) > 0) continue;
    }
    for (int kind = 0; kind < 2; kind++)
        for (int which = 0; which < FORMS; which++) { /* cut at every byte */
            int64_t whole = request(raw, kind, which, 300, NEXT);
            for (int64_t cut = 1; cut < whole; cut++) {
                assert(offer(&lane, members + kind, raw, cut));
                assert(members[kind].have == cut && !members[kind].held);
            }
        }
    printf("%ld messages, %ld taken in\n", rounds, whole_ones);
}

/* Offers STEPs in parts, whole, cut and changed: they are held as a whole, or not at all. */
static void fuzz_parts(long rounds) {
    int64_t taken = 0, commanded[3] = {0}, periods[3] = {1, 1, 1};
    lane_span spans[3] = {{0, 0}};
    uint64_t *words = calloc(64, 8);
    double *readings = calloc(GIVES, 8), *rows = calloc(ROWS, 8);
    int ends[2];
    assert(words && readings && rows && !socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    lane_member members[2] = {member_in_parts(ends[0], &taken), {.fd = -1, .robots = 1, .first = 2}}, *m = members;
    lane_state lane = {.members = members, .count = 2, .next = NEXT, .commanded = commanded, .periods = periods, .spans = spans,
        .robots = 3, .words = words, .w_version = 8, .w_generation = 10, .w_tail = 4, .rows = rows,
        .readings = (uint8_t *)readings, .position = UINT64_MAX};
    uint8_t raw[4096];
    long held = 0;
    for (long k = 0; k < rounds; k++) {
        int first = random_number() % 4 ? PART : STEP, second = random_number() % 4 ? STEP : PART;
        uint64_t number = random_number() >> random_number() % 64;
        int64_t size = request(raw, LANE_ZMTP, first, 7, 0), middle = size;
        size += request(raw + size, LANE_ZMTP, second, number, NEXT);
        int64_t whole = size;
        bool is_whole = k % 3 == 0;
        if (!is_whole) mutate(raw, &size, (int64_t)sizeof raw);
        bool is_all = offer(&lane, m, raw, size), is_right = first == PART && second == STEP;
        if (is_whole) assert((m->held && is_all) == is_right);
        if (is_whole && is_right) assert(m->have == whole && m->numbers[0] == 7 && m->numbers[1] == number && lane.missing == 1);
        if (!m->held) continue;
        assert(m->held == m->forms + 1 && m->kept == 1 && m->scanned <= m->have);
        assert(is_good(raw, SHORT_HEAD, m->scanned, PART) && is_good(raw, m->scanned + SHORT_HEAD, m->have, STEP));
        m->due = 0, m->answered = 0, lane.readings = (uint8_t *)readings;
        held++;
        assert(is_right || middle != m->scanned);
        assert(pack_step(&lane, m) && m->answered == 1 && m->number == m->numbers[1]);
        while (recv(ends[1], raw, sizeof raw, MSG_DONTWAIT) > 0) continue;
    }
    printf("%ld steps in parts, %ld held\n", rounds, held);
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
    int64_t taken = 0, commanded[2], periods[2];
    lane_span spans[2];
    double *first = calloc(GIVES, 8);
    for (int k = 0; k < 2; k++) {
        assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends[k]) && ends[k][0] < 64);
        members[k] = member(ends[k][0], k, &taken);
        member_of[ends[k][0]] = k;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[k][0]};
        assert(!epoll_ctl(epoll, EPOLL_CTL_ADD, ends[k][0], &event));
    }
    lane_state lane = {.epoll = epoll, .permit = pipes[0][1], .woken = pipes[1][0], .members = members, .count = 2,
        .member_of = member_of, .descriptors = 64, .words = words, .w_version = 8, .w_generation = 10, .w_permits = 16,
        .w_sleeps = 17, .w_watches = 18, .w_crowded = 23, .w_begun = 21, .w_begun_at = 22, .w_tail = 4, .ring = ring, .ring_size = 4096,
        .rows = rows, .generation = 1, .lockstep = 1, .reading_size = GIVES, .wanted = &wanted, .others = others,
        .commanded = commanded, .periods = periods, .spans = spans, .robots = 2};
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
            for (int64_t times = 1 + (int64_t)(random_number() % 3); times; times--) {
                int64_t size = request(raw, who, (int)(random_number() % FORMS), random_number(), random_number() % 2 ? 0 : next);
                if (random_number() % 4 == 0) mutate(raw, &size, 600);
                ssize_t sent = write(ends[who][1], raw, (size_t)size);
                assert(sent == size);
            }
        }
        words[21] = random_number() % 8 ? words[21] : 0;
        lane.next = next, lane.until = now() + MS, lane.is_single = 1;
        lane.readings = (uint8_t *)first, lane.position = UINT64_MAX;
        set_spans(&lane, periods);
        for (int who = 0; who < 2; who++) {
            members[who].have = members[who].kept = members[who].scanned = members[who].out_at = members[who].out_end = 0;
            members[who].held = random_number() % 4 ? NULL : members[who].forms + STEP; /* a STEP that is answered later */
            members[who].due = next + random_number() % 3;
        }
        lane.is_granted = random_number() % 8 == 0, lane.seen = words[21] - random_number() % 2;
        wanted = random_number() % 2; /* without a tick: physics is slow, or somebody waits */
        lane.is_crowded = random_number() % 2;
        int64_t outcome = lane_run(&lane);
        assert(!words[23]);
        assert((outcome == LANE_GRANTED) == (lane.is_granted != 0));
        if (lane.is_granted) { /* the record is there: what a tick would have shown */
            bool is_all = true;
            lane.seen = words[21] - 1;
            wanted = 0;
            steps += end_step(&lane, &is_all) == LANE_OVER;
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
    fuzz_parts(rounds / 4);
    fuzz_sockets(1 + rounds / 1000);
    return 0;
}
