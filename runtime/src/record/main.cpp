// SPDX-License-Identifier: Apache-2.0
/// ligament-bag: records a running graph into MCAP, plays such files, and shows a running graph.
/// `ligament record`, `play` and `view` start it; it tells them how it goes in lines of JSON on its
/// standard output.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "record/player.hpp"
#include "record/recorder.hpp"
#include "record/watch.hpp"

namespace {

using namespace ligament;
using namespace ligament::record;
using nlohmann::json;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr int failed = 1;
constexpr int mistaken = 2;

struct Arguments {
  std::string domain;
  std::vector<std::string> topics;
  std::string pattern;
  std::string types;
  std::string out;
  std::string file;
  double duration_s = 0;  // 0: none
  double rate = 1;
  bool waits = false;
  bool loop = false;
  std::uint32_t held = 16;
};

void declare_common(CLI::App& app, Arguments& arguments) {
  app.add_option("--domain", arguments.domain, "Name of the graph; else the only one that runs");
  app.add_option("--topic", arguments.topics, "Only this one; may be repeated");
  app.add_option("--regex", arguments.pattern, "Only topics in whose name it is found");
  app.add_option("--types", arguments.types, "JSON: types' hashes and definitions");
}

void declare(CLI::App& app, Arguments& arguments) {
  app.require_subcommand(1);
  CLI::App& record = *app.add_subcommand("record", "Write what a running graph publishes to MCAP");
  declare_common(record, arguments);
  record.add_option("--out", arguments.out, "Folder to make")->required();
  record.add_option("--duration", arguments.duration_s, "Seconds; 0: until the graph ends")
      ->check(CLI::NonNegativeNumber);
  record.add_flag("--wait", arguments.waits, "Reliable keep-all publishers wait for the disk");
  record.add_option("--held", arguments.held, "Samples of a topic that may wait for the disk")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  CLI::App& watch =
      *app.add_subcommand("watch", "Tell what a running graph publishes, as it is now");
  declare_common(watch, arguments);
  watch.add_option("--rate", arguments.rate, "Whole large messages of a topic in a second")
      ->check(CLI::Range(0.1, 100.0));
  CLI::App& play = *app.add_subcommand("play", "Publish a recording into a graph");
  declare_common(play, arguments);
  play.add_option("file", arguments.file, "An .mcap, or the folder of a recording")->required();
  play.add_option("--rate", arguments.rate, "How much faster than recorded")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  play.add_flag("--loop", arguments.loop, "Again and again, until it is interrupted");
}

int complain(int code, const std::string& text) {
  fmt::print(stderr, "ligament-bag: {}\n", text);
  return code;
}

void tell(const json& line) {
  fmt::print("{}\n", line.dump(-1, ' ', false, json::error_handler_t::replace));
  std::fflush(stdout);
}

void tell_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    tell({{"event", "note"}, {"text", note}});
  }
}

/// SIGINT and SIGTERM, blocked before any thread begins: only `is_ended` takes them. The tool has
/// the kernel send one when it dies.
sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a limit of the file's size is an error as a full disk is
  return signals;
}

/// Waits for the end until then; false: it has not come.
bool is_ended(const sigset_t& signals, std::int64_t until_ns) {
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(until_ns - pool::monotonic_now_ns(), 0);
    const timespec wait{static_cast<time_t>(left / second_ns), static_cast<long>(left % second_ns)};
    if (sigtimedwait(&signals, nullptr, &wait) >= 0) {
      return true;
    }
    if (errno != EINTR) {
      return false;
    }
  }
}

expected<Selection, std::string> selection_of(const Arguments& arguments) {
  Selection selection{arguments.topics, std::nullopt};
  if (!arguments.pattern.empty()) {
    try {
      selection.pattern.emplace(arguments.pattern);
    } catch (const std::regex_error& error) {
      return unexpected<std::string>(
          fmt::format("'{}' is no regular expression: {}", arguments.pattern, error.what()));
    }
  }
  return selection;
}

json told(const RecordFigures& figures, const char* event) {
  json topics = json::array();
  for (const TopicFigures& topic : figures.topics) {
    topics.push_back({{"topic", topic.topic},
                      {"type", topic.type},
                      {"messages", topic.messages},
                      {"bytes", topic.bytes},
                      {"lost", topic.lost}});
  }
  return {{"event", event},         {"messages", figures.messages},
          {"bytes", figures.bytes}, {"lost", figures.lost},
          {"topics", topics},       {"file_bytes", figures.file_bytes}};
}

int run_record(const Arguments& arguments, Types types, const sigset_t& signals) {
  const auto selection = selection_of(arguments);
  const auto target = find_target(arguments.domain);
  if (!selection || !target) {
    return complain(mistaken, !selection ? selection.error() : target.error());
  }
  auto recorder = Recorder::start(
      {*target, arguments.out, *selection, std::move(types), arguments.waits, arguments.held});
  if (!recorder) {
    return complain(failed, recorder.error());
  }
  tell({{"event", "recording"}, {"domain", target->domain}, {"out", arguments.out}});
  const std::int64_t start = pool::monotonic_now_ns();
  const auto end =
      arguments.duration_s > 0
          ? start + static_cast<std::int64_t>(std::min(arguments.duration_s, 1e9) * 1e9)
          : pool::no_deadline;
  std::int64_t tells_at = start + second_ns;
  std::int64_t now = start;
  while (now < end && !is_ended(signals, 0) && (*recorder)->work(std::min(end, tells_at))) {
    now = pool::monotonic_now_ns();
    if (now >= tells_at) {
      tells_at += second_ns;
      tell(told((*recorder)->figures(), "status"));
      tell_notes((*recorder)->take_notes());
    }
  }
  const bool has_ended = (*recorder)->has_ended();
  const auto finished = (*recorder)->finish();
  tell_notes((*recorder)->take_notes());
  if (!finished) {
    return complain(failed, finished.error());
  }
  json last = told(*finished, "finished");
  last["graph_ended"] = has_ended;
  last["seconds"] = static_cast<double>(pool::monotonic_now_ns() - start) / 1e9;
  tell(last);
  return 0;
}

int run_watch(const Arguments& arguments, const sigset_t& signals) {
  const auto selection = selection_of(arguments);
  const auto target = find_target(arguments.domain);
  if (!selection || !target) {
    return complain(mistaken, !selection ? selection.error() : target.error());
  }
  const auto between_ns = static_cast<std::int64_t>(1e9 / arguments.rate);
  const auto watched = watch({*target, *selection, between_ns}, signals);
  return watched ? 0 : complain(failed, watched.error());
}

json told(const PlayFigures& figures, const char* event) {
  return {{"event", event},
          {"in_file", figures.in_file},
          {"duration_ns", figures.duration_ns},
          {"published", figures.published},
          {"bytes", figures.bytes},
          {"refused", figures.refused},
          {"latest_ns", figures.latest_ns}};
}

/// The graph that runs; or, if the user names one that does not, a new one.
expected<Target, std::string> target_to_play(const std::string& domain) {
  auto target = find_target(domain);
  if (!target && !domain.empty()) {
    return Target{domain, fmt::format("play-{}", ::getpid())};
  }
  return target;
}

int play_all(Player& player, const Arguments& arguments, const sigset_t& signals) {
  std::int64_t tells_at = pool::monotonic_now_ns() + second_ns;
  bool is_stopped = false;
  const auto wait_until = [&](std::int64_t due) {
    for (;;) {
      is_stopped = is_ended(signals, std::min(due, tells_at));
      if (is_stopped || pool::monotonic_now_ns() < tells_at) {
        return !is_stopped;
      }
      tells_at += second_ns;
      tell(told(player.figures(), "status"));
    }
  };
  do {
    player.rewind();
    for (bool more = true; more;) {
      const auto stepped = player.step(wait_until);
      if (!stepped) {
        return complain(failed, stepped.error());
      }
      more = *stepped;
    }
  } while (arguments.loop && !is_stopped);
  tell(told(player.figures(), "finished"));
  return 0;
}

int run_play(const Arguments& arguments, Types types, const sigset_t& signals) {
  const auto selection = selection_of(arguments);
  const auto target = target_to_play(arguments.domain);
  if (!selection || !target) {
    return complain(mistaken, !selection ? selection.error() : target.error());
  }
  auto player =
      Player::open({arguments.file, *target, arguments.rate, *selection, std::move(types)});
  if (!player) {
    return complain(mistaken, player.error());
  }
  tell_notes((*player)->notes());
  if (auto started = (*player)->start(); !started) {
    return complain(failed, started.error());
  }
  tell({{"event", "playing"}, {"domain", target->domain}});
  return play_all(**player, arguments, signals);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Records what a running graph publishes, and plays it again."};
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : mistaken;
  }
  const sigset_t signals = end_signals();
  Types types;
  if (!arguments.types.empty()) {
    auto read = read_types(arguments.types);
    if (!read) {
      return complain(mistaken, read.error());
    }
    types = std::move(*read);
  }
  if (app.got_subcommand("watch")) {
    return run_watch(arguments, signals);
  }
  return app.got_subcommand("record") ? run_record(arguments, std::move(types), signals)
                                      : run_play(arguments, std::move(types), signals);
}
