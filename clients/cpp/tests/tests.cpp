// Tests that need no simulation: a server that this file plays answers. Ends with the number of what failed.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <thread>

#include "../coopsim_errors.hpp"
#include "../coopsim_events.hpp"
#include "../coopsim_modules.hpp"

using namespace coopsim;

static int failures;

static void expect(bool is_right, const char *what) {
    if (!is_right) std::printf("failed: %s\n", what);
    failures += !is_right;
}

template <typename Problem>
static void expect_thrown(const std::function<void()> &action, const char *what) {
    try {
        action();
        expect(false, what);
    } catch (const Problem &) {
        expect(true, what);
    }
}

static std::string bytes(const Message &reply, std::uint64_t error) {
    auto raw = encode(reply);
    if (error == 0) return raw;
    const auto at = raw.find(std::string("\x05\x00", 2)) + 1;  // tick, then the error of one byte
    return raw.replace(at, 1, std::string("\xcd") + static_cast<char>(error >> 8) + static_cast<char>(error & 255));
}

// A server for one client: PING gives a run, a function all else; its second value is the number of a refusal.
class Server {
   public:
    using Answer = std::function<std::pair<Message, std::uint64_t>(const Message &)>;

    explicit Server(Answer answer) : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in place{};
        socklen_t size = sizeof place;
        place.sin_family = AF_INET;
        place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto *where = reinterpret_cast<sockaddr *>(&place);
        if (bind(listener_, where, size) != 0 || listen(listener_, 1) != 0) throw Lost("no port");
        getsockname(listener_, where, &size);
        address = "127.0.0.1:" + std::to_string(ntohs(place.sin_port));
        thread_ = std::thread([this] { serve(); });
    }

    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    ~Server() {
        thread_.join();
        close(listener_);
    }

    std::string address;

   private:
    void serve() {
        const int end = accept(listener_, nullptr, nullptr);
        std::uint32_t length = 0;
        while (recv(end, &length, 4, MSG_WAITALL) == 4) {
            std::string raw(ntohl(length), '\0');
            if (recv(end, raw.data(), raw.size(), MSG_WAITALL) != static_cast<ssize_t>(raw.size())) break;
            const auto request = decode(raw);
            auto [reply, error] = request.command == 0 ? said({"clock", std::uint64_t{77}}) : answer_(request);
            reply.id = request.id, reply.tick = 5, reply.target = "/x", reply.command = request.command;
            raw = bytes(reply, error);
            length = htonl(static_cast<std::uint32_t>(raw.size()));
            if (send(end, &length, 4, MSG_NOSIGNAL) < 0 || send(end, raw.data(), raw.size(), MSG_NOSIGNAL) < 0) break;
        }
        close(end);
    }

   public:
    static std::pair<Message, std::uint64_t> said(std::vector<Param> params, std::vector<double> data = {}, std::uint64_t error = 0) {
        return {Message{0, 0, 0, 0, "", "", std::move(params), std::move(data)}, error};
    }

   private:
    Answer answer_;
    int listener_;
    std::thread thread_;
};

static void commands() {
    Message asked;
    Server server([&asked](const Message &request) {
        asked = request;
        return Server::said({});
    });
    Client sim(server.address, 30);
    expect(DifferentialDrive(sim, "/robot1/motors").set_velocity(0.5) == 5, "a command gives the tick");
    expect(asked.command == 10 && asked.data == std::vector<double>{0.5, 0}, "what is left out is as usual");
    World(sim).push("box", {1, 2, 3}, 4);
    expect(asked.params.size() == 1 && asked.data == std::vector<double>{1, 2, 3, 4}, "runs among values");
}

static void readings() {
    Server server([](const Message &) { return Server::said({"lockstep"}, {1, 2, 3, 4, 5, 6}); });
    Client sim(server.address, 30);
    const auto seen = Joints(sim, "/arm/arm").state();
    expect(seen.positions == std::vector<double>{1, 2} && seen.efforts == std::vector<double>{5, 6}, "runs share what came");
    expect_thrown<Malformed>([&sim] { Clock(sim).status(); }, "too few values");
    expect_thrown<Malformed>([&sim] { Sonars(sim, "/robot1/sonars").get_reach(); }, "a text for a number");
}

static void refusals() {
    Server server([](const Message &) { return Server::said({}, {}, error_code::no_such_name); });
    Client sim(server.address, 30);
    try {
        Sonars(sim, "/robotX/sonars").ranges();
        expect(false, "a refusal");
    } catch (const Refused &refusal) {
        expect(refusal.number == error_code::no_such_name, "its number");
    }
    expect_thrown<Error>([&sim] { Stepper stepper(sim); }, "no stepper");
}

static void steps() {
    std::uint64_t generation = 0;
    Server server([&generation](const Message &request) {
        const std::string types = R"({"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]], "takes_length": 2,
            "gives": [["sonars", "ranges", "m", 0, 2]], "gives_length": 2}})";
        if (request.command == 10)
            return Server::said({R"({"generation": )" + std::to_string(++generation) + R"(, "types": )" + types + R"(, "robots": [["robot1", "t"]]})"});
        if (request.command != 11) return Server::said({});
        const bool is_stale = request.params[0] == Param{std::uint64_t{1}};
        return is_stale ? Server::said({}, {}, error_code::stale_layout) : Server::said({std::uint64_t{2}}, {1, 2});
    });
    Client sim(server.address, 30);
    Stepper stepper(sim);
    expect_thrown<Malformed>([&stepper] { stepper.put("robot1", "motors", "v", {1, 2}); }, "two values where one is meant");
    stepper.set_differential_drive("robot1", 0.3, 0.1);
    const auto seen = stepper.step();
    expect(seen.sonars("robot1").ranges == std::vector<double>{1, 2} && seen.tick() == 5, "a stale layout is asked for again");
    expect_thrown<Malformed>([&seen] { seen.gps("robot1"); }, "a module that it has not");
    stepper.close();
}

static Param counted(std::uint64_t count) { return count; }

static Message message(std::vector<Param> params, std::vector<double> data) {
    Message told;
    told.params = std::move(params);
    told.data = std::move(data);
    return told;
}

static void streams() {
    const auto events = events_of(message({counted(4), "/a", "x", "hi", counted(8), counted(2), "/b", "y", "", counted(9), counted(0)}, {1, 2}));
    expect(events.size() == 2 && events[0].text == "hi" && events[0].data == std::vector<double>{1, 2}, "an event");
    expect(events[1].number == 5 && events[1].topic == "/b" && events[1].data.empty(), "the next event");
    const auto state = state_of(message({counted(7), counted(1), counted(2), "free", counted(0), counted(1), counted(1), counted(1), "box",
                                         "robot1", counted(2)}, {0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4}));
    expect(state.has_ended && !state.is_paused && state.poses.at("box")[6] == 6, "a state");
    expect(state.readings.at("robot1") == std::vector<double>{3, 4}, "its readings");
    for (const Param &count : {Param{std::int64_t{-1}}, counted(3), counted(std::uint64_t{1} << 62), Param{"two"}}) {
        expect_thrown<Malformed>([&count] { events_of(message({counted(4), "/a", "x", "hi", counted(8), count}, {1, 2})); }, "no events");
        expect_thrown<Malformed>(
            [&count] { state_of(message({counted(7), counted(1), counted(2), "free", counted(0), counted(1), count, counted(0), "box"}, {0.5})); },
            "no state");
    }
    expect_thrown<Malformed>([] { state_of(message({}, {})); }, "an empty state");
}

int main() {
    commands();
    readings();
    refusals();
    steps();
    streams();
    std::printf("%d failed\n", failures);
    return failures;
}
