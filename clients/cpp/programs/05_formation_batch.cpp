// Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
#include "program.hpp"

constexpr int RESET = 14, LAYOUT = 10, STEP = 11, CLAIM = 13, RELEASE = 15, POSE = 10, STEPS = 60;

void program(coopsim::Client &sim) {
    const std::vector<coopsim::Param> robots{"robot1", "robot2", "robot3"};
    std::vector<coopsim::Param> named{std::uint64_t{0}};
    named.insert(named.end(), robots.begin(), robots.end());
    sim.ask("/sim/world", RESET);
    auto lengths = sim.ask("/sim/step", LAYOUT).data;
    sim.ask("/sim/step", CLAIM, robots);
    std::vector<double> readings;
    for (int step = 0; step < STEPS; step++) {
        double turn = step % 80 < 40 ? 0.25 : -0.25;
        readings = sim.ask("/sim/step", STEP, named, {0.25, turn, 0.3125, turn, 0.375, turn}).data;
    }
    std::printf("%zu readings a step, %.0f of each robot\n", readings.size(), lengths[1]);
    for (const auto &robot : robots) {
        auto name = std::get<std::string>(robot);
        auto pose = sim.ask("/" + name + "/odometry", POSE).data;
        std::printf("%s: x %.3f m, y %.3f m\n", name.c_str(), pose[0], pose[1]);
    }
    sim.ask("/sim/step", RELEASE);
}
