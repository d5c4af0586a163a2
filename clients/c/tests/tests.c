/* Tests that need no simulation: a server that this file plays answers. Ends with the number of what failed. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../coopsim_errors.h"
#include "../coopsim_events.h"
#include "../coopsim_json.h"
#include "../coopsim_modules.h"

typedef void (*answer)(const coopsim_message *request, coopsim_message *reply);

typedef struct {
    int listener;
    answer say;
    coopsim_message asked; /* last, but for PING */
} server;

static int failures;

static void expect(int is_right, const char *what) {
    if (!is_right) printf("failed: %s (%s)\n", what, coopsim_problem());
    failures += !is_right;
}

static int receive_all(int socket, void *to, size_t size) { return recv(socket, to, size, MSG_WAITALL) == (ssize_t)size; }

static void *serve(void *given) {
    server *it = given;
    int socket = accept(it->listener, NULL, NULL);
    uint32_t length;
    while (receive_all(socket, &length, 4)) {
        char *raw = malloc(ntohl(length));
        coopsim_message request = {0}, reply = {0};
        coopsim_param clock[] = {coopsim_text("clock"), coopsim_whole(77)};
        if (!receive_all(socket, raw, ntohl(length)) || coopsim_decode(raw, ntohl(length), &request) != COOPSIM_OK) exit(2);
        free(raw);
        if (request.command == 0) reply = (coopsim_message){.params = clock, .n_params = 2};
        else it->say(&request, &reply);
        size_t size;
        reply.id = request.id, reply.tick = 5, reply.target = request.target, reply.command = request.command;
        raw = coopsim_encode(&reply, &size);
        length = htonl((uint32_t)size);
        if (send(socket, &length, 4, MSG_NOSIGNAL) < 0 || send(socket, raw, size, MSG_NOSIGNAL) < 0) exit(2);
        free(raw);
        coopsim_free(&it->asked);
        it->asked = request;
    }
    close(socket);
    return NULL;
}

/* Let a test have a client of a server that answers as a function says; behind it, `it->asked` is the last request. */
static void with(server *it, answer say, void (*test)(coopsim_client *sim)) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    pthread_t thread;
    char address[64];
    *it = (server){.listener = socket(AF_INET, SOCK_STREAM, 0), .say = say};
    if (bind(it->listener, (struct sockaddr *)&place, size) != 0 || listen(it->listener, 1) != 0) exit(2);
    getsockname(it->listener, (struct sockaddr *)&place, &size);
    snprintf(address, sizeof address, "127.0.0.1:%d", ntohs(place.sin_port));
    pthread_create(&thread, NULL, serve, it);
    coopsim_client *sim = coopsim_connect(address, 30.0);
    if (sim == NULL) coopsim_die(NULL);
    test(sim);
    coopsim_close(sim);
    pthread_join(thread, NULL);
    close(it->listener);
}

static void say_nothing(const coopsim_message *request, coopsim_message *reply) { (void)request, (void)reply; }

static void set_velocity(coopsim_client *sim) {
    expect(coopsim_differential_drive_set_velocity(sim, "/robot1/motors", 0.5, 0.25) == COOPSIM_OK, "a command");
}

static void push(coopsim_client *sim) {
    expect(coopsim_world_push(sim, "box", (double[]){1, 2, 3}, 3, 4, NULL, 0) == COOPSIM_OK, "runs and values");
}

static void say_six(const coopsim_message *request, coopsim_message *reply) {
    static const double values[] = {1, 2, 3, 4, 5, 6};
    (void)request, reply->data = values, reply->n_data = 6;
}

static void read_joints(coopsim_client *sim) {
    coopsim_joints_state_reply seen = {0};
    expect(coopsim_joints_state(sim, "/arm/arm", &seen) == COOPSIM_OK && seen.tick == 5, "readings");
    expect(seen.n_positions == 2 && seen.positions[1] == 2 && seen.n_efforts == 2 && seen.efforts[0] == 5, "runs share what came");
    coopsim_free(&seen.reply);
}

static void say_lockstep(const coopsim_message *request, coopsim_message *reply) {
    static coopsim_param word;
    word = coopsim_text("lockstep");
    (void)request, reply->params = &word, reply->n_params = 1;
}

static void read_too_little(coopsim_client *sim) {
    coopsim_clock_status_reply status = {0};
    double reach;
    expect(coopsim_clock_status(sim, &status) == COOPSIM_MALFORMED, "too few values");
    expect(coopsim_sonars_get_reach(sim, "/robot1/sonars", &reach) == COOPSIM_MALFORMED, "a text for a number");
    coopsim_free(&status.reply);
}

static void refuse(const coopsim_message *request, coopsim_message *reply) {
    (void)request, reply->error = COOPSIM_ERROR_NO_SUCH_NAME;
}

static void be_refused(coopsim_client *sim) {
    coopsim_sonars_ranges_reply seen = {0};
    expect(coopsim_sonars_ranges(sim, "/robotX/sonars", &seen) == COOPSIM_REFUSED, "a refusal");
    expect(seen.reply.error == COOPSIM_ERROR_NO_SUCH_NAME, "its number");
    coopsim_free(&seen.reply);
}

static void say_layout(const coopsim_message *request, coopsim_message *reply) {
    static char page[512];
    static int generation;
    static coopsim_param param;
    static const double ranges[] = {1, 2};
    const char *form = "{\"generation\": %d, \"types\": {\"t\": {\"takes\": [[\"motors\", \"v\", \"m/s\", 0, 1], [\"motors\", \"w\","
                       " \"rad/s\", 1, 1]], \"takes_length\": 2, \"gives\": [[\"sonars\", \"ranges\", \"m\", 0, 2]],"
                       " \"gives_length\": 2}}, \"robots\": [[\"robot1\", \"t\"]]}";
    param = coopsim_whole(2);
    reply->params = &param, reply->n_params = 1;
    if (request->command == 10) {
        snprintf(page, sizeof page, form, ++generation);
        param = coopsim_text(page);
    } else if (request->command == 11 && request->params[0].whole == 1) {
        reply->error = COOPSIM_ERROR_STALE_LAYOUT;
    } else if (request->command == 11) {
        reply->data = ranges, reply->n_data = 2;
    }
}

static void step(coopsim_client *sim) {
    coopsim_sonars_readings sonars = {0};
    coopsim_gps_readings gps;
    coopsim_stepper *stepper = coopsim_stepper_open(sim, NULL, 0);
    expect(stepper != NULL, "a stepper of all robots");
    expect(coopsim_seen_sonars(stepper, "robot1", NULL, &sonars) == COOPSIM_MALFORMED, "no step yet");
    expect(coopsim_stepper_put(stepper, "robot1", "motors", "v", (double[]){1, 2}, 2) == COOPSIM_MALFORMED, "one value is meant");
    expect(coopsim_set_differential_drive(stepper, "robot1", NULL, 0.3, 0.1) == COOPSIM_OK, "a command of a step");
    expect(coopsim_stepper_step(stepper) == COOPSIM_OK, "a stale layout is asked for again");
    expect(coopsim_seen_sonars(stepper, "robot1", NULL, &sonars) == COOPSIM_OK && sonars.ranges[1] == 2, "readings of a step");
    expect(coopsim_seen_gps(stepper, "robot1", NULL, &gps) == COOPSIM_MALFORMED, "a module that it has not");
    expect(coopsim_stepper_close(stepper) == COOPSIM_OK, "robots are given back");
}

static void read_streams(void) {
    coopsim_param params[] = {coopsim_whole(4), coopsim_text("/a"), coopsim_text("x"), coopsim_text("hi"), coopsim_whole(8), coopsim_whole(2),
                              coopsim_text("/b"), coopsim_text("y"), coopsim_text(""), coopsim_whole(9), coopsim_whole(0)};
    coopsim_param words[] = {coopsim_whole(7), coopsim_whole(1), coopsim_whole(2), coopsim_text("free"), coopsim_whole(0), coopsim_whole(1),
                             coopsim_whole(1), coopsim_whole(1), coopsim_text("box"), coopsim_text("robot1"), coopsim_whole(2)};
    const double data[] = {0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4};
    coopsim_message message = {.params = params, .n_params = 11, .data = data + 8, .n_data = 2};
    coopsim_message told = {.params = words, .n_params = 11, .data = data, .n_data = 10};
    coopsim_event events[2];
    coopsim_state_values state;
    size_t count;
    expect(coopsim_n_events(&message) == 2 && coopsim_read_events(&message, events) == COOPSIM_OK, "two events");
    expect(strcmp(events[0].text, "hi") == 0 && events[0].n_data == 2 && events[0].data[1] == 4, "the first one");
    expect(events[1].number == 5 && strcmp(events[1].topic, "/b") == 0 && events[1].n_data == 0, "the second one");
    expect(coopsim_read_state(&told, &state) == COOPSIM_OK && state.has_ended && !state.is_paused, "a state");
    expect(strcmp(coopsim_body_name(&state, 0), "box") == 0 && coopsim_body_pose(&state, 0)[6] == 6, "a pose");
    expect(strcmp(coopsim_robot_name(&state, 0), "robot1") == 0, "a robot");
    expect(coopsim_robot_readings(&state, 0, &count)[1] == 4 && count == 2, "its readings");
    const coopsim_param wrong[] = {coopsim_whole(-1), coopsim_whole(3), coopsim_whole(INT64_MAX), coopsim_text("two"), coopsim_float(2)};
    for (size_t place = 0; place < sizeof wrong / sizeof *wrong; place++) {
        params[5] = words[6] = wrong[place];
        expect(coopsim_read_events(&message, events) == COOPSIM_MALFORMED, "no events");
        expect(coopsim_read_state(&told, &state) == COOPSIM_MALFORMED, "no state");
    }
    params[5] = coopsim_whole(2), words[6] = coopsim_whole(1);
    words[10] = coopsim_whole(3);
    expect(coopsim_read_state(&told, &state) == COOPSIM_MALFORMED, "a state with too few readings");
    message.n_params = 10;
    expect(coopsim_read_events(&message, events) == COOPSIM_MALFORMED, "half an event");
    message.n_params = told.n_params = 0;
    expect(coopsim_read_events(&message, events) == COOPSIM_MALFORMED, "no number");
    expect(coopsim_read_state(&told, &state) == COOPSIM_MALFORMED, "an empty state");
}

static void read_json(void) {
    const char *const wrong[] = {"", "[1", "{\"a\" 1}", "[1] 2", "[\"", "{\"a\":}", "[1,]", "\"\\", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
    const char *text = " {\"a\\\"\": [1, -2], \"b\": {}} ";
    size_t count;
    for (size_t place = 0; place < sizeof wrong / sizeof *wrong; place++)
        expect(json_parse(wrong[place], strlen(wrong[place]), &count) == NULL, wrong[place]);
    json_token *tokens = json_parse(text, strlen(text), &count);
    size_t list = json_named(text, tokens, 0, "a\\\"", 3);
    expect(json_whole(text, tokens, json_at(tokens, list, 1)) == -2 && json_at(tokens, list, 2) == 0, "a list");
    expect(json_named(text, tokens, 0, "c", 1) == 0, "a name that is not there");
    free(tokens);
}

int main(void) {
    server it;
    with(&it, say_nothing, set_velocity);
    expect(it.asked.command == 10 && it.asked.n_data == 2 && it.asked.data[1] == 0.25, "values in order");
    coopsim_free(&it.asked);
    with(&it, say_nothing, push);
    expect(it.asked.n_params == 1 && it.asked.n_data == 4 && it.asked.data[3] == 4, "runs among values");
    coopsim_free(&it.asked);
    with(&it, say_six, read_joints);
    coopsim_free(&it.asked);
    with(&it, say_lockstep, read_too_little);
    coopsim_free(&it.asked);
    with(&it, refuse, be_refused);
    coopsim_free(&it.asked);
    with(&it, say_layout, step);
    coopsim_free(&it.asked);
    read_json();
    read_streams();
    printf("%d failed\n", failures);
    return failures;
}
