// Steps of many robots in one message: what they take and give, by robot, module and name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coopsim.hpp"

struct coopsim_stepper;

namespace coopsim {

/// Steps robots; the last command of one holds until there is another. It gives them back when it ends.
class RawStepper {
   public:
    /// Claim robots, none = all, and learn what a step of them takes and gives.
    explicit RawStepper(Client &client, const std::vector<std::string> &robots = {});

    /// Set a value, or a run of values, of the next command of a robot.
    void put(const char *robot, const char *module, const char *name, double value);
    void put(const char *robot, const char *module, const char *name, const std::vector<double> &values);

    /// Do a step; when the scene has changed, robots begin anew with commands of 0.
    void raw_step();

    /// A value, or a run of values, of the last step.
    double number(const char *robot, const char *module, const char *name) const;
    std::vector<double> numbers(const char *robot, const char *module, const char *name) const;

    /// The tick of the last step.
    std::uint64_t tick() const;

    /// Give the robots back now; an error says that it failed.
    void close();

   private:
    std::unique_ptr<::coopsim_stepper, void (*)(::coopsim_stepper *)> plain_;
};

}  // namespace coopsim
