// The follower: two wheels whose speeds are in proportion to their powers.
#include "challenge/controlledRobot.h"

#include <cmath>

namespace challenge {
namespace {

constexpr double full_speed = 15.0;  // of a wheel at 100 % of its power [1/s]
constexpr double track = 6.0;        // distance of the wheels

class controlledRobotComponent : public controlledRobot {
 public:
  void initialize() override {
    x_ = y_ = heading_ = 0.0;
    moves_ = false;
  }

  Outputs do_step(const Inputs& inputs, const Parameters&) override {
    if (moves_) {
      const double left = inputs.powerL * full_speed / 100.0, right = inputs.powerR * full_speed / 100.0;
      const double turn = (right - left) / track * period, way = (left + right) / 2.0 * period;
      x_ += way * std::cos(heading_ + turn / 2.0);
      y_ += way * std::sin(heading_ + turn / 2.0);
      heading_ += turn;
    }
    moves_ = true;
    return {x_, y_, heading_};
  }

 private:
  double x_ = 0.0, y_ = 0.0, heading_ = 0.0;
  bool moves_ = false;
};

}  // namespace

std::unique_ptr<controlledRobot> make_controlledRobot() { return std::make_unique<controlledRobotComponent>(); }

}  // namespace challenge
