// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <ligament/detail/pool.hpp>
#include <ligament/log_throttle.hpp>
#include <utility>

namespace ligament {
namespace {

/// Longer texts differ in what follows, which is a peer's to choose.
constexpr std::size_t longest_pattern = 100;
/// Kinds beyond the limit share this one. No text has it as its pattern: it holds a digit.
constexpr std::string_view other_kinds = "0";

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
}

/// The text without what differs from line to line: words that hold a digit, and quoted names.
std::string pattern_of(std::string_view text) {
  std::string pattern;
  for (std::size_t at = 0; at < text.size() && pattern.size() < longest_pattern;) {
    const auto end_of_word = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at),
                                              text.end(), is_part_of_word);
    const std::string_view word(
        text.substr(at, static_cast<std::size_t>(end_of_word - text.begin()) - at));
    if (!word.empty()) {
      pattern += word.find_first_of("0123456789") != word.npos ? "#" : word;
      at += word.size();
      continue;
    }
    const std::size_t close = text[at] == '\'' ? text.find('\'', at + 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      pattern += "''";
      at = close + 1;
    } else {
      pattern += text[at++];
    }
  }
  return pattern;
}

/// 1852 -> "1,852"
std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

}  // namespace

LogThrottle::LogThrottle(Write write)
    : LogThrottle(std::move(write), Limits{}, pool::monotonic_now_ns) {}

LogThrottle::LogThrottle(Write write, Limits limits, Clock now)
    : write_(std::move(write)), limits_(limits), now_(std::move(now)) {}

LogThrottle::LogThrottle(const Logger& logger)
    : LogThrottle([logger](LogLevel level, std::string_view text) {
        if (logger.is_enabled(level)) {
          logger.write(level, text);
        }
      }) {}

LogThrottle::~LogThrottle() { flush(); }

/// Under mutex_. What a peer makes us keep has a bound.
LogThrottle::Kind& LogThrottle::kind_of(std::string_view text) {
  std::string pattern = pattern_of(text);
  if (const auto known = kinds_.find(pattern); known != kinds_.end()) {
    return known->second;
  }
  return kinds_[kinds_.size() < limits_.kinds ? std::move(pattern) : std::string(other_kinds)];
}

void LogThrottle::write(LogLevel level, std::string_view text) {
  std::vector<Line> lines;
  {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_ns = now_();
    end_periods(now_ns, false, lines);
    Kind& kind = kind_of(text);
    if (kind.written == 0) {
      kind.begin_ns = now_ns;
    }
    if (kind.written < limits_.burst) {
      ++kind.written;
      lines.push_back({level, std::string(text)});
    } else {
      ++kind.left_out;
      kind.level = std::max(kind.level, level);
      kind.last = text;
    }
  }
  pass_on(lines);
}

void LogThrottle::tick() {
  std::vector<Line> lines;
  {
    const std::lock_guard lock(mutex_);
    end_periods(now_(), false, lines);
  }
  pass_on(lines);
}

void LogThrottle::flush() {
  std::vector<Line> lines;
  {
    const std::lock_guard lock(mutex_);
    end_periods(now_(), true, lines);
  }
  pass_on(lines);
}

/// Under mutex_. A kind whose period is over is forgotten: its next line begins a new one.
void LogThrottle::end_periods(std::int64_t now_ns, bool all, std::vector<Line>& lines) {
  std::erase_if(kinds_, [&](const auto& entry) {
    const Kind& kind = entry.second;
    const bool over = now_ns - kind.begin_ns >= limits_.period_ns;
    if ((over || all) && kind.left_out != 0) {
      tell(kind, now_ns, lines);
    }
    return over || all;
  });
}

void LogThrottle::tell(const Kind& kind, std::int64_t now_ns, std::vector<Line>& lines) const {
  constexpr std::int64_t second_ns = 1'000'000'000;
  const std::int64_t passed_s = (now_ns - kind.begin_ns + second_ns - 1) / second_ns;
  lines.push_back({kind.level, fmt::format("and {} more in {} s: {}", with_commas(kind.left_out),
                                           std::max<std::int64_t>(passed_s, 1), kind.last)});
}

/// Without our lock: whoever gets a line may cause one.
void LogThrottle::pass_on(const std::vector<Line>& lines) const {
  for (const Line& line : lines) {
    write_(line.level, line.text);
  }
}

}  // namespace ligament
