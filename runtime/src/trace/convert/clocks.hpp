// SPDX-License-Identifier: Apache-2.0
/// \file The clocks of a recording on one timeline.
///
/// The first clock met is the timeline's own. Another clock with the same UUID (LTTng: the boot id)
/// is the same clock, whatever its session read as its offset. A clock of another computer is moved
/// by what the two sessions read as their offsets from real time; how wrong that is nobody knows
/// here, so its rows have no bound.
#pragma once

#include <babeltrace2/babeltrace.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/convert/row_writer.hpp"

namespace ligament::trace {

class Clocks {
 public:
  /// Code of a stream's clock.
  [[nodiscard]] std::uint8_t code(const bt_stream* stream, const std::string& host);
  /// Fill in ticks, time and bound.
  void stamp(std::uint64_t ticks, std::uint8_t clock, Stamp& result) const;
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// What has to be added to the timeline to get real time; 0 before the first clock.
  [[nodiscard]] std::int64_t real_time_offset_ns() const;
  /// Clocks that were moved onto the timeline, and by how much.
  struct Moved {
    std::string host;
    std::int64_t by_ns;
  };
  [[nodiscard]] std::vector<Moved> moved() const;

 private:
  struct Clock {
    std::string host;
    std::array<std::uint8_t, 16> uuid{};
    bool has_uuid = false;
    std::uint64_t frequency = 1'000'000'000;
    std::int64_t offset_ns = 0;  ///< from real time
    std::int64_t move_ns = 0;    ///< onto the timeline
    bool same = true;
  };

  [[nodiscard]] static Clock read(const bt_clock_class* known, const std::string& host);
  [[nodiscard]] static bool is_same(const Clock& one, const Clock& other);

  std::vector<std::string> names_;
  std::vector<Clock> clocks_;
};

}  // namespace ligament::trace
