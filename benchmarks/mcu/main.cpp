// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-mcu: the ends on this computer of `ligament bench mcu`; README.md says what
/// is measured.
///
///   ligament-bench-mcu ping --domain ros.42 --type-hash HEX --bytes 16 --messages 1000
///   ligament-bench-mcu watch --topic /imu --type sensor_msgs/msg/Imu --type-hash HEX --messages 3
///   ligament-bench-mcu link MEMORY --bell SOCKET [--raw] --bytes 16 --messages 1000
///   ligament-bench-mcu line --baud 115200
///   ligament-bench-mcu stream MEMORY --bell SOCKET --sleep-us 100
///
/// `ping` and `link` print one line of JSON, `watch` a line per message. `line` prints the names of
/// its two ends, then `ready`.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ends.hpp"

namespace bench {

std::string text_of(std::size_t bytes, std::size_t message) {
  std::string text(bytes, static_cast<char>('a' + message % 26));
  const std::string number = std::to_string(message);
  text.replace(0, std::min(number.size(), bytes), number, 0, bytes);
  return text;
}

void print_round_trips(const std::vector<std::int64_t>& round_trip_ns) {
  std::printf("%s\n", nlohmann::json{{"round_trip_ns", round_trip_ns}}.dump().c_str());
  std::fflush(stdout);
}

void fail(const std::string& text) {
  std::fprintf(stderr, "ligament-bench-mcu: %s\n", text.c_str());
  std::exit(1);
}

}  // namespace bench

namespace {

void declare_rounds(CLI::App& app, bench::Rounds& rounds) {
  app.add_option("--bytes", rounds.bytes, "of ASCII in a message")->check(CLI::Range(1, 1 << 20));
  app.add_option("--messages", rounds.messages, "that are measured")->check(CLI::PositiveNumber);
  app.add_option("--warmup", rounds.warmup, "before, that are not");
}

void declare_ping(CLI::App& app, bench::PingOptions& options) {
  CLI::App* ping = app.add_subcommand("ping", "a node behind the agent");
  ping->add_option("--domain", options.domain, "of the pool");
  ping->add_option("--type-hash", options.type_hash, "of std_msgs/msg/String")->required();
  ping->add_option_function<std::int64_t>(
      "--pause-us", [&options](std::int64_t us) { options.pause_ns = us * 1000; },
      "after each answer");
  ping->add_flag("--one-way", options.is_one_way, "answers begin with the core's clock");
  declare_rounds(*ping, options);
  ping->final_callback([&options] { bench::ping(options); });
}

void declare_watch(CLI::App& app, bench::WatchOptions& options) {
  CLI::App* watch = app.add_subcommand("watch", "a node behind the agent that only listens");
  watch->add_option("--domain", options.domain, "of the pool");
  watch->add_option("--topic", options.topic, "as /imu")->required();
  watch->add_option("--type", options.type, "as sensor_msgs/msg/Imu")->required();
  watch->add_option("--type-hash", options.type_hash, "of the type")->required();
  watch->add_option("--messages", options.messages, "after which it ends");
  watch->final_callback([&options] { bench::watch(options); });
}

void declare_link(CLI::App& app, bench::LinkOptions& options) {
  CLI::App* link = app.add_subcommand("link", "the link to a core, without agent and client");
  link->add_option("memory", options.memory, "file that is the core's memory")->required();
  link->add_option("--bell", options.bell, "socket of its interrupt")->required();
  link->add_flag("--raw", options.is_raw, "without RPMsg's headers");
  declare_rounds(*link, options);
  link->final_callback([&options] { bench::measure_link(options); });
}

void declare_stream(CLI::App& app, bench::StreamOptions& options) {
  CLI::App* stream = app.add_subcommand("stream", "a core's messages as a serial line");
  stream->add_option("memory", options.memory, "file that is the core's memory")->required();
  stream->add_option("--bell", options.bell, "socket of its interrupt")->required();
  stream->add_option("--sleep-us", options.sleep_us, "between two looks; 0: until something comes");
  stream->final_callback([&options] { bench::run_stream(options); });
}

void declare_line(CLI::App& app, bench::LineOptions& options) {
  CLI::App* line = app.add_subcommand("line", "a serial line with its rate");
  line->add_option("--baud", options.baud, "bits per second")->check(CLI::Range(1200, 4'000'000));
  line->final_callback([&options] { bench::run_line(options); });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("the ends on this computer that `ligament bench mcu` measures with");
  app.require_subcommand(1);
  bench::PingOptions ping;
  bench::WatchOptions watch;
  bench::LinkOptions link;
  bench::StreamOptions stream;
  bench::LineOptions line;
  declare_ping(app, ping);
  declare_watch(app, watch);
  declare_link(app, link);
  declare_stream(app, stream);
  declare_line(app, line);
  CLI11_PARSE(app, argc, argv);
  return 0;
}
