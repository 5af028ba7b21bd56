// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/clocks.hpp"

#include <algorithm>

namespace ligament::trace {

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

std::uint64_t to_ns(std::uint64_t ticks, std::uint64_t frequency) {
  if (frequency == second_ns || frequency == 0) {
    return ticks;
  }
  return ticks / frequency * second_ns + ticks % frequency * second_ns / frequency;
}

}  // namespace

Clocks::Clock Clocks::read(const bt_clock_class* known, const std::string& host) {
  Clock clock{.host = host};
  if (known == nullptr) {
    return clock;
  }
  clock.frequency = bt_clock_class_get_frequency(known);
  std::int64_t seconds = 0;
  std::uint64_t cycles = 0;
  bt_clock_class_get_offset(known, &seconds, &cycles);
  clock.offset_ns = seconds * static_cast<std::int64_t>(second_ns) +
                    static_cast<std::int64_t>(to_ns(cycles, clock.frequency));
  if (const auto* uuid = bt_clock_class_get_uuid(known); uuid != nullptr) {
    std::copy_n(static_cast<const std::uint8_t*>(uuid), clock.uuid.size(), clock.uuid.begin());
    clock.has_uuid = true;
  }
  return clock;
}

bool Clocks::is_same(const Clock& one, const Clock& other) {
  return one.has_uuid && other.has_uuid ? one.uuid == other.uuid : one.host == other.host;
}

std::uint8_t Clocks::code(const bt_stream* stream, const std::string& host) {
  const bt_clock_class* known =
      bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream));
  const char* given = known != nullptr ? bt_clock_class_get_name(known) : nullptr;
  Clock clock = read(known, host);
  for (std::size_t index = 0; index < clocks_.size(); ++index) {
    if (is_same(clocks_[index], clock) && clocks_[index].frequency == clock.frequency) {
      return static_cast<std::uint8_t>(index);
    }
  }
  if (!clocks_.empty()) {
    clock.same = false;
    clock.move_ns = clock.offset_ns - clocks_.front().offset_ns;
  }
  clocks_.push_back(clock);
  const std::string name = given != nullptr ? given : "unknown";
  names_.push_back(clock.same ? name : name + "@" + host);
  return static_cast<std::uint8_t>(clocks_.size() - 1);
}

void Clocks::stamp(std::uint64_t ticks, std::uint8_t clock, Stamp& result) const {
  const Clock& known = clocks_[clock];
  result.ticks = ticks;
  result.clock = clock;
  result.same_clock = known.same;
  result.time_ns = static_cast<std::int64_t>(to_ns(ticks, known.frequency)) + known.move_ns;
}

std::int64_t Clocks::real_time_offset_ns() const {
  return clocks_.empty() ? 0 : clocks_.front().offset_ns;
}

std::vector<Clocks::Moved> Clocks::moved() const {
  std::vector<Moved> result;
  for (const Clock& clock : clocks_) {
    if (!clock.same) {
      result.push_back({clock.host, clock.move_ns});
    }
  }
  return result;
}

}  // namespace ligament::trace
