#define _POSIX_C_SOURCE 200809L
#include "coopsim_tls.h"
#include "coopsim_values.h"

#include <arpa/inet.h>
#include <errno.h>
#include <msgpack.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { VERSION = 1, FIELDS = 9, LARGEST = 1 << 20, MOST_STATES = 64, MOST_ELSEWHERE = 64 };
enum { PING = 0, ELSEWHERE = 207, WRONG_RUN = 208 };

typedef struct {
    int socket;
    coopsim_tls *tls; /* over the socket, where there are keys */
    void *context, *dealer; /* of ZeroMQ, which has no socket of that kind */
    char *inbox; /* room for the largest message behind its length */
    size_t filled;
    double patience; /* of one recv [s] */
    char host[256], target[257]; /* of a module that is served elsewhere */
} connection;

struct coopsim_client {
    char address[300], own[1024], server[1024]; /* files of keys, "" = none are needed */
    connection main, elsewhere[MOST_ELSEWHERE];
    int n_elsewhere, n_states;
    coopsim_message states[MOST_STATES];
    double timeout;
    uint64_t number, run;
};

static _Thread_local char problem[1200];

int coopsim_fail(int outcome, const char *form, ...) {
    va_list values;
    va_start(values, form);
    vsnprintf(problem, sizeof problem, form, values);
    va_end(values);
    return outcome;
}

const char *coopsim_problem(void) { return problem; }

void coopsim_die(coopsim_client *sim) {
    fprintf(stderr, "%s\n", problem);
    if (sim != NULL) coopsim_close(sim);
    exit(1);
}

/* ---- messages and their bytes ---- */

coopsim_param coopsim_text(const char *text) {
    return (coopsim_param){.type = COOPSIM_TEXT, .text = text, .length = strlen(text)};
}

coopsim_param coopsim_whole(int64_t value) {
    return (coopsim_param){.type = value < 0 ? COOPSIM_INT : COOPSIM_UINT, .whole = (uint64_t)value};
}

coopsim_param coopsim_float(double value) { return (coopsim_param){.type = COOPSIM_FLOAT, .value = value}; }

static void pack_text(msgpack_packer *out, const char *text, size_t length) {
    msgpack_pack_str(out, length);
    msgpack_pack_str_body(out, text, length);
}

static void pack_param(msgpack_packer *out, const coopsim_param *param) {
    switch (param->type) {
        case COOPSIM_UINT: msgpack_pack_uint64(out, param->whole); break;
        case COOPSIM_INT: msgpack_pack_int64(out, (int64_t)param->whole); break;
        case COOPSIM_FLOAT: msgpack_pack_double(out, param->value); break;
        case COOPSIM_TEXT: pack_text(out, param->text, param->length); break;
    }
}

char *coopsim_encode(const coopsim_message *message, size_t *size) {
    msgpack_sbuffer buffer;
    msgpack_packer out;
    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&out, &buffer, msgpack_sbuffer_write);
    msgpack_pack_array(&out, FIELDS + (message->run > 0));
    msgpack_pack_int(&out, VERSION);
    msgpack_pack_uint64(&out, message->id);
    pack_text(&out, message->target, strlen(message->target));
    msgpack_pack_uint64(&out, message->tick);
    msgpack_pack_uint64(&out, message->error);
    pack_text(&out, message->text ? message->text : "", message->text ? strlen(message->text) : 0);
    msgpack_pack_uint64(&out, message->command);
    msgpack_pack_array(&out, message->n_params);
    for (size_t place = 0; place < message->n_params; place++) pack_param(&out, &message->params[place]);
    msgpack_pack_bin(&out, sizeof(double) * message->n_data);
    if (message->n_data > 0) msgpack_pack_bin_body(&out, message->data, sizeof(double) * message->n_data);
    if (message->run > 0) msgpack_pack_uint64(&out, message->run);
    *size = buffer.size;
    return msgpack_sbuffer_release(&buffer);
}

static bool is_uint(const msgpack_object *object) { return object->type == MSGPACK_OBJECT_POSITIVE_INTEGER; }

static const char *copied(msgpack_zone *zone, const msgpack_object *object) {
    char *text = msgpack_zone_malloc(zone, object->via.str.size + 1);
    memcpy(text, object->via.str.ptr, object->via.str.size);
    text[object->via.str.size] = 0;
    return text;
}

static bool read_param(msgpack_zone *zone, const msgpack_object *from, coopsim_param *to) {
    *to = (coopsim_param){.type = COOPSIM_UINT};
    switch (from->type) {
        case MSGPACK_OBJECT_POSITIVE_INTEGER: to->whole = from->via.u64; return true;
        case MSGPACK_OBJECT_NEGATIVE_INTEGER: *to = coopsim_whole(from->via.i64); return true;
        case MSGPACK_OBJECT_FLOAT32:
        case MSGPACK_OBJECT_FLOAT64: *to = coopsim_float(from->via.f64); return true;
        case MSGPACK_OBJECT_STR:
            *to = (coopsim_param){.type = COOPSIM_TEXT, .text = copied(zone, from), .length = from->via.str.size};
            return true;
        default: return false;
    }
}

static bool read_number(const msgpack_object *from, double *to) {
    switch (from->type) {
        case MSGPACK_OBJECT_POSITIVE_INTEGER: *to = (double)from->via.u64; return true;
        case MSGPACK_OBJECT_NEGATIVE_INTEGER: *to = (double)from->via.i64; return true;
        case MSGPACK_OBJECT_FLOAT32:
        case MSGPACK_OBJECT_FLOAT64: *to = from->via.f64; return true;
        default: return false;
    }
}

static bool read_data(msgpack_zone *zone, const msgpack_object *from, coopsim_message *message) {
    bool is_bin = from->type == MSGPACK_OBJECT_BIN;
    if (!is_bin && from->type != MSGPACK_OBJECT_ARRAY) return false;
    if (is_bin && from->via.bin.size % sizeof(double) != 0) return false;
    message->n_data = is_bin ? from->via.bin.size / sizeof(double) : from->via.array.size;
    double *data = msgpack_zone_malloc(zone, sizeof(double) * message->n_data + 1);
    message->data = data;
    if (is_bin) memcpy(data, from->via.bin.ptr, from->via.bin.size); /* little-endian, as this machine */
    for (size_t place = 0; !is_bin && place < message->n_data; place++)
        if (!read_number(&from->via.array.ptr[place], &data[place])) return false;
    return true;
}

static bool read_fields(msgpack_unpacked *memory, coopsim_message *message) {
    const msgpack_object *fields = memory->data.via.array.ptr;
    if (memory->data.type != MSGPACK_OBJECT_ARRAY || memory->data.via.array.size < FIELDS) return false;
    if (!is_uint(&fields[0]) || fields[0].via.u64 != VERSION || !is_uint(&fields[1]) || !is_uint(&fields[3])) return false;
    if (!is_uint(&fields[4]) || !is_uint(&fields[6]) || fields[7].type != MSGPACK_OBJECT_ARRAY) return false;
    if (fields[2].type != MSGPACK_OBJECT_STR || fields[5].type != MSGPACK_OBJECT_STR) return false;
    message->id = fields[1].via.u64;
    message->tick = fields[3].via.u64;
    message->error = fields[4].via.u64;
    message->command = fields[6].via.u64;
    message->target = copied(memory->zone, &fields[2]);
    message->text = copied(memory->zone, &fields[5]);
    message->n_params = fields[7].via.array.size;
    coopsim_param *params = msgpack_zone_malloc(memory->zone, sizeof *params * message->n_params + 1);
    message->params = params;
    for (size_t place = 0; place < message->n_params; place++)
        if (!read_param(memory->zone, &fields[7].via.array.ptr[place], &params[place])) return false;
    return read_data(memory->zone, &fields[8], message);
}

int coopsim_decode(const char *raw, size_t size, coopsim_message *message) {
    coopsim_free(message);
    msgpack_unpacked *memory = malloc(sizeof *memory);
    msgpack_unpacked_init(memory);
    message->memory = memory;
    if (msgpack_unpack_next(memory, raw, size, NULL) == MSGPACK_UNPACK_SUCCESS && read_fields(memory, message)) return COOPSIM_OK;
    coopsim_free(message);
    return coopsim_fail(COOPSIM_MALFORMED, "the server sent no message of version %d", VERSION);
}

void coopsim_free(coopsim_message *message) {
    if (message->memory != NULL) {
        msgpack_unpacked_destroy(message->memory);
        free(message->memory);
    }
    memset(message, 0, sizeof *message);
}

/* ---- a connection: messages, each behind its length ---- */

static void end_link(connection *it) {
    coopsim_tls_end(it->tls);
    if (it->socket >= 0) close(it->socket);
    if (it->dealer != NULL) zmq_close(it->dealer);
    if (it->context != NULL) zmq_ctx_term(it->context);
    free(it->inbox);
    *it = (connection){.socket = -1};
}

static bool is_open(const connection *it) { return it->socket >= 0 || it->dealer != NULL; }

static int start_dealer(connection *it, const char *place) {
    char endpoint[300];
    int at_once = 0; /* what is sent before there is a connection waits for it */
    int64_t largest = LARGEST;
    snprintf(endpoint, sizeof endpoint, "tcp://%s", place);
    it->context = zmq_ctx_new();
    it->dealer = zmq_socket(it->context, ZMQ_DEALER);
    zmq_setsockopt(it->dealer, ZMQ_LINGER, &at_once, sizeof at_once);
    zmq_setsockopt(it->dealer, ZMQ_MAXMSGSIZE, &largest, sizeof largest);
    it->inbox = malloc(LARGEST + 4);
    if (zmq_connect(it->dealer, endpoint) == 0) return COOPSIM_OK;
    end_link(it);
    return coopsim_fail(COOPSIM_LOST, "%s is no host:port", place);
}

static int start_link(connection *it, const char *address, double timeout) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    bool is_url = strncmp(address, "tcp://", 6) == 0 || strncmp(address, "tls://", 6) == 0;
    const char *place = is_url ? address + 6 : address, *port = strrchr(place, ':');
    *it = (connection){.socket = -1};
    if (strncmp(address, "zmq://", 6) == 0) {
        snprintf(it->host, sizeof it->host, "%.*s", (int)strcspn(address + 6, ":"), address + 6);
        return start_dealer(it, address + 6);
    }
    if (port != NULL) snprintf(it->host, sizeof it->host, "%.*s", (int)(port - place), place);
    if (port == NULL || getaddrinfo(it->host, port + 1, &hints, &found) != 0)
        return coopsim_fail(COOPSIM_LOST, "%s is no host:port", address);
    it->socket = socket(found->ai_family, SOCK_STREAM, 0);
    struct timeval limit = {.tv_sec = (time_t)timeout, .tv_usec = (suseconds_t)(1e6 * (timeout - (double)(time_t)timeout))};
    if (it->socket >= 0) setsockopt(it->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); /* of connect, too */
    int outcome = it->socket < 0 ? -1 : connect(it->socket, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (outcome != 0) {
        coopsim_fail(COOPSIM_LOST, "no simulation at %s: %s", address, strerror(errno));
        end_link(it);
        return COOPSIM_LOST;
    }
    setsockopt(it->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    it->inbox = malloc(LARGEST + 4);
    return COOPSIM_OK;
}

static bool can_write(int socket, double deadline) {
    struct pollfd waiting = {.fd = socket, .events = POLLOUT};
    double left = deadline - coopsim_now();
    return poll(&waiting, 1, left > 0 ? (int)(1000 * left) + 1 : 0) > 0;
}

/* Send a message before a deadline; half of one that did not go in time would make nonsense of all that follow. */
static int send_raw(connection *it, double deadline, const char *raw, size_t size) {
    if (it->dealer != NULL)
        return zmq_send(it->dealer, raw, size, ZMQ_DONTWAIT) >= 0 ? COOPSIM_OK : coopsim_fail(COOPSIM_LOST, "%s", zmq_strerror(zmq_errno()));
    uint32_t length = htonl((uint32_t)size);
    char *framed = malloc(size + 4);
    memcpy(framed, &length, 4);
    memcpy(framed + 4, raw, size);
    size_t sent = 0;
    while (sent < size + 4) {
        ssize_t count = it->tls != NULL ? coopsim_tls_write(it->tls, framed + sent, size + 4 - sent, deadline)
                                        : send(it->socket, framed + sent, size + 4 - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) sent += (size_t)count;
        if (count <= 0 && it->tls != NULL) break;
        if (count <= 0 && errno != EINTR && !(errno == EAGAIN && can_write(it->socket, deadline))) break;
    }
    free(framed);
    if (sent == size + 4) return COOPSIM_OK;
    end_link(it);
    return coopsim_fail(COOPSIM_LOST, "the simulation is gone, or reads nothing");
}

/* Let the next recv end at a deadline, or a tenth later: to say so to the socket costs as much as to read. */
static void wait_until(connection *it, double deadline) {
    double left = deadline - coopsim_now();
    if (left < 1e-6) left = 1e-6; /* 0 waits for ever */
    if (left <= it->patience && left >= 0.9 * it->patience) return;
    it->patience = left;
    struct timeval limit = {.tv_sec = (time_t)left, .tv_usec = (suseconds_t)(1e6 * (left - (double)(time_t)left))};
    if (limit.tv_sec == 0 && limit.tv_usec == 0) limit.tv_usec = 1;
    setsockopt(it->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

static ssize_t received(connection *it, double deadline) {
    char *into = it->inbox + it->filled;
    size_t room = LARGEST + 4 - it->filled;
    if (it->tls != NULL) return coopsim_tls_read(it->tls, into, room, deadline);
    wait_until(it, deadline);
    return recv(it->socket, into, room, 0);
}

static int fill(connection *it, size_t wanted, double deadline) {
    while (it->filled < wanted) {
        ssize_t count = received(it, deadline);
        if (count < 0 && it->tls == NULL && errno == EINTR) continue;
        if (count < 0 && (it->tls != NULL || errno == EAGAIN || errno == EWOULDBLOCK))
            return coopsim_fail(COOPSIM_SILENT, "no reply in time: is the simulation paused, or waiting for another robot?");
        if (count <= 0) return coopsim_fail(COOPSIM_LOST, "the simulation has closed the connection");
        it->filled += (size_t)count;
    }
    return COOPSIM_OK;
}

static int receive_frame(connection *it, double deadline, coopsim_message *message) {
    zmq_pollitem_t waiting = {.socket = it->dealer, .events = ZMQ_POLLIN};
    double left = deadline - coopsim_now();
    if (zmq_poll(&waiting, 1, left > 0 ? (long)(1000 * left) + 1 : 0) <= 0)
        return coopsim_fail(COOPSIM_SILENT, "no reply in time: is there a simulation, is it paused, or waiting for another robot?");
    int length = zmq_recv(it->dealer, it->inbox, LARGEST, 0);
    if (length < 0) return coopsim_fail(COOPSIM_LOST, "%s", zmq_strerror(zmq_errno()));
    coopsim_free(message);
    return length == 0 ? COOPSIM_OK : coopsim_decode(it->inbox, (size_t)length, message);
}

/* Receive the next message; what came of one before the deadline is kept for later. An empty one is a probe: id 0. */
static int receive(connection *it, double deadline, coopsim_message *message) {
    uint32_t length;
    if (!is_open(it)) return coopsim_fail(COOPSIM_LOST, "there is no connection");
    if (it->dealer != NULL) return receive_frame(it, deadline, message);
    int outcome = fill(it, 4, deadline);
    if (outcome != COOPSIM_OK) return outcome;
    memcpy(&length, it->inbox, 4);
    length = ntohl(length);
    if (length > LARGEST) {
        end_link(it);
        return coopsim_fail(COOPSIM_MALFORMED, "the server announced a message of %u bytes", length);
    }
    if ((outcome = fill(it, 4 + (size_t)length, deadline)) != COOPSIM_OK) return outcome;
    coopsim_free(message);
    if (length > 0) outcome = coopsim_decode(it->inbox + 4, length, message);
    it->filled -= 4 + (size_t)length;
    memmove(it->inbox, it->inbox + 4 + length, it->filled); /* what came behind it */
    return outcome;
}

/* ---- a client of one run ---- */

static void keep_state(coopsim_client *sim, coopsim_message *state) {
    if (sim->n_states == MOST_STATES) {
        coopsim_free(&sim->states[0]);
        memmove(sim->states, sim->states + 1, sizeof sim->states[0] * (size_t)--sim->n_states);
    }
    sim->states[sim->n_states++] = *state;
    memset(state, 0, sizeof *state);
}

static int exchange(coopsim_client *sim, connection *it, double deadline, coopsim_message *request, coopsim_message *reply) {
    size_t size;
    request->id = ++sim->number;
    if (!is_open(it)) return coopsim_fail(COOPSIM_LOST, "there is no connection");
    char *raw = coopsim_encode(request, &size);
    int outcome = send_raw(it, deadline, raw, size);
    free(raw);
    while (outcome == COOPSIM_OK) {
        outcome = receive(it, deadline, reply);
        if (outcome == COOPSIM_OK && reply->id == request->id) return outcome;
        if (outcome == COOPSIM_OK && reply->memory != NULL && reply->id == 0) keep_state(sim, reply);
    }
    return outcome;
}

static connection *link_of(coopsim_client *sim, const char *target) {
    for (int place = 0; place < sim->n_elsewhere; place++)
        if (strcmp(sim->elsewhere[place].target, target) == 0) return &sim->elsewhere[place];
    return &sim->main;
}

/* Connect, by TLS where there are keys. */
static int start_secured(coopsim_client *sim, connection *it, const char *address, bool is_secured) {
    double deadline = coopsim_now() + sim->timeout;
    int outcome = start_link(it, address, sim->timeout);
    if (outcome != COOPSIM_OK || !is_secured) return outcome;
    it->tls = coopsim_tls_start(it->socket, sim->own, sim->server, deadline);
    if (it->tls != NULL) return COOPSIM_OK;
    end_link(it);
    return COOPSIM_LOST;
}

/* Connect to where a 207 says that a module is served; NULL with COOPSIM_OK when it says nowhere. Returns an outcome. */
static int follow(coopsim_client *sim, const char *target, const coopsim_message *refusal, connection **there) {
    char address[300];
    *there = NULL;
    if (refusal->n_params < 2 || refusal->params[1].type != COOPSIM_TEXT || refusal->params[1].length == 0) return COOPSIM_OK;
    if (sim->n_elsewhere == MOST_ELSEWHERE) return COOPSIM_OK;
    const char *told = refusal->params[1].text, *everywhere = strstr(told, "0.0.0.0");
    snprintf(address, sizeof address, "%s%s", everywhere ? sim->main.host : told, everywhere ? everywhere + 7 : "");
    connection *it = &sim->elsewhere[sim->n_elsewhere];
    int outcome = start_secured(sim, it, address, sim->own[0] != 0 && strncmp(address, "tls://", 6) == 0);
    if (outcome != COOPSIM_OK) return outcome;
    snprintf(it->target, sizeof it->target, "%s", target);
    sim->n_elsewhere++;
    *there = it;
    return COOPSIM_OK;
}

/* End a connection to a module elsewhere: the next request asks where it is now. */
static void forget(coopsim_client *sim, connection *it) {
    end_link(it);
    *it = sim->elsewhere[--sim->n_elsewhere];
}

int coopsim_ask(coopsim_client *sim, const char *target, uint64_t command, const coopsim_param *params, size_t n_params,
                const double *data, size_t n_data, coopsim_message *reply) {
    return coopsim_ask_within(sim, sim->timeout, target, command, params, n_params, data, n_data, reply);
}

int coopsim_ask_within(coopsim_client *sim, double timeout, const char *target, uint64_t command, const coopsim_param *params,
                       size_t n_params, const double *data, size_t n_data, coopsim_message *reply) {
    double deadline = coopsim_now() + timeout;
    coopsim_message request = {.target = target, .command = command, .params = params, .n_params = n_params,
                               .data = data, .n_data = n_data};
    connection *it = link_of(sim, target), *there = NULL;
    request.run = it == &sim->main ? sim->run : 0;
    int outcome = exchange(sim, it, deadline, &request, reply);
    if (outcome == COOPSIM_OK && reply->error == ELSEWHERE && it == &sim->main) outcome = follow(sim, target, reply, &there);
    if (outcome == COOPSIM_OK && there != NULL) {
        request.run = 0;
        outcome = exchange(sim, it = there, deadline, &request, reply);
    }
    if (it != &sim->main && (outcome == COOPSIM_LOST || outcome == COOPSIM_MALFORMED)) forget(sim, it);
    if (outcome != COOPSIM_OK || reply->error == 0) return outcome;
    return coopsim_fail(COOPSIM_REFUSED, "error %d: %s", (int)reply->error, reply->text);
}

static int send_numbered(coopsim_client *sim, double deadline, coopsim_message request) {
    size_t size;
    request.id = ++sim->number;
    request.run = sim->run;
    if (!is_open(&sim->main)) return coopsim_fail(COOPSIM_LOST, "there is no connection");
    char *raw = coopsim_encode(&request, &size);
    int outcome = send_raw(&sim->main, deadline, raw, size);
    free(raw);
    return outcome;
}

int coopsim_ask_all(coopsim_client *sim, const coopsim_message *requests, size_t count, coopsim_message *replies) {
    double deadline = coopsim_now() + sim->timeout;
    uint64_t first = sim->number + 1;
    int outcome = COOPSIM_OK;
    coopsim_message message = {0};
    for (size_t place = 0; place < count; place++) coopsim_free(&replies[place]);
    for (size_t place = 0; outcome == COOPSIM_OK && place < count; place++) outcome = send_numbered(sim, deadline, requests[place]);
    for (size_t left = count; outcome == COOPSIM_OK && left > 0;) {
        outcome = receive(&sim->main, deadline, &message);
        if (outcome != COOPSIM_OK || message.memory == NULL) continue;
        if (message.id == 0) keep_state(sim, &message);
        if (message.id < first || message.id - first >= count || replies[message.id - first].memory != NULL) continue;
        replies[message.id - first] = message;
        message = (coopsim_message){0};
        left--;
    }
    coopsim_free(&message);
    for (size_t place = 0; outcome == COOPSIM_OK && place < count; place++)
        if (replies[place].error != 0) outcome = coopsim_fail(COOPSIM_REFUSED, "error %d: %s", (int)replies[place].error, replies[place].text);
    return outcome;
}

int coopsim_state(coopsim_client *sim, coopsim_message *state) {
    double deadline = coopsim_now() + sim->timeout;
    int outcome = COOPSIM_OK;
    while (sim->n_states == 0 && outcome == COOPSIM_OK) {
        outcome = receive(&sim->main, deadline, state);
        if (outcome == COOPSIM_OK && state->memory != NULL && state->id == 0) return outcome;
    }
    if (outcome != COOPSIM_OK) return outcome;
    coopsim_free(state);
    *state = sim->states[0];
    memmove(sim->states, sim->states + 1, sizeof sim->states[0] * (size_t)--sim->n_states);
    return COOPSIM_OK;
}

uint64_t coopsim_run(const coopsim_client *sim) { return sim->run; }

/* Connect, and learn the run: from now on another one refuses what is meant for this one. */
static int open_client(coopsim_client *sim) {
    coopsim_message reply = {0};
    sim->run = 0;
    int outcome = start_secured(sim, &sim->main, sim->address, sim->own[0] != 0);
    if (outcome == COOPSIM_OK) outcome = coopsim_ask(sim, "/sim/clock", PING, NULL, 0, NULL, 0, &reply);
    if (outcome == COOPSIM_OK && reply.n_params > 1) sim->run = reply.params[1].whole;
    coopsim_free(&reply);
    return outcome;
}

static void end_all(coopsim_client *sim) {
    end_link(&sim->main);
    for (int place = 0; place < sim->n_elsewhere; place++) end_link(&sim->elsewhere[place]);
    for (int place = 0; place < sim->n_states; place++) coopsim_free(&sim->states[place]);
    sim->n_elsewhere = sim->n_states = 0;
}

coopsim_client *coopsim_connect(const char *address, double timeout) { return coopsim_connect_keys(address, timeout, "", ""); }

coopsim_client *coopsim_connect_keys(const char *address, double timeout, const char *own, const char *server) {
    coopsim_client *sim = calloc(1, sizeof *sim);
    if (address == NULL) address = getenv("COOPSIM_TCP");
    snprintf(sim->address, sizeof sim->address, "%s", address == NULL ? "127.0.0.1:5571" : address);
    snprintf(sim->own, sizeof sim->own, "%s", own);
    snprintf(sim->server, sizeof sim->server, "%s", server);
    sim->timeout = timeout;
    if (open_client(sim) == COOPSIM_OK) return sim;
    coopsim_close(sim);
    return NULL;
}

int coopsim_reconnect(coopsim_client *sim, uint64_t *there) {
    uint64_t run = sim->run;
    end_all(sim);
    int outcome = open_client(sim);
    if (there != NULL) *there = sim->run;
    bool is_another = outcome == COOPSIM_OK && sim->run != run;
    sim->run = run;
    if (outcome != COOPSIM_OK || is_another) end_all(sim);
    return is_another ? coopsim_fail(COOPSIM_REFUSED, "error %d: another run is at %s", WRONG_RUN, sim->address) : outcome;
}

void coopsim_close(coopsim_client *sim) {
    end_all(sim);
    free(sim);
}
