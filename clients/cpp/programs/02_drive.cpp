// Drives a robot in an arc, one request after the other.
#include "program.hpp"

constexpr int RESET = 14, RELEASE = 15, SET_VELOCITY = 10, STOP = 12, POSE = 10;

void program(coopsim::Client &sim) {
    sim.ask("/sim/world", RESET);
    std::vector<double> pose;
    for (int step = 0; step < 100; step++) {
        sim.ask("/robot1/motors", SET_VELOCITY, {}, {0.4, 0.2});
        pose = sim.ask("/robot1/odometry", POSE).data;
    }
    sim.ask("/robot1/motors", STOP);
    std::printf("robot1 drove to x %.3f m, y %.3f m, heading %.3f rad\n", pose[0], pose[1], pose[2]);
    sim.ask("/sim/step", RELEASE);
}
