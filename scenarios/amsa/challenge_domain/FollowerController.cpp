// Proportional control of the two components of the position error (AMSA, section 3.2).
#include "challenge/FollowerController.h"

#include <cmath>

namespace challenge {
namespace {

constexpr double reference = 15.0;  // distance that it keeps
constexpr double power = 300.0;     // for a speed of 1 in its own measure [%]

class FollowerControllerComponent : public FollowerController {
 public:
  // the angle between the axis of the rovers and the heading splits the error into what is missing along the heading
  // (gain Kv) and what is missing across it (gain Kw)
  Outputs do_step(const Inputs& inputs, const Parameters& parameters) override {
    const double axis = std::atan2(inputs.yLeader - inputs.yFollower, inputs.xLeader - inputs.xFollower);
    const double angle = axis - inputs.headingFollower, distance = inputs.distanceLeaderFollower;
    const double speed = parameters.Kv * (distance * std::cos(angle) - reference);
    const double turning = parameters.Kw * distance * std::sin(angle);
    return {power * (speed - turning), power * (speed + turning)};
  }
};

}  // namespace

std::unique_ptr<FollowerController> make_FollowerController() { return std::make_unique<FollowerControllerComponent>(); }

}  // namespace challenge
