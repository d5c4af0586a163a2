// A client of coopsim in C++17: the client in C (../c) with exceptions, and memory that frees itself.
//
//   coopsim::Client sim;
//   auto ranges = sim.ask("/robot1/sonars", 10).data;
//   sim.ask("/robot1/motors", 10, {}, {0.3, 0.1});
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

struct coopsim_client;

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
    explicit Refused(const Message &reply);
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

/// The bytes of a request; its run 0 = for whichever is there.
std::string encode(const Message &request, std::uint64_t run = 0);

/// The message of some bytes.
Message decode(const std::string &raw);

/// A client of one run at host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571. For one thread at a time.
class Client {
   public:
    explicit Client(const std::string &address = "", double timeout = 5.0);
    Client(const std::string &address, std::chrono::duration<double> timeout) : Client(address, timeout.count()) {}

    /// Connect by TLS, with our file NAME.key and the server's NAME.pub.
    Client(const std::string &address, double timeout, const std::string &own, const std::string &server);

    /// Number of the run; another one refuses what is meant for this one.
    std::uint64_t run() const;

    /// Send a request and return its reply.
    Message ask(const std::string &target, std::uint64_t command, const std::vector<Param> &params = {},
                const std::vector<double> &data = {});

    /// The same with a time-out of its own, for writing and for the reply.
    Message ask_within(std::chrono::duration<double> timeout, const std::string &target, std::uint64_t command,
                       const std::vector<Param> &params = {}, const std::vector<double> &data = {});

    /// Send several requests to the simulation, whatever their ids, then wait for all replies, as a STEP in parts needs it.
    std::vector<Message> ask_all(const std::vector<Message> &requests);

    /// Connect anew, to the same run; Refused with 208 when another one is there, which a new client may drive.
    void reconnect();

    /// Wait for the next state of a topic that was subscribed to: ask("/sim/info", 11, {topic}).
    Message state();

    /// The client in C that does the work.
    ::coopsim_client *handle() const { return sim_.get(); }

   private:
    std::unique_ptr<::coopsim_client, void (*)(::coopsim_client *)> sim_;
};

}  // namespace coopsim
