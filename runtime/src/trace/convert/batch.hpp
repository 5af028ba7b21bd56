// SPDX-License-Identifier: Apache-2.0
/// \file A batch of table rows as columns, written to a pipe in Arrow's memory layout.
///
/// The stream is: one JSON line {"hosts": [..], "clocks": [..], "names": [..], "rows": n,
/// "columns": [{"name", "valid", "values", "offsets"}]} with the byte length of each buffer, then
/// those buffers back to back; at the end one JSON line
/// {"end": true, ...}. Validity is a bitmap (absent when no row has a value), strings are 32-bit
/// offsets and bytes. Python wraps the buffers as Arrow arrays without a copy.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "event_columns.hpp"

namespace ligament::trace {

/// One column of a batch. Rows without a value cost nothing but their bit.
class ColumnBuffer {
 public:
  ColumnBuffer(std::string_view name, ColumnType type, std::size_t capacity);

  /// Give row `row` a value. Rows come in ascending order; `bits` is the value's own bits.
  void set(std::size_t row, std::uint64_t bits);
  void set_text(std::size_t row, std::string_view text);

  /// Append this column's part of the header line.
  void describe(std::string& header, std::size_t rows);
  /// Write the buffers; false when the other end is gone.
  [[nodiscard]] bool write(std::FILE* out, std::size_t rows) const;
  void clear();

 private:
  [[nodiscard]] std::size_t validity_bytes(std::size_t rows) const { return (rows + 7) / 8; }
  void fill_offsets(std::size_t row);

  std::string name_;
  ColumnType type_;
  std::size_t width_;
  bool used_ = false;
  std::vector<std::uint8_t> valid_;
  std::vector<std::uint8_t> values_;
  std::vector<std::int32_t> offsets_;
};

/// The rows of one batch.
class Batch {
 public:
  explicit Batch(std::size_t capacity);

  enum Fixed : std::uint8_t { clock, ticks, time_ns, bound_ns, host, event, fixed_count };

  /// Whether the rows that one event may become might no longer fit.
  [[nodiscard]] bool nearly_full() const { return rows_ + rows_per_event > capacity_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  ColumnBuffer& fixed(Fixed column) { return columns_[column]; }
  ColumnBuffer& field(std::size_t column) { return columns_[fixed_count + column]; }
  void finish_row() { ++rows_; }
  /// Write and forget the rows; false when the other end is gone. `names` is put into the header
  /// line: JSON members that end with a comma.
  [[nodiscard]] bool flush(std::FILE* out, const std::string& names);

 private:
  static constexpr std::size_t rows_per_event = 1024;

  std::size_t capacity_;
  std::size_t rows_ = 0;
  std::vector<ColumnBuffer> columns_;
};

}  // namespace ligament::trace
