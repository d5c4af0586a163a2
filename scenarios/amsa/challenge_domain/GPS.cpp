// Gives the place of a rover; of `lostDataGPS` percent of the samples nothing arrives, and the last one stays.
#include "challenge/GPS.h"

namespace challenge {
namespace {

class GPSComponent : public GPS {
 public:
  void initialize() override { last_ = {}; }

  Outputs do_step(const Inputs& inputs, const Parameters& parameters) override {
    const bool arrives = std::uniform_real_distribution<double>(0.0, 100.0)(random) >= static_cast<double>(parameters.lostDataGPS);
    if (arrives) last_ = {inputs.posX, inputs.posY};
    return last_;
  }

 private:
  Outputs last_;
};

}  // namespace

std::unique_ptr<GPS> make_GPS() { return std::make_unique<GPSComponent>(); }

}  // namespace challenge
