#include "coopsim.hpp"

#include <cstdlib>

#include "../c/coopsim.h"

namespace coopsim {

namespace {

coopsim_param plain(const Param &param) {
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

std::vector<coopsim_param> plain(const std::vector<Param> &params) {
    std::vector<coopsim_param> found;
    for (const auto &param : params) found.push_back(plain(param));
    return found;
}

Param param(const coopsim_param &plain) {
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

Message checked(int outcome, const Plain &reply) {
    switch (outcome) {
        case COOPSIM_OK: return reply.read();
        case COOPSIM_REFUSED: throw Refused(reply.read());
        case COOPSIM_SILENT: throw Silent(coopsim_problem());
        case COOPSIM_LOST: throw Lost(coopsim_problem());
        default: throw Malformed(coopsim_problem());
    }
}

}  // namespace

Refused::Refused(const Message &reply)
    : Error("error " + std::to_string(reply.error) + ": " + reply.text), number(reply.error), params(reply.params) {}

std::string encode(const Message &request, std::uint64_t run) {
    auto params = plain(request.params);
    coopsim_message plain{};
    plain.id = request.id, plain.tick = request.tick, plain.command = request.command, plain.run = run;
    plain.target = request.target.c_str();
    plain.params = params.data(), plain.n_params = params.size();
    plain.data = request.data.data(), plain.n_data = request.data.size();
    std::size_t size = 0;
    std::unique_ptr<char, void (*)(void *)> raw(coopsim_encode(&plain, &size), std::free);
    return {raw.get(), size};
}

Message decode(const std::string &raw) {
    Plain plain;
    return checked(coopsim_decode(raw.data(), raw.size(), &plain.message), plain);
}

Client::Client(const std::string &address, double timeout)
    : sim_(coopsim_connect(address.empty() ? nullptr : address.c_str(), timeout), coopsim_close) {
    if (!sim_) throw Lost(coopsim_problem());
}

Client::Client(const std::string &address, double timeout, const std::string &own, const std::string &server)
    : sim_(coopsim_connect_keys(address.empty() ? nullptr : address.c_str(), timeout, own.c_str(), server.c_str()),
           coopsim_close) {
    if (!sim_) throw Lost(coopsim_problem());
}

std::uint64_t Client::run() const { return coopsim_run(sim_.get()); }

Message Client::ask(const std::string &target, std::uint64_t command, const std::vector<Param> &params,
                    const std::vector<double> &data) {
    Plain reply;
    auto given = plain(params);
    int outcome = coopsim_ask(sim_.get(), target.c_str(), command, given.data(), given.size(), data.data(), data.size(),
                              &reply.message);
    return checked(outcome, reply);
}

Message Client::ask_within(std::chrono::duration<double> timeout, const std::string &target, std::uint64_t command,
                           const std::vector<Param> &params, const std::vector<double> &data) {
    Plain reply;
    auto given = plain(params);
    int outcome = coopsim_ask_within(sim_.get(), timeout.count(), target.c_str(), command, given.data(), given.size(),
                                     data.data(), data.size(), &reply.message);
    return checked(outcome, reply);
}

std::vector<Message> Client::ask_all(const std::vector<Message> &requests) {
    std::vector<std::vector<coopsim_param>> params;
    std::vector<coopsim_message> plain_requests;
    std::vector<Plain> replies(requests.size());
    std::vector<coopsim_message> plain_replies(requests.size());
    for (const auto &request : requests) params.push_back(plain(request.params));
    for (std::size_t place = 0; place < requests.size(); place++) {
        coopsim_message message{};
        message.target = requests[place].target.c_str(), message.command = requests[place].command;
        message.params = params[place].data(), message.n_params = params[place].size();
        message.data = requests[place].data.data(), message.n_data = requests[place].data.size();
        plain_requests.push_back(message);
    }
    const int outcome = coopsim_ask_all(sim_.get(), plain_requests.data(), requests.size(), plain_replies.data());
    for (std::size_t place = 0; place < replies.size(); place++) replies[place].message = plain_replies[place];
    std::vector<Message> told;
    for (const auto &reply : replies)
        if (outcome != COOPSIM_REFUSED || reply.message.error != 0) told.push_back(checked(outcome, reply));
    return told;
}

void Client::reconnect() {
    std::uint64_t there = 0;
    int outcome = coopsim_reconnect(sim_.get(), &there);
    if (outcome == COOPSIM_REFUSED) throw Refused(Message{0, 0, 208, 0, "", "another run is there", {there}, {}});
    if (outcome != COOPSIM_OK) checked(outcome, Plain());
}

Message Client::state() {
    Plain state;
    return checked(coopsim_state(sim_.get(), &state.message), state);
}

}  // namespace coopsim
