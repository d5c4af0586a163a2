// Asks what is there, and for something that is not.
#include "program.hpp"

constexpr int PING = 0, LIST = 10;

void program(coopsim::Client &sim) {
    auto kind = std::get<std::string>(sim.ask("/robot1/motors", PING).params.at(0));
    std::printf("/robot1/motors is a %s\n", kind.c_str());
    for (const auto &name : sim.ask("/sim/names", LIST, {"/robot1/"}).params) std::puts(std::get<std::string>(name).c_str());
    try {
        sim.ask("/robotX/motors", PING);
    } catch (const coopsim::Refused &refusal) {
        std::printf("refused with %d\n", static_cast<int>(refusal.number));
    }
}
