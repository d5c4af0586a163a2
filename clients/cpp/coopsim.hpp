// A client of coopsim in C++17: the client in C (../c) with exceptions, and memory that frees itself.
//
//   coopsim::Client sim;
//   auto ranges = sim.ask("/robot1/sonars", 10).data;
//   sim.ask("/robot1/motors", 10, {}, {0.3, 0.1});
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../c/coopsim.h"

namespace coopsim {

using Param = std::variant<std::uint64_t, std::int64_t, double, std::string>;  // int64_t: below zero

/// A reply or a state.
struct Message {
    std::uint64_t id = 0, tick = 0, error = 0, command = 0;
    std::string target, text;
    std::vector<Param> params;
    std::vector<double> data;
};

/// Something went wrong between this program and the simulation.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The server refuses; `number` says why (protocol, section 11), `params` what a program needs.
struct Refused : Error {
    std::uint64_t number;
    std::vector<Param> params;
    explicit Refused(const Message &reply)
        : Error("error " + std::to_string(reply.error) + ": " + reply.text), number(reply.error), params(reply.params) {}
};

/// No reply came in time.
struct Silent : Error {
    using Error::Error;
};

/// There is no connection; make a new client.
struct Lost : Error {
    using Error::Error;
};

/// The server sent something that is no message.
struct Malformed : Error {
    using Error::Error;
};

namespace detail {

inline coopsim_param plain(const Param &param) {
    if (auto text = std::get_if<std::string>(&param)) {
        auto found = coopsim_text(text->c_str());
        found.length = text->size();
        return found;
    }
    if (auto value = std::get_if<double>(&param)) return coopsim_float(*value);
    auto found = coopsim_whole(0);
    if (auto whole = std::get_if<std::uint64_t>(&param)) found.whole = *whole;
    if (auto below = std::get_if<std::int64_t>(&param)) found = coopsim_whole(*below);
    return found;
}

inline std::vector<coopsim_param> plain(const std::vector<Param> &params) {
    std::vector<coopsim_param> found;
    for (const auto &param : params) found.push_back(plain(param));
    return found;
}

inline Param param(const coopsim_param &plain) {
    switch (plain.type) {
        case coopsim_param::COOPSIM_UINT: return plain.whole;
        case coopsim_param::COOPSIM_INT: return static_cast<std::int64_t>(plain.whole);
        case coopsim_param::COOPSIM_FLOAT: return plain.value;
        default: return std::string(plain.text, plain.length);
    }
}

/// A message of the client in C, which is freed in the end.
struct Plain {
    coopsim_message message{};
    Plain() = default;
    Plain(const Plain &) = delete;
    Plain &operator=(const Plain &) = delete;
    ~Plain() { coopsim_free(&message); }

    Message read() const {
        Message found{message.id, message.tick, message.error, message.command, message.target, message.text, {}, {}};
        for (std::size_t place = 0; place < message.n_params; place++) found.params.push_back(param(message.params[place]));
        found.data.assign(message.data, message.data + message.n_data);
        return found;
    }
};

inline Message checked(int outcome, const Plain &reply) {
    switch (outcome) {
        case COOPSIM_OK: return reply.read();
        case COOPSIM_REFUSED: throw Refused(reply.read());
        case COOPSIM_SILENT: throw Silent(coopsim_problem());
        case COOPSIM_LOST: throw Lost(coopsim_problem());
        default: throw Malformed(coopsim_problem());
    }
}

}  // namespace detail

/// The bytes of a request; its run 0 = for whichever is there.
inline std::string encode(const Message &request, std::uint64_t run = 0) {
    auto params = detail::plain(request.params);
    coopsim_message plain{};
    plain.id = request.id, plain.tick = request.tick, plain.command = request.command, plain.run = run;
    plain.target = request.target.c_str();
    plain.params = params.data(), plain.n_params = params.size();
    plain.data = request.data.data(), plain.n_data = request.data.size();
    std::size_t size = 0;
    std::unique_ptr<char, void (*)(void *)> raw(coopsim_encode(&plain, &size), std::free);
    return {raw.get(), size};
}

/// The message of some bytes.
inline Message decode(const std::string &raw) {
    detail::Plain plain;
    return detail::checked(coopsim_decode(raw.data(), raw.size(), &plain.message), plain);
}

/// A client of one run at host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571. For one thread at a time.
class Client {
   public:
    explicit Client(const std::string &address = "", double timeout = 5.0)
        : sim_(coopsim_connect(address.empty() ? nullptr : address.c_str(), timeout), coopsim_close) {
        if (!sim_) throw Lost(coopsim_problem());
    }

    /// Number of the run; another one refuses what is meant for this one.
    std::uint64_t run() const { return coopsim_run(sim_.get()); }

    /// Send a request and return its reply.
    Message ask(const std::string &target, std::uint64_t command, const std::vector<Param> &params = {},
                const std::vector<double> &data = {}) {
        detail::Plain reply;
        auto plain = detail::plain(params);
        int outcome = coopsim_ask(sim_.get(), target.c_str(), command, plain.data(), plain.size(), data.data(), data.size(),
                                  &reply.message);
        return detail::checked(outcome, reply);
    }

    /// Wait for the next state of a topic that was subscribed to: ask("/sim/info", 11, {topic}).
    Message state() {
        detail::Plain state;
        return detail::checked(coopsim_state(sim_.get(), &state.message), state);
    }

   private:
    std::unique_ptr<::coopsim_client, void (*)(::coopsim_client *)> sim_;
};

}  // namespace coopsim
