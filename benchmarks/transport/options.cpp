// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>

#include "stamp.hpp"

namespace ligament::bench {

namespace {

const std::map<std::string, Role> roles{{"subscribe", Role::subscribe},
                                        {"publish", Role::publish},
                                        {"ping", Role::ping},
                                        {"pong", Role::pong}};
const std::map<std::string, Floor> floors{{"memcpy", Floor::memcpy},
                                          {"futex", Floor::futex},
                                          {"broadcast", Floor::broadcast},
                                          {"line", Floor::line},
                                          {"lines", Floor::lines}};
const std::map<std::string, Wait> waits{
    {"poll", Wait::poll}, {"sleep", Wait::sleep}, {"none", Wait::idle}};

bool spins(Floor floor) { return floor == Floor::line || floor == Floor::lines; }

std::string check_topic(const std::string& text) {
  const bool good = !text.empty() && text.size() <= 40 &&
                    text.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-") == std::string::npos;
  return good ? "" : "at most 40 characters of A-Z, a-z, 0-9, _ and -";
}

std::string mistake_in(const Options& options, bool wait_given) {
  if (options.floor == Floor::none) {
    if (options.role == Role::none) {
      return "say what to do: subscribe, publish, ping, pong, or --floor";
    }
    if (options.readers > 1 && options.wait != Wait::idle) {
      return "--readers above 1 needs --wait none: one loop takes from one subscription";
    }
    const bool may_idle = options.role == Role::subscribe || options.role == Role::publish;
    return options.wait == Wait::idle && !may_idle ? "ping and pong have to wait: poll or sleep"
                                                   : "";
  }
  if (options.role != Role::none && options.role != Role::ping) {
    return "a floor has all its processes in one: leave the role away, or say ping";
  }
  if (options.role == Role::ping && options.floor != Floor::futex && !spins(options.floor)) {
    return "only the floors futex, line and lines go there and back";
  }
  const Wait own = spins(options.floor) ? Wait::poll : Wait::sleep;
  if (wait_given && options.wait != own && options.floor != Floor::memcpy) {
    return "the floors line and lines poll, futex and broadcast sleep: leave --wait away";
  }
  if (options.floor != Floor::broadcast && options.subscribers != 1) {
    return "only the floor broadcast has several subscribers";
  }
  return "";
}

void declare(CLI::App& app, Options& options) {
  app.add_option("role", options.role, "subscribe, publish, ping, pong")
      ->transform(CLI::CheckedTransformer(roles));
  app.add_option("--floor", options.floor,
                 "memcpy, futex, broadcast, line, lines: no transport at all")
      ->transform(CLI::CheckedTransformer(floors));
  app.add_option("--topic", options.topic, "fresh per run; the domain of the pool has its name")
      ->check(CLI::Validator(check_topic, "NAME"));
  app.add_option("--bytes", options.bytes, "of a message")
      ->check(CLI::Range(smallest_message, std::size_t{1} << 30));
  app.add_option("--wait", options.wait, "poll, sleep; none: a subscriber that never takes")
      ->transform(CLI::CheckedTransformer(waits));
  app.add_option("--messages", options.messages, "that count")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  app.add_option("--warmup", options.warmup, "messages before, that do not")
      ->check(CLI::Range(std::size_t{0}, std::size_t{10'000'000}));
  app.add_option("--subscribers", options.subscribers, "that the publisher waits for")
      ->check(CLI::Range(0, 64));
  app.add_option("--readers", options.readers, "subscriptions of this process")
      ->check(CLI::Range(1, 63));
  app.add_option("--index", options.index, "of this subscriber, for its result");
  app.add_option("--pacing-us", options.pacing_us, "from message to message; 0: as fast as it goes")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{60'000'000}));
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("one end of a transport, or a floor, for `ligament bench transport`");
  declare(app, options);
  std::string mistake;
  try {
    app.parse(argc, argv);
    mistake = mistake_in(options, app.count("--wait") > 0);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  if (!mistake.empty()) {
    std::fprintf(stderr, "ligament-bench-transport: %s\n", mistake.c_str());
    std::exit(2);
  }
  if (spins(options.floor)) {
    options.wait = Wait::poll;
  }
  return options;
}

}  // namespace ligament::bench
