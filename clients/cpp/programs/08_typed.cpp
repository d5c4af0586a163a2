// Drives three robots by names: commands, readings, parameters and refusals as this language has them.
#include <algorithm>
#include <array>
#include <cstdio>

#include "../coopsim_errors.hpp"
#include "../coopsim_modules.hpp"

static constexpr std::array<const char *, 3> robots{"robot1", "robot2", "robot3"};

static void drive(coopsim::Client &sim) {
    coopsim::World(sim).reset();
    coopsim::Stepper stepper(sim, {robots.begin(), robots.end()});
    for (int step = 1; step <= 40; step++) {
        for (std::size_t index = 0; index < robots.size(); index++)
            stepper.set_differential_drive(robots[index], 0.1 * static_cast<double>(index + 1), 0.05);
        const auto seen = stepper.step();
        for (const auto *robot : robots) {
            if (step < 40) continue;
            const auto ranges = seen.sonars(robot).ranges;
            const auto nearest = *std::min_element(ranges.begin(), ranges.end());
            std::printf("%s: nearest %.3f m, speed %.3f m/s\n", robot, nearest, seen.differential_drive(robot).v);
        }
    }
}

int main() try {
    coopsim::Client sim;
    drive(sim);
    const auto pose = coopsim::Odometry(sim, "/robot3/odometry").pose();
    std::printf("robot3 is at x %.3f m, y %.3f m\n", pose.x, pose.y);
    const coopsim::Sonars sonars(sim, "/robot1/sonars");
    const auto reach = sonars.get_reach();
    std::printf("reach was %.1f m, is %.1f m\n", reach, sonars.set_reach(2.0));
    sonars.set_reach(reach);
    try {
        coopsim::Sonars(sim, "/robotX/sonars").ranges();
    } catch (const coopsim::Refused &refusal) {
        std::printf("refused: no such name %s\n", refusal.number == coopsim::error_code::no_such_name ? "true" : "false");
    }
} catch (const coopsim::Error &problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
