// Gives the real distance of two rovers.
#include "challenge/DistanceMonitor.h"

#include <cmath>

namespace challenge {
namespace {

class DistanceMonitorComponent : public DistanceMonitor {
 public:
  Outputs do_step(const Inputs& inputs, const Parameters&) override {
    return {std::hypot(inputs.xLeader - inputs.xFollower, inputs.yLeader - inputs.yFollower)};
  }
};

}  // namespace

std::unique_ptr<DistanceMonitor> make_DistanceMonitor() { return std::make_unique<DistanceMonitorComponent>(); }

}  // namespace challenge
