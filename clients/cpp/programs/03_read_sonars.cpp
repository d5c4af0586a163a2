// Reads the distances around a robot, and changes how far it sees.
#include "program.hpp"

constexpr int RESET = 14, RANGES = 10, GET_PARAMETER = 2, SET_PARAMETER = 3;

void program(coopsim::Client &sim) {
    sim.ask("/sim/world", RESET);
    std::printf("ranges");
    for (double distance : sim.ask("/robot1/sonars", RANGES).data) std::printf(" %.3f", distance);
    auto reach = std::get<double>(sim.ask("/robot1/sonars", GET_PARAMETER, {"reach"}).params.at(0));
    auto changed = std::get<double>(sim.ask("/robot1/sonars", SET_PARAMETER, {"reach", 2.0}).params.at(0));
    std::printf("\nreach was %.1f m, is %.1f m\n", reach, changed);
    sim.ask("/robot1/sonars", SET_PARAMETER, {"reach", reach});
}
