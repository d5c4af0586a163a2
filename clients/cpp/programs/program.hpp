// What the numbered programs share: they end, with words, when something goes wrong.
#ifndef PROGRAM_HPP
#define PROGRAM_HPP

#include "../coopsim.hpp"

#include <cstdio>

void program(coopsim::Client &sim);

int main() {
    try {
        coopsim::Client sim;
        program(sim);
    } catch (const coopsim::Error &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}

#endif
