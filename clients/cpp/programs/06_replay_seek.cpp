// Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.
#include "program.hpp"

constexpr int PAUSE = 13, SEEK = 14, POSE = 10, SET_VELOCITY = 10;

void program(coopsim::Client &sim) {
    sim.ask("/sim/playback", PAUSE);
    for (double moment : {1.0, 2.0, 0.5}) {
        auto shown = sim.ask("/sim/playback", SEEK, {}, {moment}).data;
        auto pose = sim.ask("/robot1/odometry", POSE).data;
        std::printf("%.2f s: x %.3f m, y %.3f m\n", shown[0], pose[0], pose[1]);
    }
    try {
        sim.ask("/robot1/motors", SET_VELOCITY, {}, {0.3, 0.0});
    } catch (const coopsim::Refused &refusal) {
        std::printf("refused with %d\n", static_cast<int>(refusal.number));
    }
}
