/* Shows moments of a recording (`coopsim replay FILE`), which nobody can drive. */
#include "program.h"

enum { PAUSE = 13, SEEK = 14, POSE = 10, SET_VELOCITY = 10 };

int main(void) {
    const double moments[] = {1.0, 2.0, 0.5};
    connect_or_die();
    ask("/sim/playback", PAUSE);
    for (int place = 0; place < 3; place++) {
        ask_all("/sim/playback", SEEK, NULL, 0, &moments[place], 1);
        double shown = reply.data[0];
        ask("/robot1/odometry", POSE);
        printf("%.2f s: x %.3f m, y %.3f m\n", shown, reply.data[0], reply.data[1]);
    }
    if (coopsim_ask(sim, "/robot1/motors", SET_VELOCITY, NULL, 0, (double[]){0.3, 0.0}, 2, &reply) == COOPSIM_REFUSED)
        printf("refused with %d\n", (int)reply.error);
    return done();
}
