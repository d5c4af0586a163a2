// Values of a reply by type and place; what is missing, or of another type, is no message.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "coopsim.hpp"

namespace coopsim {

/// Where some values stand: from start (below 0 = counted from the end) count of them, or all but end values if that is 0;
/// of these it is one of some equal parts.
struct Place {
    std::ptrdiff_t start;
    std::size_t count, end, part, parts;

    /// Return where they begin and end in so many values.
    std::pair<std::ptrdiff_t, std::ptrdiff_t> span(std::size_t length) const;
};

/// A run of data.
std::vector<double> numbers(const Message &reply, const Place &place);
/// A run of params.
std::vector<Param> values(const Message &reply, const Place &place);
/// A run of params that are texts.
std::vector<std::string> texts(const Message &reply, const Place &place);
/// One of the data.
double number_at(const Message &reply, std::ptrdiff_t place);
/// A param.
const Param &value_at(const Message &reply, std::ptrdiff_t place);
/// A param that is a number.
double float_at(const Message &reply, std::ptrdiff_t place);
/// A param that is an integer.
std::int64_t whole_at(const Message &reply, std::ptrdiff_t place);
/// A param that is a text.
std::string text_at(const Message &reply, std::ptrdiff_t place);

/// An integer as a param.
inline Param whole(std::int64_t value) {
    return value < 0 ? Param{value} : Param{static_cast<std::uint64_t>(value)};
}

/// Texts as params.
inline std::vector<Param> as_params(const std::vector<std::string> &texts) { return {texts.begin(), texts.end()}; }

template <typename T>
std::vector<T> chained(std::initializer_list<std::vector<T>> runs) {
    std::vector<T> all;
    for (const auto &run : runs) all.insert(all.end(), run.begin(), run.end());
    return all;
}

/// Runs of params as one.
inline std::vector<Param> flat(std::initializer_list<std::vector<Param>> runs) { return chained(runs); }
/// Runs of data as one.
inline std::vector<double> joined(std::initializer_list<std::vector<double>> runs) { return chained(runs); }

}  // namespace coopsim
