// Gives the heading of a rover [rad].
#include "challenge/Compass.h"

namespace challenge {
namespace {

class CompassComponent : public Compass {
 public:
  Outputs do_step(const Inputs& inputs, const Parameters&) override { return {inputs.heading}; }
};

}  // namespace

std::unique_ptr<Compass> make_Compass() { return std::make_unique<CompassComponent>(); }

}  // namespace challenge
