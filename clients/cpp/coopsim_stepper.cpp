#include "coopsim_stepper.hpp"

#include "../c/coopsim_stepper.h"

namespace coopsim {

namespace {

::coopsim_stepper *open(Client &client, const std::vector<std::string> &robots) {
    std::vector<const char *> names;
    for (const auto &robot : robots) names.push_back(robot.c_str());
    return coopsim_stepper_open(client.handle(), names.data(), names.size());
}

void check(int outcome, const coopsim_message *reply = nullptr) {
    if (outcome == COOPSIM_OK) return;
    Message refusal;
    if (reply != nullptr) refusal.error = reply->error, refusal.text = reply->text == nullptr ? "" : reply->text;
    switch (outcome) {
        case COOPSIM_REFUSED: throw Refused(refusal);
        case COOPSIM_SILENT: throw Silent(coopsim_problem());
        case COOPSIM_LOST: throw Lost(coopsim_problem());
        default: throw Malformed(coopsim_problem());
    }
}

}  // namespace

RawStepper::RawStepper(Client &client, const std::vector<std::string> &robots)
    : plain_(open(client, robots), [](::coopsim_stepper *stepper) { coopsim_stepper_close(stepper); }) {
    if (!plain_) throw Error(coopsim_problem());
}

void RawStepper::put(const char *robot, const char *module, const char *name, double value) {
    check(coopsim_stepper_put(plain_.get(), robot, module, name, &value, 1));
}

void RawStepper::put(const char *robot, const char *module, const char *name, const std::vector<double> &values) {
    check(coopsim_stepper_put(plain_.get(), robot, module, name, values.data(), values.size()));
}

void RawStepper::raw_step() {
    check(coopsim_stepper_step(plain_.get()), coopsim_stepper_reply(plain_.get()));
}

double RawStepper::number(const char *robot, const char *module, const char *name) const {
    int outcome = COOPSIM_OK;
    const double value = coopsim_stepper_number(plain_.get(), robot, module, name, &outcome);
    check(outcome);
    return value;
}

std::vector<double> RawStepper::numbers(const char *robot, const char *module, const char *name) const {
    int outcome = COOPSIM_OK;
    std::size_t count = 0;
    const double *values = coopsim_stepper_numbers(plain_.get(), robot, module, name, &count, &outcome);
    check(outcome);
    return {values, values + count};
}

std::uint64_t RawStepper::tick() const { return coopsim_stepper_reply(plain_.get())->tick; }

void RawStepper::close() { check(coopsim_stepper_close(plain_.release())); }

}  // namespace coopsim
