/* Drives a robot in an arc, one request after the other. */
#include "program.h"

enum { RESET = 14, RELEASE = 15, SET_VELOCITY = 10, STOP = 12, POSE = 10 };

int main(void) {
    double x = 0, y = 0, heading = 0;
    connect_or_die();
    ask("/sim/world", RESET);
    for (int step = 0; step < 100; step++) {
        ask_all("/robot1/motors", SET_VELOCITY, NULL, 0, (double[]){0.4, 0.2}, 2);
        ask("/robot1/odometry", POSE);
        x = reply.data[0], y = reply.data[1], heading = reply.data[2];
    }
    ask("/robot1/motors", STOP);
    printf("robot1 drove to x %.3f m, y %.3f m, heading %.3f rad\n", x, y, heading);
    ask("/sim/step", RELEASE);
    return done();
}
