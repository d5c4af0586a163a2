/* Wanders without a collision: in lockstep each reading is of the step that the last command made. */
#include "program.h"

enum { RESET = 14, RELEASE = 15, RANGES = 10, SET_VELOCITY = 10, POSE = 10, STEPS = 90 };

static double least(const double *from, const double *to) {
    double found = *from;
    for (; from < to; from++)
        if (*from < found) found = *from;
    return found;
}

/* Write v and w: forward, turning to the side with more room. */
static void decide(const double *ranges, size_t count, double command[2]) {
    const double *middle = ranges + count / 2;
    double right = least(ranges, middle + 1), left = least(middle, ranges + count);
    if (least(middle - 1, middle + 2) < 0.6) {
        command[0] = 0.0;
        command[1] = left >= right ? 0.8 : -0.8;
    } else {
        command[0] = 0.4;
        command[1] = 0.4 * (left - right) / (left + right + 0.1);
    }
}

int main(void) {
    double command[2];
    connect_or_die();
    ask("/sim/world", RESET);
    for (int step = 1; step <= STEPS; step++) {
        ask("/robot1/sonars", RANGES);
        decide(reply.data, reply.n_data, command);
        ask_all("/robot1/motors", SET_VELOCITY, NULL, 0, command, 2);
        if (step % 30 == 0) {
            ask("/robot1/odometry", POSE);
            printf("step %d: x %.3f m, y %.3f m\n", step, reply.data[0], reply.data[1]);
        }
    }
    ask("/sim/step", RELEASE);
    return done();
}
