#include "coopsim_stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coopsim_json.h"

enum { LAYOUT = 10, STEP = 11, CLAIM = 13, RELEASE = 15, STALE_LAYOUT = 206, PAGE = 1000, LONGEST = 1 << 20 };
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
} rows;

struct coopsim_stepper {
    coopsim_client *sim;
    char **robots;
    size_t n_robots;
    int64_t generation;
    rows takes, gives;
    double *commands;
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
    *it = (rows){0};
}

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
    to->length += (size_t)length;
    return 1;
}

/* Where a robot of a page is told, and its kind; 0 when it is not. */
static size_t kind_of(const char *text, const json_token *tokens, const char *robot) {
    size_t robots = json_named(text, tokens, 0, "robots", 6), types = json_named(text, tokens, 0, "types", 5);
    for (size_t place = 0, pair; robots != 0 && (pair = json_at(tokens, robots, place)) != 0; place++) {
        size_t name = json_at(tokens, pair, 0), kind = json_at(tokens, pair, 1), size = tokens[name].end - tokens[name].first;
        if (name == 0 || kind == 0 || size != strlen(robot) || memcmp(text + tokens[name].first, robot, size) != 0) continue;
        return types == 0 ? 0 : json_named(text, tokens, types, text + tokens[kind].first, tokens[kind].end - tokens[kind].first);
    }
    return 0;
}

static void name_all(coopsim_stepper *it, const char *text, const json_token *tokens) {
    size_t robots = json_named(text, tokens, 0, "robots", 6);
    for (size_t place = 0, pair; robots != 0 && (pair = json_at(tokens, robots, place)) != 0; place++) {
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
    while (robots != 0 && json_at(to->tokens, robots, to->n_robots) != 0) to->n_robots++;
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
    return outcome;
}

static int ask(coopsim_stepper *it, uint64_t command, int has_generation, const double *data, size_t n_data, coopsim_message *reply) {
    coopsim_values values = {0};
    if (has_generation) coopsim_add_param(&values, coopsim_whole(it->generation));
    coopsim_add_texts(&values, (const char *const *)it->robots, it->n_robots);
    coopsim_add_data(&values, data, n_data);
    return coopsim_ask_values(it->sim, TARGET, command, &values, reply);
}

static void free_stepper(coopsim_stepper *it) {
    for (size_t place = 0; place < it->n_robots; place++) free(it->robots[place]);
    free(it->robots);
    free_rows(&it->takes);
    free_rows(&it->gives);
    free(it->commands);
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
    if (learn(it) == COOPSIM_OK && ask(it, CLAIM, 0, NULL, 0, &it->reply) == COOPSIM_OK) return it;
    free_stepper(it);
    return NULL;
}

int coopsim_stepper_close(coopsim_stepper *it) {
    int outcome = ask(it, RELEASE, 0, NULL, 0, &it->reply);
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
    int outcome = ask(it, STEP, 1, it->commands, it->takes.length, &it->reply);
    if (outcome == COOPSIM_REFUSED && it->reply.error == STALE_LAYOUT && (outcome = learn(it)) == COOPSIM_OK)
        outcome = ask(it, STEP, 1, it->commands, it->takes.length, &it->reply);
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
