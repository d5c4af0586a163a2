// Answers the lines of docs/conformance.md, for `coopsim conformance client`.
#include "../coopsim.hpp"
#include "../coopsim_modules.hpp"

#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

using Words = std::vector<std::string>;
static std::optional<coopsim::Client> sim;
static std::map<std::string, std::optional<coopsim::Client>> clients;
static std::string current = "main";

static std::string hex(const std::string &raw) {
    static const char *const digits = "0123456789abcdef";
    std::string text;
    for (unsigned char byte : raw) (text += digits[byte >> 4]) += digits[byte & 15];
    return text;
}

static std::string from_hex(const std::string &text) {
    std::string raw;
    for (std::size_t at = 0; at + 1 < text.size(); at += 2) raw += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
    return raw;
}

static std::string written(const coopsim::Param &value) {
    if (auto text = std::get_if<std::string>(&value)) return "s:" + hex(*text);
    if (auto whole = std::get_if<std::uint64_t>(&value)) return "i:" + std::to_string(*whole);
    if (auto below = std::get_if<std::int64_t>(&value)) return "i:" + std::to_string(*below);
    std::uint64_t bits;
    std::memcpy(&bits, &std::get<double>(value), sizeof bits);
    char text[19];
    std::snprintf(text, sizeof text, "f:%016llx", static_cast<unsigned long long>(bits));
    return text;
}

template <typename Values>
static std::string list(const Values &values) {
    std::string text;
    for (const auto &value : values) (text += text.empty() ? "" : " ") += written(value);
    return text;
}

static coopsim::Param value(const std::string &word) {
    auto rest = word.substr(2);
    if (word[0] == 's') return from_hex(rest);
    if (word[0] == 'f') {
        std::uint64_t bits = std::stoull(rest, nullptr, 16);
        double number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }
    if (rest[0] == '-') return std::int64_t{std::stoll(rest)};
    return std::uint64_t{std::stoull(rest)};
}

static std::uint64_t natural(const std::string &word) { return std::get<std::uint64_t>(value(word)); }
static std::string text(const std::string &word) { return std::get<std::string>(value(word)); }

static std::vector<coopsim::Param> values(const std::string &words) {
    std::istringstream in(words);
    std::vector<coopsim::Param> found;
    for (std::string word; in >> word;) found.push_back(value(word));
    return found;
}

static std::vector<double> floats(const std::string &words) {
    std::vector<double> found;
    for (const auto &each : values(words)) found.push_back(std::get<double>(each));
    return found;
}

static Words told(const std::string &word, const coopsim::Message &it) {
    return {word, written(it.tick), list(it.params), list(it.data)};
}

static coopsim::Client &connected() {
    if (!sim) throw coopsim::Lost("there is no connection");
    return *sim;
}

/** Drive robots by names, and read what each sees; return how long that took. */
static double stepped(int count, const std::string &list_of_robots) {
    std::vector<std::string> robots;
    for (const auto &name : values(list_of_robots)) robots.push_back(std::get<std::string>(name));
    coopsim::Stepper stepper(connected(), robots);
    const auto began = std::chrono::steady_clock::now();
    for (; count > 0; count--) {
        for (const auto &robot : robots) stepper.set_differential_drive(robot.c_str(), 0.25, 0.125);
        const auto seen = stepper.step();
        for (const auto &robot : robots)
            if (seen.sonars(robot.c_str()).ranges.empty() || seen.differential_drive(robot.c_str()).v > 1)
                throw coopsim::Malformed(robot + " sees nothing, or is too fast");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

static Words done(const Words &words) {
    if (words[0] == "decode") {
        auto it = coopsim::decode(from_hex(words.at(1)));
        return {"message", written(it.id), written(it.target), written(it.tick), written(it.error),
                written(it.text), written(it.command), list(it.params), list(it.data)};
    }
    if (words[0] == "encode") {
        coopsim::Message it{natural(words.at(1)), natural(words.at(3)), 0, natural(words.at(4)), text(words.at(2)), "",
                            values(words.at(5)), floats(words.at(6))};
        return {"bytes", hex(coopsim::encode(it, natural(words.at(7))))};
    }
    if (words[0] == "connect") {
        sim.reset();
        sim.emplace(words.at(1), std::chrono::duration<double>(std::stod(words.at(2))));
        return {"connected", written(sim->run())};
    }
    if (words[0] == "tls") {
        sim.reset();
        sim.emplace(words.at(1), std::stod(words.at(2)), words.at(3), words.at(4));
        return {"connected", written(sim->run())};
    }
    if (words[0] == "ask")
        return told("reply", connected().ask(text(words.at(1)), natural(words.at(2)), values(words.at(3)), floats(words.at(4))));
    if (words[0] == "within")
        return told("reply", connected().ask_within(std::chrono::duration<double>(std::stod(words.at(1))), text(words.at(2)),
                                                    natural(words.at(3)), values(words.at(4)), floats(words.at(5))));
    if (words[0] == "reconnect") {
        connected().reconnect();
        return {"connected", written(sim->run())};
    }
    if (words[0] == "use") {
        std::swap(sim, clients[current]);
        current = words.at(1);
        std::swap(sim, clients[current]);
        return {"using", current};
    }
    if (words[0] == "time") {
        auto target = text(words.at(2));
        auto command = natural(words.at(3));
        auto params = values(words.at(4));
        auto data = floats(words.at(5));
        auto began = std::chrono::steady_clock::now();
        for (int left = std::stoi(words.at(1)); left > 0; left--) connected().ask(target, command, params, data);
        return {"time", written(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count())};
    }
    if (words[0] == "steps") return {"time", written(stepped(std::stoi(words.at(1)), words.at(2)))};
    if (words[0] == "state") {
        auto it = connected().state();
        return {"state", written(it.target), written(it.tick), list(it.params), list(it.data)};
    }
    if (words[0] == "close") {
        sim.reset();
        return {"closed"};
    }
    return {"unsupported"};
}

static Words answer(const Words &words) {
    try {
        return done(words);
    } catch (const coopsim::Refused &refusal) {
        return {"refused", written(refusal.number), list(refusal.params), refusal.what()};
    } catch (const coopsim::Silent &problem) {
        return {"silent", problem.what()};
    } catch (const coopsim::Lost &problem) {
        return {"lost", problem.what()};
    } catch (const coopsim::Malformed &problem) {
        return {"malformed", problem.what()};
    }
}

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        Words words;
        std::size_t from = 0, to;
        while ((to = line.find('\t', from)) != std::string::npos) words.push_back(line.substr(from, to - from)), from = to + 1;
        words.push_back(line.substr(from));
        std::string told;
        for (const auto &word : answer(words)) (told += told.empty() ? "" : "\t") += word;
        std::cout << told << std::endl;
    }
}
