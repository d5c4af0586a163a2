#include "coopsim_stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coopsim_json.h"

enum { LAYOUT = 10, STEP = 11, CLAIM = 13, RELEASE = 15, PART = 18, STALE_LAYOUT = 206, PAGE = 1000, LONGEST = 1 << 20 };
enum { MOST_ROBOTS = 2000, MOST_VALUES = 65536 }; /* of one message: shorter than 1 MiB with names of 128 letters */
static const char *const TARGET = "/sim/step";

/* A value, or a run of values, of a robot in a message. */
typedef struct {
    char *robot, *module, *name;
    size_t first, count, row; /* row: index of the first field of this robot */
} field;

/* The rows of the robots in a message. */
typedef struct {
    field *fields;
    size_t count, length, row; /* row: index of the first field of the robot that was looked up last, which the next one is often of */
    size_t *starts, n_starts;  /* where the row of each robot begins */
} rows;

/* Robots that fit one message together. */
typedef struct {
    size_t first, end;
} group;

struct coopsim_stepper {
    coopsim_client *sim;
    char **robots;
    size_t n_robots;
    int64_t generation;
    rows takes, gives;
    double *commands;
    group *groups;
    size_t n_groups;
    coopsim_message reply;
};

static char *copied(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

static void free_rows(rows *it) {
    for (size_t place = 0; place < it->count; place++) {
        free(it->fields[place].robot);
        free(it->fields[place].module);
        free(it->fields[place].name);
    }
    free(it->fields);
    free(it->starts);
    *it = (rows){0};
}

/* Where the row of a robot begins; behind the last one is the end. */
static size_t start_of(const rows *it, size_t robot) { return robot < it->n_starts ? it->starts[robot] : it->length; }

static char *text_of(const char *text, const json_token *tokens, size_t token) {
    return copied(text + tokens[token].first, tokens[token].type == '"' ? tokens[token].end - tokens[token].first : 0);
}

/* Read a row: the columns [module, name, unit, first, count] of one side of a kind of robots. */
static int read_row(const char *text, const json_token *tokens, size_t kind, const char *side, const char *robot, rows *to) {
    char wide[32];
    snprintf(wide, sizeof wide, "%s_length", side);
    size_t columns = json_named(text, tokens, kind, side, strlen(side));
    long length = json_whole(text, tokens, json_named(text, tokens, kind, wide, strlen(wide)));
    size_t row = to->count;
    if (columns == 0 || tokens[columns].type != '[' || length < 0 || length > LONGEST) return 0;
    for (size_t column = columns + 1; column < tokens[columns].next; column = tokens[column].next) {
        long first = json_whole(text, tokens, json_at(tokens, column, 3)), count = json_whole(text, tokens, json_at(tokens, column, 4));
        if (tokens[column].type != '[' || first < 0 || count < 0 || first > length || count > length - first) return 0;
        to->fields = realloc(to->fields, sizeof *to->fields * (to->count + 1));
        to->fields[to->count++] = (field){
            .robot = copied(robot, strlen(robot)),
            .module = text_of(text, tokens, json_at(tokens, column, 0)),
            .name = text_of(text, tokens, json_at(tokens, column, 1)),
            .first = to->length + (size_t)first,
            .count = (size_t)count,
            .row = row,
        };
    }
    to->starts = realloc(to->starts, sizeof *to->starts * (to->n_starts + 1));
    to->starts[to->n_starts++] = to->length;
    to->length += (size_t)length;
    return 1;
}

/* Where a robot of a page is told, and its kind; 0 when it is not. */
static size_t kind_of(const char *text, const json_token *tokens, const char *robot) {
    size_t robots = json_named(text, tokens, 0, "robots", 6), types = json_named(text, tokens, 0, "types", 5);
    for (size_t pair = robots + 1; robots != 0 && pair < tokens[robots].next; pair = tokens[pair].next) {
        size_t name = json_at(tokens, pair, 0), kind = json_at(tokens, pair, 1), size = tokens[name].end - tokens[name].first;
        if (name == 0 || kind == 0 || size != strlen(robot) || memcmp(text + tokens[name].first, robot, size) != 0) continue;
        return types == 0 ? 0 : json_named(text, tokens, types, text + tokens[kind].first, tokens[kind].end - tokens[kind].first);
    }
    return 0;
}

static void name_all(coopsim_stepper *it, const char *text, const json_token *tokens) {
    size_t robots = json_named(text, tokens, 0, "robots", 6);
    for (size_t pair = robots + 1; robots != 0 && pair < tokens[robots].next; pair = tokens[pair].next) {
        it->robots = realloc(it->robots, sizeof *it->robots * (it->n_robots + 1));
        it->robots[it->n_robots++] = text_of(text, tokens, json_at(tokens, pair, 0));
    }
}

/* One page of the layout. */
typedef struct {
    coopsim_message reply;
    json_token *tokens;
    size_t n_tokens, n_robots;
} page;

static int ask_page(coopsim_stepper *it, size_t first, page *to) {
    coopsim_param range[] = {coopsim_whole((int64_t)first), coopsim_whole(PAGE)};
    int outcome = coopsim_ask(it->sim, TARGET, LAYOUT, range, 2, NULL, 0, &to->reply);
    if (outcome != COOPSIM_OK) return outcome;
    coopsim_reader reader = {&to->reply, COOPSIM_OK};
    const char *text = coopsim_text_at(&reader, 0);
    to->tokens = json_parse(text, strlen(text), &to->n_tokens);
    if (to->tokens == NULL) return coopsim_fail(COOPSIM_MALFORMED, "no layout of a step came");
    size_t robots = json_named(text, to->tokens, 0, "robots", 6);
    for (size_t pair = robots + 1; robots != 0 && pair < to->tokens[robots].next; pair = to->tokens[pair].next) to->n_robots++;
    it->generation = json_whole(text, to->tokens, json_named(text, to->tokens, 0, "generation", 10));
    return COOPSIM_OK;
}

static int read_robot(coopsim_stepper *it, const char *robot, const page *pages, size_t n_pages) {
    for (size_t place = 0; place < n_pages; place++) {
        const char *text = pages[place].reply.params[0].text;
        size_t kind = kind_of(text, pages[place].tokens, robot);
        if (kind != 0 && read_row(text, pages[place].tokens, kind, "takes", robot, &it->takes) &&
            read_row(text, pages[place].tokens, kind, "gives", robot, &it->gives))
            return COOPSIM_OK;
    }
    return coopsim_fail(COOPSIM_MALFORMED, "no robot %.60s is in the layout of a step", robot);
}

static void add_group(coopsim_stepper *it, size_t first, size_t end) {
    it->groups = realloc(it->groups, sizeof *it->groups * (it->n_groups + 1));
    it->groups[it->n_groups++] = (group){first, end};
}

/* Put robots together that fit one message. */
static void group_robots(coopsim_stepper *it) {
    size_t first = 0;
    it->n_groups = 0;
    for (size_t last = 0; last < it->n_robots; last++) {
        size_t takes = start_of(&it->takes, last + 1) - start_of(&it->takes, first);
        size_t gives = start_of(&it->gives, last + 1) - start_of(&it->gives, first);
        if (last - first < MOST_ROBOTS && takes <= MOST_VALUES && gives <= MOST_VALUES) continue;
        add_group(it, first, last);
        first = last;
    }
    add_group(it, first, it->n_robots);
}

/* Ask what a step takes and gives; commands begin with 0. */
static int learn(coopsim_stepper *it) {
    page *pages = NULL;
    size_t n_pages = 0;
    int outcome = COOPSIM_OK, is_all = it->n_robots == 0;
    free_rows(&it->takes);
    free_rows(&it->gives);
    do {
        pages = realloc(pages, sizeof *pages * (n_pages + 1));
        pages[n_pages] = (page){0};
        outcome = ask_page(it, PAGE * n_pages, &pages[n_pages]);
        n_pages++;
    } while (outcome == COOPSIM_OK && pages[n_pages - 1].n_robots == PAGE);
    for (size_t place = 0; is_all && outcome == COOPSIM_OK && place < n_pages; place++)
        name_all(it, pages[place].reply.params[0].text, pages[place].tokens);
    for (size_t robot = 0; outcome == COOPSIM_OK && robot < it->n_robots; robot++)
        outcome = read_robot(it, it->robots[robot], pages, n_pages);
    for (size_t place = 0; place < n_pages; place++) {
        coopsim_free(&pages[place].reply);
        free(pages[place].tokens);
    }
    free(pages);
    free(it->commands);
    it->commands = calloc(it->takes.length + 1, sizeof *it->commands);
    group_robots(it);
    return outcome;
}

static void add_names(const coopsim_stepper *it, group robots, coopsim_values *to) {
    coopsim_add_texts(to, (const char *const *)it->robots + robots.first, robots.end - robots.first);
}

/* Claim all robots, or give them back. */
static int ask_of_all(coopsim_stepper *it, uint64_t command) {
    int outcome = COOPSIM_OK;
    for (size_t place = 0; outcome == COOPSIM_OK && place < it->n_groups; place++) {
        coopsim_values values = {0};
        add_names(it, it->groups[place], &values);
        outcome = coopsim_ask_values(it->sim, TARGET, command, &values, &it->reply);
    }
    return outcome;
}

/* What a step of some robots takes. */
static coopsim_values values_of(const coopsim_stepper *it, group robots) {
    coopsim_values values = {0};
    size_t first = start_of(&it->takes, robots.first);
    coopsim_add_param(&values, coopsim_whole(it->generation));
    add_names(it, robots, &values);
    coopsim_add_data(&values, it->commands + first, start_of(&it->takes, robots.end) - first);
    return values;
}

/* Make one reply of those to all parts. */
static int join(coopsim_stepper *it, const coopsim_message *replies) {
    coopsim_values values = {0};
    size_t size;
    coopsim_add_param(&values, coopsim_whole(it->generation));
    for (size_t place = 0; place < it->n_groups; place++) {
        for (size_t stopped = 1; stopped < replies[place].n_params; stopped++) coopsim_add_param(&values, replies[place].params[stopped]);
        coopsim_add_data(&values, replies[place].data, replies[place].n_data);
    }
    coopsim_message joined = {.target = TARGET, .tick = replies[0].tick, .params = values.params, .n_params = values.n_params,
                              .data = values.data, .n_data = values.n_data};
    char *raw = coopsim_encode(&joined, &size);
    coopsim_free(&it->reply);
    int outcome = coopsim_decode(raw, size, &it->reply);
    free(raw);
    free(values.params);
    free(values.data);
    return outcome;
}

/* Keep the refusal of a part, as that of the step. */
static void keep_refusal(coopsim_stepper *it, coopsim_message *replies) {
    coopsim_free(&it->reply);
    for (size_t place = 0; place < it->n_groups; place++) {
        if (replies[place].error == 0) continue;
        it->reply = replies[place];
        replies[place] = (coopsim_message){0};
        return;
    }
}

/* Step robots that fit no message together in parts, by one tick for all. */
static int ask_parts(coopsim_stepper *it) {
    coopsim_values *values = calloc(it->n_groups, sizeof *values);
    coopsim_message *requests = calloc(it->n_groups, sizeof *requests), *replies = calloc(it->n_groups, sizeof *replies);
    for (size_t place = 0; place < it->n_groups; place++) {
        values[place] = values_of(it, it->groups[place]);
        requests[place] = (coopsim_message){.target = TARGET, .command = place + 1 == it->n_groups ? STEP : PART,
                                            .params = values[place].params, .n_params = values[place].n_params,
                                            .data = values[place].data, .n_data = values[place].n_data};
    }
    int outcome = coopsim_ask_all(it->sim, requests, it->n_groups, replies);
    if (outcome == COOPSIM_OK) outcome = join(it, replies);
    if (outcome == COOPSIM_REFUSED) keep_refusal(it, replies);
    for (size_t place = 0; place < it->n_groups; place++) {
        coopsim_free(&replies[place]);
        free(values[place].params);
        free(values[place].data);
    }
    free(values);
    free(requests);
    free(replies);
    return outcome;
}

static int ask_step(coopsim_stepper *it) {
    if (it->n_groups > 1) return ask_parts(it);
    coopsim_values values = values_of(it, it->groups[0]);
    return coopsim_ask_values(it->sim, TARGET, STEP, &values, &it->reply);
}

static void free_stepper(coopsim_stepper *it) {
    for (size_t place = 0; place < it->n_robots; place++) free(it->robots[place]);
    free(it->robots);
    free_rows(&it->takes);
    free_rows(&it->gives);
    free(it->commands);
    free(it->groups);
    coopsim_free(&it->reply);
    free(it);
}

coopsim_stepper *coopsim_stepper_open(coopsim_client *sim, const char *const *robots, size_t n_robots) {
    coopsim_stepper *it = calloc(1, sizeof *it);
    it->sim = sim;
    it->robots = malloc(sizeof *it->robots * (n_robots + 1));
    while (it->n_robots < n_robots) {
        it->robots[it->n_robots] = copied(robots[it->n_robots], strlen(robots[it->n_robots]));
        it->n_robots++;
    }
    if (learn(it) == COOPSIM_OK && ask_of_all(it, CLAIM) == COOPSIM_OK) return it;
    free_stepper(it);
    return NULL;
}

int coopsim_stepper_close(coopsim_stepper *it) {
    int outcome = ask_of_all(it, RELEASE);
    free_stepper(it);
    return outcome;
}

static const field *field_of(rows *it, const char *robot, const char *module, const char *name) {
    for (size_t step = 0; step < it->count; step++) {
        size_t place = it->row + step < it->count ? it->row + step : it->row + step - it->count;
        const field *one = &it->fields[place];
        if (strcmp(one->name, name) != 0 || strcmp(one->robot, robot) != 0 || strcmp(one->module, module) != 0) continue;
        it->row = one->row;
        return one;
    }
    coopsim_fail(COOPSIM_MALFORMED, "%.60s has no %.60s.%.60s in a step", robot, module, name);
    return NULL;
}

int coopsim_stepper_put(coopsim_stepper *it, const char *robot, const char *module, const char *name, const double *values,
                        size_t count) {
    const field *where = field_of(&it->takes, robot, module, name);
    if (where == NULL) return COOPSIM_MALFORMED;
    if (where->count != count)
        return coopsim_fail(COOPSIM_MALFORMED, "%.60s.%.60s takes %zu values, got %zu", module, name, where->count, count);
    memcpy(it->commands + where->first, values, sizeof *values * count);
    return COOPSIM_OK;
}

int coopsim_stepper_step(coopsim_stepper *it) {
    int outcome = ask_step(it);
    if (outcome == COOPSIM_REFUSED && it->reply.error == STALE_LAYOUT && (outcome = learn(it)) == COOPSIM_OK)
        outcome = ask_step(it);
    if (outcome == COOPSIM_OK && (it->reply.n_data != it->gives.length || it->reply.n_params == 0))
        outcome = coopsim_fail(COOPSIM_MALFORMED, "%zu readings instead of %zu", it->reply.n_data, it->gives.length);
    if (outcome != COOPSIM_OK) coopsim_free(&it->reply);
    return outcome;
}

const coopsim_message *coopsim_stepper_reply(const coopsim_stepper *it) { return &it->reply; }

const double *coopsim_stepper_numbers(coopsim_stepper *it, const char *robot, const char *module, const char *name,
                                      size_t *count, int *outcome) {
    const field *where = field_of(&it->gives, robot, module, name);
    int is_there = where != NULL && it->reply.n_data == it->gives.length;
    *count = is_there ? where->count : 0;
    if (!is_there) *outcome = where == NULL ? COOPSIM_MALFORMED : coopsim_fail(COOPSIM_MALFORMED, "there was no step");
    return is_there ? it->reply.data + where->first : NULL;
}

double coopsim_stepper_number(coopsim_stepper *it, const char *robot, const char *module, const char *name, int *outcome) {
    size_t count;
    const double *values = coopsim_stepper_numbers(it, robot, module, name, &count, outcome);
    return count > 0 ? values[0] : 0;
}
