#include "coopsim_events.hpp"

#include <algorithm>

#include "coopsim_values.hpp"

namespace coopsim {

static constexpr std::ptrdiff_t params_of_event = 5, first_name = 8;

// The data of a message, run by run.
class Runs {
   public:
    Runs(const Message &message, std::ptrdiff_t first) : next_(message.data.begin() + first), end_(message.data.end()) {}

    std::vector<double> next(std::int64_t count) {
        if (count < 0 || count > end_ - next_)
            throw Malformed(std::to_string(count) + " values where " + std::to_string(end_ - next_) + " are left");
        const auto first = next_;
        next_ += static_cast<std::ptrdiff_t>(count);
        return {first, next_};
    }

   private:
    std::vector<double>::const_iterator next_, end_;
};

std::vector<Event> events_of(const Message &message) {
    const auto first = whole_at(message, 0);
    const auto end = static_cast<std::ptrdiff_t>(message.params.size());
    Runs data(message, 0);
    std::vector<Event> events;
    for (std::ptrdiff_t place = 1; place < end; place += params_of_event) {
        auto values = data.next(whole_at(message, place + 4));
        events.push_back({first + static_cast<std::int64_t>(events.size()), text_at(message, place), text_at(message, place + 1),
                          text_at(message, place + 2), whole_at(message, place + 3), std::move(values)});
    }
    return events;
}

State state_of(const Message &message) {
    const auto bodies = whole_at(message, 6), robots = whole_at(message, 7);
    const auto rest = static_cast<std::int64_t>(message.params.size()) - first_name;
    if (bodies < 0 || robots < 0 || bodies > rest || robots > rest || bodies + 2 * robots != rest)
        throw Malformed("a state of " + std::to_string(message.params.size()) + " params");
    State state{message.target, message.tick, number_at(message, 0), whole_at(message, 0), whole_at(message, 1), whole_at(message, 2),
                text_at(message, 3), whole_at(message, 4) == 1, whole_at(message, 5) == 1, {}, {}};
    Runs data(message, 1);
    const auto first_robot = first_name + static_cast<std::ptrdiff_t>(bodies);
    for (auto place = first_name; place < first_robot; place++) {
        const auto pose = data.next(7);
        std::copy(pose.begin(), pose.end(), state.poses[text_at(message, place)].begin());
    }
    for (auto place = first_robot; place < first_robot + static_cast<std::ptrdiff_t>(robots); place++)
        state.readings[text_at(message, place)] = data.next(whole_at(message, place + static_cast<std::ptrdiff_t>(robots)));
    return state;
}

}  // namespace coopsim
