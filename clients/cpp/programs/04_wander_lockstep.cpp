// Wanders without a collision: in lockstep each reading is of the step that the last command made.
#include <algorithm>

#include "program.hpp"

constexpr int RESET = 14, RELEASE = 15, RANGES = 10, SET_VELOCITY = 10, POSE = 10, STEPS = 90;

/// Return v and w: forward, turning to the side with more room.
static std::vector<double> decide(const std::vector<double> &ranges) {
    auto middle = ranges.begin() + static_cast<long>(ranges.size() / 2);
    double right = *std::min_element(ranges.begin(), middle + 1), left = *std::min_element(middle, ranges.end());
    if (*std::min_element(middle - 1, middle + 2) < 0.6) return {0.0, left >= right ? 0.8 : -0.8};
    return {0.4, 0.4 * (left - right) / (left + right + 0.1)};
}

void program(coopsim::Client &sim) {
    sim.ask("/sim/world", RESET);
    for (int step = 1; step <= STEPS; step++) {
        auto ranges = sim.ask("/robot1/sonars", RANGES).data;
        sim.ask("/robot1/motors", SET_VELOCITY, {}, decide(ranges));
        if (step % 30 == 0) {
            auto pose = sim.ask("/robot1/odometry", POSE).data;
            std::printf("step %d: x %.3f m, y %.3f m\n", step, pose[0], pose[1]);
        }
    }
    sim.ask("/sim/step", RELEASE);
}
