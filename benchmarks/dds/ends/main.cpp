// SPDX-License-Identifier: Apache-2.0
// ligament-bench-dds: one end of a measured topic, for `ligament bench dds`.
//
//   ligament-bench-dds publish|subscribe|ping|pong --through pool|inside|cyclone --topic NAME ...
//
// Prints `ready`, then one line of JSON with its figures. Through `pool` it needs an edge there;
// through `inside` it has one in its own process.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "channel.hpp"

namespace ligament::bench_dds {

void fail(const std::string& text) {
  std::fprintf(stderr, "ligament-bench-dds: %s\n", text.c_str());
  std::exit(1);
}

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t match_ns = 30 * second_ns;
/// After the first message: a receiver that hears nothing for so long has heard all it will.
constexpr std::int64_t silence_ns = 4 * second_ns;

void sleep_until(std::int64_t time_ns) {
  const timespec until{time_ns / second_ns, time_ns % second_ns};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

void print(const nlohmann::json& line) {
  std::puts(line.dump().c_str());
  std::fflush(stdout);
}

void print_ready() {
  std::puts("ready");
  std::fflush(stdout);
}

std::unique_ptr<Channel> open(const Options& options, const std::string& out,
                              const std::string& in) {
  return options.through == "cyclone" ? open_cyclone(options, out, in)
                                      : open_pool(options, out, in);
}

/// Both sides must know of each other; a writer knows its readers before they know it.
void await_listeners(Channel& channel, std::size_t wanted) {
  const std::int64_t deadline = now_ns() + match_ns;
  while (channel.listeners() < wanted) {
    if (now_ns() > deadline) {
      fail("nobody came to listen within 30 s");
    }
    sleep_until(now_ns() + second_ns / 1000);
  }
  sleep_until(now_ns() + second_ns / 2);
}

/// What was lost is asked for again; who has heard the last message leaves.
void await_end_of_listeners(Channel& channel) {
  const std::int64_t deadline = now_ns() + silence_ns;
  while (channel.listeners() != 0 && now_ns() < deadline) {
    sleep_until(now_ns() + second_ns / 100);
  }
}

int publish(const Options& options) {
  const auto channel = open(options, options.topic, "");
  print_ready();
  // Through the pool the edge is the one who listens, however many there are behind it.
  await_listeners(*channel, options.through == "cyclone" ? options.subscribers : 1);
  std::vector<std::int64_t> publish_ns;
  std::uint64_t failed = 0;
  std::int64_t next = now_ns();
  for (std::uint64_t sequence = 1; sequence <= options.total(); ++sequence) {
    sleep_until(next);
    const auto sent = channel->send(sequence);
    if (!sent) {
      ++failed;
    } else if (sequence > options.warmup) {
      publish_ns.push_back(now_ns() - *sent);
    }
    next = std::max(next + options.pacing_us * 1000, now_ns());
  }
  print({{"role", "publish"}, {"failed", failed}, {"publish_ns", publish_ns}});
  await_end_of_listeners(*channel);
  print({{"role", "publisher's edge"}, {"topics", channel->edge_topics()}});
  return 0;
}

int subscribe(const Options& options) {
  const auto channel = open(options, "", options.topic);
  print_ready();
  std::vector<std::int64_t> latency_ns;
  std::uint64_t received = 0;
  std::uint64_t last = 0;
  std::int64_t deadline = now_ns() + match_ns;
  while (last < options.total()) {
    const auto stamp = channel->receive(deadline);
    if (!stamp) {
      break;
    }
    const std::int64_t now = now_ns();
    last = stamp->sequence;
    deadline = now + silence_ns + options.pacing_us * 1000;
    ++received;
    if (last > options.warmup) {
      latency_ns.push_back(now - stamp->sent_ns);
    }
  }
  print({{"role", "subscribe"},
         {"latency_ns", latency_ns},
         {"lost", options.total() - std::min(received, options.total())}});
  print({{"role", "subscriber's edge"}, {"topics", channel->edge_topics()}});
  return 0;
}

int pong(const Options& options) {
  const auto channel = open(options, options.topic + "_pong", options.topic + "_ping");
  print_ready();
  std::int64_t deadline = now_ns() + match_ns;
  for (std::uint64_t last = 0; last < options.total();) {
    const auto stamp = channel->receive(deadline);
    if (!stamp) {
      break;
    }
    last = stamp->sequence;
    deadline = now_ns() + silence_ns + options.pacing_us * 1000;
    (void)channel->send(last);
  }
  sleep_until(now_ns() + second_ns / 2);
  return 0;
}

int ping(const Options& options) {
  const auto channel = open(options, options.topic + "_ping", options.topic + "_pong");
  print_ready();
  await_listeners(*channel, 1);
  std::vector<std::int64_t> round_trip_ns;
  std::uint64_t lost = 0;
  std::int64_t next = now_ns();
  for (std::uint64_t sequence = 1; sequence <= options.total(); ++sequence) {
    sleep_until(next);
    const auto sent = channel->send(sequence);
    const auto back = sent ? channel->receive(now_ns() + silence_ns) : std::nullopt;
    if (!back || back->sequence != sequence) {
      ++lost;
    } else if (sequence > options.warmup) {
      round_trip_ns.push_back(now_ns() - *sent);
    }
    next = std::max(next + options.pacing_us * 1000, now_ns());
  }
  print({{"role", "ping"}, {"latency_ns", round_trip_ns}, {"lost", lost}});
  return 0;
}

void declare(CLI::App& app, Options& options) {
  app.add_option("role", options.role, "publish, subscribe, ping, pong")
      ->required()
      ->check(CLI::IsMember({"publish", "subscribe", "ping", "pong"}));
  app.add_option("--through", options.through,
                 "pool (with an edge), inside (with an edge in this process), cyclone (its C API)")
      ->required()
      ->check(CLI::IsMember({"pool", "inside", "cyclone"}));
  app.add_option("--topic", options.topic, "fresh per run")->required();
  app.add_option("--pool", options.pool, "name of the pool");
  app.add_option("--domain-id", options.domain_id, "DDS domain")->check(CLI::Range(0, 232));
  app.add_option("--bytes", options.bytes, "of the array in a message")
      ->check(CLI::Range(sizeof(Stamp), std::size_t{1} << 30));
  app.add_option("--depth", options.depth, "of both histories")->check(CLI::Range(1, 1000));
  app.add_option("--messages", options.messages, "that count");
  app.add_option("--warmup", options.warmup, "messages before, that do not");
  app.add_option("--pacing-us", options.pacing_us, "from one message to the next");
  app.add_option("--subscribers", options.subscribers, "that the publisher waits for");
}

}  // namespace
}  // namespace ligament::bench_dds

int main(int argc, char** argv) {
  using namespace ligament::bench_dds;
  CLI::App app{"One end of a topic of `ligament bench dds`."};
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.role == "publish") {
    return publish(options);
  }
  if (options.role == "subscribe") {
    return subscribe(options);
  }
  return options.role == "ping" ? ping(options) : pong(options);
}
