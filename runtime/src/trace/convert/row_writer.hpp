// SPDX-License-Identifier: Apache-2.0
/// \file Rows of the event table, one call each.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "trace/convert/batch.hpp"

namespace ligament::trace {

/// Where and when an event happened: what every row has.
struct Stamp {
  std::uint64_t ticks = 0;   ///< the clock's own reading
  std::int64_t time_ns = 0;  ///< the same on the timeline
  bool same_clock = true;    ///< the timeline's own clock; else its error is not known
  std::uint8_t clock = 0;
  std::uint8_t host = 0;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
};

/// What every row has, into the row that comes next.
void begin_row(Batch& batch, const Stamp& stamp, std::uint64_t event);

/// A column's value. Signed values are passed as their bits.
struct Value {
  ColumnId column;
  std::uint64_t bits;
};

struct Text {
  ColumnId column;
  std::string_view text;
};

/// Writes rows into a batch. The caller flushes the batch before it is full.
class RowWriter {
 public:
  explicit RowWriter(Batch& batch) : batch_(batch) {}

  void row(const Stamp& stamp, RowId kind, std::initializer_list<Value> values = {},
           std::initializer_list<Text> texts = {});
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  Batch& batch_;
  std::uint64_t rows_ = 0;
};

/// The bits of a signed value.
[[nodiscard]] constexpr std::uint64_t bits_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

}  // namespace ligament::trace
