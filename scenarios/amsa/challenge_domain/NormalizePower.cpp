// Keeps powers within the limits; of these, worn motors apply `motorCoef` percent.
#include "challenge/NormalizePower.h"

#include <algorithm>

namespace challenge {
namespace {

class NormalizePowerComponent : public NormalizePower {
 public:
  Outputs do_step(const Inputs& inputs, const Parameters& parameters) override {
    const double low = parameters.powerMin, high = parameters.powerMax, share = static_cast<double>(parameters.motorCoef) / 100.0;
    return {std::min(std::max(inputs.powerL, low), high) * share, std::min(std::max(inputs.powerR, low), high) * share};
  }
};

}  // namespace

std::unique_ptr<NormalizePower> make_NormalizePower() { return std::make_unique<NormalizePowerComponent>(); }

}  // namespace challenge
