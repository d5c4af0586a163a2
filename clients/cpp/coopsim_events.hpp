// Events and states: messages with id 0, which Client::state brings once somebody subscribed.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "coopsim.hpp"

namespace coopsim {

/// What a program, or the simulation, published.
struct Event {
    std::int64_t number;  ///< of this connection; one that is left out is an event that was lost
    std::string topic, source, text;
    std::int64_t tick;
    std::vector<double> data;
};

/// The events of a message from /sim/events.
std::vector<Event> events_of(const Message &message);

/// A state of the stream.
struct State {
    std::string topic;
    std::uint64_t tick;
    double time;
    std::int64_t run, generation, revision;
    std::string mode;
    bool is_paused, has_ended;
    std::map<std::string, std::array<double, 7>> poses;  ///< x y z and a quaternion w x y z, by body
    std::map<std::string, std::vector<double>> readings;  ///< by robot
};

/// The state that a message tells.
State state_of(const Message &message);

}  // namespace coopsim
