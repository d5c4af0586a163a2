#include "coopsim_values.hpp"

namespace coopsim {

std::pair<std::ptrdiff_t, std::ptrdiff_t> Place::span(std::size_t length) const {
    const auto size = static_cast<std::ptrdiff_t>(length), first = start < 0 ? size + start : start;
    const auto all = count > 0 ? static_cast<std::ptrdiff_t>(count) : size - first - static_cast<std::ptrdiff_t>(end);
    const auto share = all / static_cast<std::ptrdiff_t>(parts);
    if (first < 0 || all < 0 || all > size - first || share * static_cast<std::ptrdiff_t>(parts) != all)
        throw Malformed("a reply of " + std::to_string(length) + " values");
    const auto begin = first + static_cast<std::ptrdiff_t>(part) * share;
    return {begin, begin + share};
}

std::vector<double> numbers(const Message &reply, const Place &place) {
    const auto [first, end] = place.span(reply.data.size());
    return {reply.data.begin() + first, reply.data.begin() + end};
}

std::vector<Param> values(const Message &reply, const Place &place) {
    const auto [first, end] = place.span(reply.params.size());
    return {reply.params.begin() + first, reply.params.begin() + end};
}

double number_at(const Message &reply, std::ptrdiff_t place) {
    return reply.data[static_cast<std::size_t>(Place{place, 1, 0, 0, 1}.span(reply.data.size()).first)];
}

const Param &value_at(const Message &reply, std::ptrdiff_t place) {
    return reply.params[static_cast<std::size_t>(Place{place, 1, 0, 0, 1}.span(reply.params.size()).first)];
}

static std::string text(const Param &value) {
    if (const auto *text = std::get_if<std::string>(&value)) return *text;
    throw Malformed("a number where a text is meant");
}

std::vector<std::string> texts(const Message &reply, const Place &place) {
    std::vector<std::string> found;
    for (const auto &value : values(reply, place)) found.push_back(text(value));
    return found;
}

std::string text_at(const Message &reply, std::ptrdiff_t place) { return text(value_at(reply, place)); }

double float_at(const Message &reply, std::ptrdiff_t place) {
    const auto &value = value_at(reply, place);
    if (const auto *number = std::get_if<double>(&value)) return *number;
    if (const auto *number = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*number);
    if (const auto *number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    throw Malformed("a text where a number is meant");
}

std::int64_t whole_at(const Message &reply, std::ptrdiff_t place) {
    const auto &value = value_at(reply, place);
    const auto *number = std::get_if<std::uint64_t>(&value);
    if (number != nullptr && *number <= INT64_MAX) return static_cast<std::int64_t>(*number);
    if (const auto *below = std::get_if<std::int64_t>(&value)) return *below;
    throw Malformed("another value where an integer of 64 bits is meant");
}

}  // namespace coopsim
