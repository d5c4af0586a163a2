// Sees every state of a robot without asking for it.
#include "program.hpp"

#include "../coopsim_events.hpp"

constexpr int RESET = 14, SUBSCRIBE = 11, CLAIM = 13, STEP = 11, RELEASE = 15;

void program(coopsim::Client &sim) {
    sim.ask("/sim/world", RESET);
    sim.ask("/sim/step", CLAIM, {"robot1"});
    sim.ask("/sim/info", SUBSCRIBE, {"/robot1"});
    for (int number = 1; number <= 50; number++) {
        auto tick = sim.ask("/sim/step", STEP, {std::uint64_t{0}, "robot1"}, {0.4, 0.1}).tick;
        auto state = coopsim::state_of(sim.state());
        while (state.tick < tick) state = coopsim::state_of(sim.state());
        if (number % 10 != 0) continue;
        for (const auto &[name, pose] : state.poses)
            std::printf("step %d: %s is at x %.3f m, y %.3f m\n", number, name.c_str(), pose[0], pose[1]);
    }
    sim.ask("/sim/step", RELEASE);
}
