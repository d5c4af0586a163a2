// The leader: drives at constant speed; `behavior` says where to.
#include "challenge/freeRobot.h"

#include <cmath>

namespace challenge {
namespace {

constexpr double reference = 15.0;  // distance at which it waits for the follower
constexpr double speed = 4.35;      // [1/s]
constexpr double diagonal = 30.0 * M_PI / 180.0;
constexpr double circle = 0.1, wandering = 0.1;

class freeRobotComponent : public freeRobot {
 public:
  void initialize() override {
    x_ = reference;
    y_ = turned_ = 0.0;
    moves_ = false;
  }

  // 1 straight along x, 2 in a circle, 3 straight at 30 degrees to x, 4 by chance: its heading is a random walk
  Outputs do_step(const Inputs&, const Parameters& parameters) override {
    if (moves_) {
      turn(parameters.behavior);
      const double heading = turned_ + (parameters.behavior == 3 ? diagonal : 0.0);
      x_ += speed * period * std::cos(heading);
      y_ += speed * period * std::sin(heading);
    }
    moves_ = true;
    return {x_, y_};
  }

 private:
  void turn(std::int64_t behavior) {
    if (behavior == 2) turned_ += circle * period;
    if (behavior == 4) turned_ += std::normal_distribution<double>(0.0, wandering)(random) * std::sqrt(period);
  }

  double x_ = 0.0, y_ = 0.0, turned_ = 0.0;
  bool moves_ = false;
};

}  // namespace

std::unique_ptr<freeRobot> make_freeRobot() { return std::make_unique<freeRobotComponent>(); }

}  // namespace challenge
