/* Hostile replies for a client's exchange: built with -fsanitize=address,undefined by tests/unit/client, run with a number of
 * rounds. Whatever a server sends, in whatever pieces: it must neither read nor write where it may not, take in nothing but the
 * reply that is expected, and hand back every byte of anything else that it received. */
#define _GNU_SOURCE
#include "../../coopsim/lane/bytes.c"
#include "../../coopsim/lane/exchange.c"
#include "../../coopsim/lane/frames.c"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TAKES 3
#define GIVES 40
#define HEAD "\xa9/sim/step"
#define ROOM 4096

static uint64_t seed = 88172645463325252ULL;

static uint64_t random_number(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void *exactly(const void *from, size_t size) { /* beyond its end lies poison */
    void *made = malloc(size);
    assert(made);
    if (from) memcpy(made, from, size);
    return made;
}

static exchange_form form(bool is_binary, int64_t count, bool has_run) {
    exchange_form made = {.is_binary = is_binary, .count = count, .begin_size = 2, .head_size = 10, .middle_size = 6};
    made.begin = exactly(has_run ? "\x9a\x01" : "\x99\x01", 2), made.head = exactly(HEAD, 10);
    made.middle = exactly("\x00\xa0\x0b\x91\x01\xc4", 6);
    made.end = exactly("\x07", 1), made.end_size = has_run;
    made.values = exactly(NULL, (size_t)(8 * count));
    for (int64_t k = 0; k < count; k++) made.values[k] = 0.5 * (double)k;
    return made;
}

static exchange_state exchange(int64_t kind, bool is_binary, bool has_run) {
    exchange_state x = {.kind = kind, .request = form(is_binary, TAKES, has_run), .reply = form(is_binary, GIVES, has_run)};
    x.in_size = LONG_HEAD + 2 + 9 + 10 + 9 + 6 + 9 * GIVES + 1;
    x.in = exactly(NULL, (size_t)x.in_size);
    x.out = exactly(NULL, REPLY_ROOM + 2 + 9 + 10 + 9 + 6 + 9 * TAKES + 1);
    return x;
}

/* What the server does: waits for a request, sends some pieces, and closes. */
typedef struct {
    int fd;
    int64_t asked, size, piece;
    uint8_t raw[ROOM], request[ROOM];
} server;

static void *serve(void *what) {
    server *s = what;
    ssize_t came = 0;
    while (s->asked < 4 && (came = recv(s->fd, s->request, sizeof s->request, 0)) > 0) s->asked += came;
    for (int64_t at = 0; at < s->size;) {
        int64_t size = s->size - at < s->piece ? s->size - at : s->piece;
        if (send(s->fd, s->raw + at, (size_t)size, MSG_NOSIGNAL) != size) break;
        at += size;
        sched_yield();
    }
    shutdown(s->fd, SHUT_WR);
    return NULL;
}

/* Packs the reply that is expected, by none of the functions that read it; returns its length with its frame. */
static int64_t answer(const exchange_state *x, uint8_t *raw, uint64_t number, uint64_t tick) {
    uint8_t body[ROOM];
    int64_t at = put_part(body, 0, x->reply.begin, 2);
    at = put_part(body, put_uint(body, at, number), x->reply.head, 10);
    at = put_part(body, put_uint(body, at, tick), x->reply.middle, 6);
    for (int64_t k = 0; k < GIVES; k++) {
        double value = 1000.0 + (double)k;
        if (x->reply.is_binary) memcpy(body + at, &value, 8), at += 8;
        else at = put_number(body, at, value);
    }
    at = put_part(body, at, x->reply.end, x->reply.end_size);
    int64_t head = x->kind == LANE_TCP ? 4 : at < 256 ? 2 : 9;
    for (int64_t k = 0; k < head; k++) raw[k] = (uint8_t)(k + 4 < head ? 0 : (uint64_t)at >> 8 * (head - 1 - k));
    if (x->kind == LANE_ZMTP) raw[0] = head == 9 ? LONG : 0;
    memcpy(raw + head, body, (size_t)at);
    return head + at;
}

static void mutate(uint8_t *raw, int64_t *size) {
    static const uint8_t hostile[] = {0, 1, 2, 4, 0x7f, 0x80, 0x90, 0xc4, 0xc6, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xdf, 0xff};
    for (uint64_t times = 1 + random_number() % 4; times; times--) {
        int64_t most = random_number() % 2 ? *size : *size < 48 ? *size : 48, at = most ? (int64_t)(random_number() % (uint64_t)most) : 0;
        switch (random_number() % 6) {
            case 0: raw[at] = hostile[random_number() % sizeof hostile]; break;
            case 1: raw[at] ^= (uint8_t)(1 << random_number() % 8); break;
            case 2: *size = at; break;
            case 3: memset(raw + at, 0xff, (size_t)(*size - at < 8 ? *size - at : 8)); break; /* endless, or no number */
            case 4: /* the same once more */
                if (2 * *size <= ROOM) memcpy(raw + *size, raw, (size_t)*size), *size *= 2;
                break;
            default:
                while (*size < ROOM && random_number() % 8) raw[(*size)++] = (uint8_t)random_number();
        }
    }
}

/* Makes an exchange with a server of its own; returns whether the reply was taken for the one that is expected. */
static bool talk(exchange_state *x, server *s, uint64_t number, uint64_t stamp) {
    int ends[2];
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    pthread_t thread;
    s->fd = ends[1], s->asked = 0;
    assert(!pthread_create(&thread, NULL, serve, s));
    x->fd = ends[0], x->number = number, x->tick = stamp;
    int64_t outcome = exchange_run(x);
    assert(outcome >= 0 || outcome == EXCHANGE_SENT);
    assert(x->have >= 0 && x->have <= x->in_size && (outcome < 0 || !x->have) && !x->gone);
    if (outcome < 0) assert(x->have <= s->size && !memcmp(x->in, s->raw, (size_t)x->have));
    if (outcome < 0 && s->size) assert(x->have);
    shutdown(ends[0], SHUT_RDWR); /* the server may still be sending */
    assert(!pthread_join(thread, NULL));
    close(ends[0]), close(ends[1]);
    return outcome >= 0;
}

int main(int count, char **arguments) {
    long rounds = count > 1 ? strtol(arguments[1], NULL, 10) : 10000, taken = 0, changed = 0;
    exchange_state made[8];
    for (int k = 0; k < 8; k++) made[k] = exchange(k & 1 ? LANE_ZMTP : LANE_TCP, k & 2, k & 4);
    server *s = exactly(NULL, sizeof *s);
    for (long k = 0; k < rounds; k++) {
        exchange_state *x = made + k % 8;
        uint64_t number = random_number() >> random_number() % 64, tick = random_number() >> (1 + random_number() % 63);
        uint8_t whole[ROOM];
        int64_t size = answer(x, whole, number, tick);
        memcpy(s->raw, whole, (size_t)size);
        s->size = size, s->piece = random_number() % 3 ? ROOM : 1 + (int64_t)(random_number() % 200);
        bool is_whole = k % 3 == 0, is_other = k % 11 == 1;
        if (is_other) s->size = answer(x, s->raw, number + 1, tick); /* the reply to another request */
        else if (!is_whole) mutate(s->raw, &s->size);
        bool is_taken = talk(x, s, number, k % 2 ? 0 : tick);
        if (is_whole && s->piece == ROOM && !is_other) assert(is_taken && x->tick == tick);
        if (is_other) assert(!is_taken);
        if (is_taken)
            for (int64_t n = 0; n < GIVES; n++) assert(is_finite(x->reply.values[n]));
        bool is_same = s->size == size && !memcmp(s->raw, whole, (size_t)size);
        if (is_taken && is_same) assert(x->reply.values[GIVES - 1] == 1000.0 + GIVES - 1);
        taken += is_taken, changed += is_taken && !is_same;
    }
    printf("%ld replies, %ld taken in, %ld of them changed\n", rounds, taken, changed);
    return 0;
}

/* Memory goes with the process. */
const char *__asan_default_options(void) { return "detect_leaks=0"; }
