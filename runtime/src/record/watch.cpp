// SPDX-License-Identifier: Apache-2.0
#include "record/watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

namespace ligament::record {

namespace {

using nlohmann::json;

constexpr std::int64_t tell_each_ns = 1'000'000'000;
constexpr std::size_t longest_line = 1 << 16;

/// Lines of standard input, without waiting for them.
class Wishes {
 public:
  /// The last whole line that came; empty: none did. After the end, or a line without one,
  /// `is_over`.
  [[nodiscard]] std::string last_line() {
    std::string last;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    std::array<char, 4096> some{};
    while (!is_over_ && ::poll(&input, 1, 0) > 0) {
      const ssize_t got = ::read(STDIN_FILENO, some.data(), some.size());
      if (got < 0 && errno == EINTR) {
        continue;
      }
      is_over_ = got <= 0 || rest_.size() > longest_line;
      rest_.append(some.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      for (std::size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
        last = rest_.substr(0, end);
        rest_.erase(0, end + 1);
      }
    }
    return last;
  }
  [[nodiscard]] bool is_over() const { return is_over_; }

 private:
  std::string rest_;
  bool is_over_ = false;
};

/// The topics of a line; what is no list of texts is none.
std::optional<std::set<std::string, std::less<>>> topics_of(const std::string& line) {
  const json list = json::parse(line, nullptr, false);
  if (!list.is_array()) {
    return std::nullopt;
  }
  std::set<std::string, std::less<>> topics;
  for (const json& one : list) {
    if (one.is_string()) {
      topics.insert(one.get<std::string>());
    }
  }
  return topics;
}

bool write_all(std::string_view bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
}

bool tell(const json& line) {
  return write_all(line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

bool tell_message(const Told& told) {
  const auto* bytes = reinterpret_cast<const char*>(told.bytes.data());
  return tell({{"event", told.is_again ? "whole" : "message"},
               {"topic", told.topic.name},
               {"type", told.topic.type},
               {"t_ns", told.info.monotonic_ns},
               {"publisher", fmt::format("{:016x}", told.info.publisher)},
               {"sequence", told.info.sequence},
               {"size", told.size},
               {"bytes", told.bytes.size()}}) &&
         write_all({bytes, told.bytes.size()});
}

bool tell_topics(Watcher& watcher) {
  json topics = json::array();
  for (const auto& [name, topic] : watcher.topics()) {
    topics.push_back({{"topic", name},
                      {"type", topic.type},
                      {"publishers", topic.publishers.size()},
                      {"lost", topic.lost()}});
  }
  bool is_heard = tell({{"event", "topics"}, {"topics", std::move(topics)}});
  for (const std::string& note : watcher.take_notes()) {
    is_heard = is_heard && tell({{"event", "note"}, {"text", note}});
  }
  return is_heard;
}

/// True: a signal came.
bool sleeps_until(const sigset_t& signals, std::int64_t until_ns) {
  const std::int64_t left = std::max<std::int64_t>(until_ns - pool::monotonic_now_ns(), 0);
  const timespec wait{static_cast<time_t>(left / 1'000'000'000),
                      static_cast<long>(left % 1'000'000'000)};
  return ::sigtimedwait(&signals, nullptr, &wait) >= 0;
}

}  // namespace

expected<void, std::string> watch(WatchOptions options, const sigset_t& signals) {
  const Target target = options.target;
  auto started = Watcher::start(std::move(options));
  if (!started) {
    return unexpected<std::string>(started.error());
  }
  Watcher& watcher = **started;
  Wishes wishes;
  std::int64_t tells_at = 0;
  bool goes_on = tell({{"event", "watching"}, {"domain", target.domain}, {"run", target.run_id}});
  while (goes_on && !wishes.is_over()) {
    const std::int64_t now = pool::monotonic_now_ns();
    if (const std::string line = wishes.last_line(); !line.empty()) {
      if (auto topics = topics_of(line)) {
        watcher.want(std::move(*topics));
      }
    }
    goes_on = watcher.look(tell_message) && tell({{"event", "look"}, {"t_ns", now}});
    if (goes_on && now >= tells_at) {
      tells_at = now + tell_each_ns;
      goes_on = tell_topics(watcher);
    }
    goes_on = std::fflush(stdout) == 0 && goes_on && !sleeps_until(signals, now + look_each_ns);
  }
  (void)tell({{"event", "finished"}, {"graph_ended", watcher.has_ended()}});
  std::fflush(stdout);
  return {};
}

}  // namespace ligament::record
