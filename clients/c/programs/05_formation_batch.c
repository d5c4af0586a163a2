/* Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings. */
#include "program.h"

enum { RESET = 14, LAYOUT = 10, STEP = 11, CLAIM = 13, RELEASE = 15, POSE = 10, ROBOTS = 3, STEPS = 60 };

int main(void) {
    const char *names[ROBOTS] = {"robot1", "robot2", "robot3"};
    coopsim_param params[] = {coopsim_whole(0), coopsim_text(names[0]), coopsim_text(names[1]), coopsim_text(names[2])};
    char module[64];
    connect_or_die();
    ask("/sim/world", RESET);
    ask("/sim/step", LAYOUT);
    double length = reply.data[1];
    ask_all("/sim/step", CLAIM, params + 1, ROBOTS, NULL, 0);
    for (int step = 0; step < STEPS; step++) {
        double turn = step % 80 < 40 ? 0.25 : -0.25;
        ask_all("/sim/step", STEP, params, ROBOTS + 1, (double[]){0.25, turn, 0.3125, turn, 0.375, turn}, 2 * ROBOTS);
    }
    printf("%zu readings a step, %.0f of each robot\n", reply.n_data, length);
    for (int robot = 0; robot < ROBOTS; robot++) {
        snprintf(module, sizeof module, "/%s/odometry", names[robot]);
        ask(module, POSE);
        printf("%s: x %.3f m, y %.3f m\n", names[robot], reply.data[0], reply.data[1]);
    }
    ask("/sim/step", RELEASE);
    return done();
}
