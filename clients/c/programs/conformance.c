/* Answers the lines of docs/conformance.md, for `coopsim conformance client`. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../coopsim.h"
#include "../coopsim_modules.h"

enum { MOST_VALUES = 70000, MOST_WORDS = 9, MOST_CLIENTS = 8 };

static coopsim_client *sim;
static struct {
    char name[64];
    coopsim_client *sim;
} clients[MOST_CLIENTS] = {{"main", NULL}};
static int using;
static coopsim_param params[MOST_VALUES];
static double data[MOST_VALUES];

static void put_hex(const char *raw, size_t size) {
    for (size_t place = 0; place < size; place++) printf("%02x", (unsigned char)raw[place]);
}

static void put_float(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("f:%016" PRIx64, bits);
}

static void put_text(const char *text, size_t length) {
    printf("s:");
    put_hex(text, length);
}

static void put_param(const coopsim_param *param) {
    switch (param->type) {
        case COOPSIM_UINT: printf("i:%" PRIu64, param->whole); break;
        case COOPSIM_INT: printf("i:%" PRId64, (int64_t)param->whole); break;
        case COOPSIM_FLOAT: put_float(param->value); break;
        case COOPSIM_TEXT: put_text(param->text, param->length); break;
    }
}

static void put_lists(const coopsim_message *message) {
    putchar('\t');
    for (size_t place = 0; place < message->n_params; place++) {
        if (place > 0) putchar(' ');
        put_param(&message->params[place]);
    }
    putchar('\t');
    for (size_t place = 0; place < message->n_data; place++) {
        if (place > 0) putchar(' ');
        put_float(message->data[place]);
    }
}

static size_t from_hex(char *text) {
    size_t size = strlen(text) / 2;
    for (size_t place = 0; place < size; place++) {
        char digits[3] = {text[2 * place], text[2 * place + 1], 0};
        text[place] = (char)strtol(digits, NULL, 16);
    }
    text[size] = 0;
    return size;
}

static coopsim_param value(char *word) {
    if (word[0] == 's') {
        size_t length = from_hex(word + 2);
        return (coopsim_param){.type = COOPSIM_TEXT, .text = word + 2, .length = length};
    }
    if (word[0] == 'f') {
        uint64_t bits = strtoull(word + 2, NULL, 16);
        double number;
        memcpy(&number, &bits, sizeof number);
        return coopsim_float(number);
    }
    if (word[2] == '-') return coopsim_whole(strtoll(word + 2, NULL, 10));
    return (coopsim_param){.type = COOPSIM_UINT, .whole = strtoull(word + 2, NULL, 10)};
}

static size_t values(char *list, coopsim_param *found) {
    size_t count = 0;
    for (char *rest = NULL, *word = strtok_r(list, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        found[count++] = value(word);
    return count;
}

static size_t floats(char *list) {
    static coopsim_param found[MOST_VALUES];
    size_t count = values(list, found);
    for (size_t place = 0; place < count; place++) data[place] = found[place].value;
    return count;
}

static void put_failure(int outcome, const coopsim_message *reply) {
    static const char *const words[] = {"", "refused", "silent", "lost", "malformed"};
    printf("%s", words[outcome]);
    if (outcome == COOPSIM_REFUSED) {
        printf("\ti:%" PRIu64, reply->error);
        put_lists(reply);
    }
    printf("\t%s", coopsim_problem());
}

static void decode(char *raw) {
    coopsim_message it = {0};
    int outcome = coopsim_decode(raw, from_hex(raw), &it);
    if (outcome != COOPSIM_OK) {
        put_failure(outcome, &it);
        return;
    }
    printf("message\ti:%" PRIu64 "\t", it.id);
    put_text(it.target, strlen(it.target));
    printf("\ti:%" PRIu64 "\ti:%" PRIu64 "\t", it.tick, it.error);
    put_text(it.text, strlen(it.text));
    printf("\ti:%" PRIu64, it.command);
    put_lists(&it);
    coopsim_free(&it);
}

static void encode(char **words) {
    coopsim_message it = {.id = value(words[1]).whole, .target = value(words[2]).text, .tick = value(words[3]).whole};
    size_t size;
    it.command = value(words[4]).whole;
    it.n_params = values(words[5], params), it.params = params;
    it.n_data = floats(words[6]), it.data = data;
    it.run = value(words[7]).whole;
    char *raw = coopsim_encode(&it, &size);
    printf("bytes\t");
    put_hex(raw, size);
    free(raw);
}

static void end(void) {
    if (sim != NULL) coopsim_close(sim);
    sim = NULL;
}

static void exchange(char **words) {
    static coopsim_message it;
    int outcome = COOPSIM_OK, is_state = strcmp(words[0], "state") == 0, is_within = strcmp(words[0], "within") == 0;
    if (sim == NULL) {
        printf("lost\tthere is no connection");
        return;
    }
    if (is_state) {
        outcome = coopsim_state(sim, &it);
    } else {
        double seconds = is_within ? strtod(words[1], NULL) : 0.0;
        if (is_within) words++;
        const char *target = value(words[1]).text;
        uint64_t command = value(words[2]).whole;
        size_t n_params = values(words[3], params), n_data = floats(words[4]);
        outcome = is_within ? coopsim_ask_within(sim, seconds, target, command, params, n_params, data, n_data, &it)
                            : coopsim_ask(sim, target, command, params, n_params, data, n_data, &it);
    }
    if (outcome != COOPSIM_OK) {
        put_failure(outcome, &it);
        return;
    }
    printf(is_state ? "state\t" : "reply");
    if (is_state) put_text(it.target, strlen(it.target));
    printf("\ti:%" PRIu64, it.tick);
    put_lists(&it);
}

static void time_asks(char **words) {
    coopsim_message it = {0};
    struct timespec began, ended;
    int outcome = COOPSIM_OK;
    const char *target = value(words[2]).text;
    uint64_t command = value(words[3]).whole;
    size_t n_params = values(words[4], params), n_data = floats(words[5]);
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (long left = strtol(words[1], NULL, 10); left > 0 && outcome == COOPSIM_OK; left--)
        outcome = coopsim_ask(sim, target, command, params, n_params, data, n_data, &it);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (outcome != COOPSIM_OK) {
        put_failure(outcome, &it);
    } else {
        printf("time\t");
        put_float((double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec));
    }
    coopsim_free(&it);
}

/* Drive robots by names, and read what each sees; return how long that took, or below 0 that it went wrong. */
static double stepped(coopsim_stepper *stepper, long count, const char *const *names, size_t n_names) {
    struct timespec began, ended;
    coopsim_sonars_readings sonars;
    coopsim_differential_drive_readings drive;
    int outcome = COOPSIM_OK;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (; count > 0 && outcome == COOPSIM_OK; count--) {
        for (size_t place = 0; place < n_names && outcome == COOPSIM_OK; place++)
            outcome = coopsim_set_differential_drive(stepper, names[place], NULL, 0.25, 0.125);
        if (outcome == COOPSIM_OK) outcome = coopsim_stepper_step(stepper);
        for (size_t place = 0; place < n_names && outcome == COOPSIM_OK; place++) {
            outcome = coopsim_seen_sonars(stepper, names[place], NULL, &sonars);
            if (outcome == COOPSIM_OK) outcome = coopsim_seen_differential_drive(stepper, names[place], NULL, &drive);
            if (outcome == COOPSIM_OK && (sonars.n_ranges == 0 || drive.v > 1)) outcome = COOPSIM_MALFORMED;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    if (outcome != COOPSIM_OK) return -1;
    return (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
}

static void steps(char **words) {
    const char *names[MOST_VALUES];
    size_t n_names = values(words[2], params);
    for (size_t place = 0; place < n_names; place++) names[place] = params[place].text;
    coopsim_stepper *stepper = coopsim_stepper_open(sim, names, n_names);
    double seconds = stepper == NULL ? -1 : stepped(stepper, strtol(words[1], NULL, 10), names, n_names);
    if (seconds < 0) {
        printf("failed\t%s", coopsim_problem());
    } else {
        printf("time\t");
        put_float(seconds);
    }
    if (stepper != NULL) coopsim_stepper_close(stepper);
}

static void reconnect(void) {
    uint64_t there = 0;
    coopsim_message none = {0};
    int outcome = coopsim_reconnect(sim, &there);
    if (outcome == COOPSIM_OK) printf("connected\ti:%" PRIu64, coopsim_run(sim));
    if (outcome == COOPSIM_REFUSED) printf("refused\ti:208\ti:%" PRIu64 "\t\t%s", there, coopsim_problem());
    if (outcome > COOPSIM_REFUSED) put_failure(outcome, &none);
}

static void use(const char *name) {
    int place = 0;
    clients[using].sim = sim;
    while (place < MOST_CLIENTS - 1 && clients[place].name[0] != 0 && strcmp(clients[place].name, name) != 0) place++;
    snprintf(clients[place].name, sizeof clients[place].name, "%s", name);
    using = place;
    sim = clients[place].sim;
    printf("using\t%s", name);
}

static void answer(char **words) {
    if (strcmp(words[0], "decode") == 0) {
        decode(words[1]);
    } else if (strcmp(words[0], "encode") == 0) {
        encode(words);
    } else if (strcmp(words[0], "connect") == 0 || strcmp(words[0], "tls") == 0) {
        const char *own = words[3] == NULL ? "" : words[3], *server = words[4] == NULL ? "" : words[4];
        end();
        sim = coopsim_connect_keys(words[1], strtod(words[2], NULL), own, server);
        if (sim == NULL) printf("lost\t%s", coopsim_problem());
        if (sim != NULL) printf("connected\ti:%" PRIu64, coopsim_run(sim));
    } else if (strcmp(words[0], "close") == 0) {
        end();
        printf("closed");
    } else if (strcmp(words[0], "time") == 0 && sim != NULL) {
        time_asks(words);
    } else if (strcmp(words[0], "steps") == 0 && sim != NULL) {
        steps(words);
    } else if (strcmp(words[0], "ask") == 0 || strcmp(words[0], "within") == 0 || strcmp(words[0], "state") == 0) {
        exchange(words);
    } else if (strcmp(words[0], "reconnect") == 0 && sim != NULL) {
        reconnect();
    } else if (strcmp(words[0], "use") == 0) {
        use(words[1]);
    } else {
        printf("unsupported");
    }
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        char *words[MOST_WORDS] = {0}, *rest = line;
        line[length - 1] = 0;
        for (int place = 0; place < MOST_WORDS && rest != NULL; place++) words[place] = strsep(&rest, "\t");
        answer(words);
        putchar('\n');
        fflush(stdout);
    }
    end();
    free(line);
    return 0;
}
