#include "coopsim_events.h"

enum { PARAMS_OF_EVENT = 5, FIRST_NAME = 8, POSE = 7 };

size_t coopsim_n_events(const coopsim_message *message) {
    return message->n_params < 1 ? 0 : (message->n_params - 1) / PARAMS_OF_EVENT;
}

/* Go past so many values; the outcome says whether there are as many. */
static size_t pass(coopsim_reader *from, size_t *behind, int64_t count) {
    size_t left = from->reply->n_data - *behind;
    if (count < 0 || (uint64_t)count > left) {
        if (from->outcome == COOPSIM_OK) from->outcome = coopsim_fail(COOPSIM_MALFORMED, "%lld values where %zu are left", (long long)count, left);
        return 0;
    }
    *behind += (size_t)count;
    return (size_t)count;
}

int coopsim_read_events(const coopsim_message *message, coopsim_event *events) {
    coopsim_reader reader = {message, COOPSIM_OK};
    int64_t number = coopsim_whole_at(&reader, 0);
    size_t behind = 0, count = coopsim_n_events(message);
    if (reader.outcome == COOPSIM_OK && message->n_params != 1 + PARAMS_OF_EVENT * count)
        reader.outcome = coopsim_fail(COOPSIM_MALFORMED, "%zu params of events", message->n_params);
    for (size_t place = 0; place < count && reader.outcome == COOPSIM_OK; place++) {
        long first = 1 + PARAMS_OF_EVENT * (long)place;
        size_t begin = behind, n_data = pass(&reader, &behind, coopsim_whole_at(&reader, first + 4));
        events[place] = (coopsim_event){
            .number = number + (int64_t)place,
            .topic = coopsim_text_at(&reader, first),
            .source = coopsim_text_at(&reader, first + 1),
            .text = coopsim_text_at(&reader, first + 2),
            .tick = coopsim_whole_at(&reader, first + 3),
            .data = n_data > 0 ? message->data + begin : NULL,
            .n_data = n_data,
        };
    }
    return reader.outcome;
}

/* Check the names and values behind those that every state has. */
static void check_lists(coopsim_reader *reader, const coopsim_state_values *state) {
    size_t behind = 1;
    for (size_t body = 0; body < state->n_bodies && reader->outcome == COOPSIM_OK; body++) {
        coopsim_text_at(reader, FIRST_NAME + (long)body);
        pass(reader, &behind, POSE);
    }
    for (size_t robot = 0; robot < state->n_robots && reader->outcome == COOPSIM_OK; robot++) {
        long place = FIRST_NAME + (long)(state->n_bodies + robot);
        coopsim_text_at(reader, place);
        pass(reader, &behind, coopsim_whole_at(reader, place + (long)state->n_robots));
    }
}

int coopsim_read_state(const coopsim_message *message, coopsim_state_values *state) {
    coopsim_reader reader = {message, COOPSIM_OK};
    int64_t bodies = coopsim_whole_at(&reader, 6), robots = coopsim_whole_at(&reader, 7), rest = (int64_t)message->n_params - FIRST_NAME;
    if (reader.outcome == COOPSIM_OK && (bodies < 0 || robots < 0 || bodies > rest || robots > rest || bodies + 2 * robots != rest))
        reader.outcome = coopsim_fail(COOPSIM_MALFORMED, "a state of %zu params", message->n_params);
    if (reader.outcome != COOPSIM_OK) return reader.outcome;
    *state = (coopsim_state_values){
        .message = message,
        .time = coopsim_number_at(&reader, 0),
        .run = coopsim_whole_at(&reader, 0),
        .generation = coopsim_whole_at(&reader, 1),
        .revision = coopsim_whole_at(&reader, 2),
        .mode = coopsim_text_at(&reader, 3),
        .is_paused = coopsim_whole_at(&reader, 4) == 1,
        .has_ended = coopsim_whole_at(&reader, 5) == 1,
        .n_bodies = (size_t)bodies,
        .n_robots = (size_t)robots,
    };
    check_lists(&reader, state);
    return reader.outcome;
}

const char *coopsim_body_name(const coopsim_state_values *state, size_t body) { return state->message->params[FIRST_NAME + body].text; }

const double *coopsim_body_pose(const coopsim_state_values *state, size_t body) { return state->message->data + 1 + POSE * body; }

const char *coopsim_robot_name(const coopsim_state_values *state, size_t robot) {
    return state->message->params[FIRST_NAME + state->n_bodies + robot].text;
}

const double *coopsim_robot_readings(const coopsim_state_values *state, size_t robot, size_t *count) {
    const coopsim_param *counts = state->message->params + FIRST_NAME + state->n_bodies + state->n_robots;
    size_t first = 1 + POSE * state->n_bodies;
    for (size_t place = 0; place < robot; place++) first += (size_t)counts[place].whole;
    *count = (size_t)counts[robot].whole;
    return *count > 0 ? state->message->data + first : NULL;
}
