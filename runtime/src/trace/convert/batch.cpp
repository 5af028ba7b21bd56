// SPDX-License-Identifier: Apache-2.0
#include "trace/convert/batch.hpp"

#include <algorithm>
#include <cstring>

namespace ligament::trace {

namespace {

std::size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::u8:
      return 1;
    case ColumnType::u32:
      return 4;
    case ColumnType::u64:
    case ColumnType::i64:
    case ColumnType::f64:
      return 8;
    case ColumnType::string:
      return 0;
  }
  return 0;
}

bool write_bytes(std::FILE* out, const void* data, std::size_t size) {
  return size == 0 || std::fwrite(data, 1, size, out) == size;
}

}  // namespace

ColumnBuffer::ColumnBuffer(std::string_view name, ColumnType type, std::size_t capacity)
    : name_(name),
      type_(type),
      width_(width_of(type)),
      valid_((capacity + 7) / 8),
      values_(width_ * capacity),
      offsets_(type == ColumnType::string ? capacity + 1 : 0) {}

void ColumnBuffer::set(std::size_t row, std::uint64_t bits) {
  used_ = true;
  valid_[row / 8] = static_cast<std::uint8_t>(valid_[row / 8] | (1U << (row % 8)));
  // Little-endian: the low bytes of the wide value are the narrow value.
  std::memcpy(values_.data() + row * width_, &bits, width_);
}

void ColumnBuffer::fill_offsets(std::size_t row) {
  // Rows without text since the last one begin and end where that one ended.
  const auto end = static_cast<std::int32_t>(values_.size());
  for (auto next = row + 1; next-- > 1 && offsets_[next] == 0;) {
    offsets_[next] = end;
  }
}

void ColumnBuffer::set_text(std::size_t row, std::string_view text) {
  used_ = true;
  valid_[row / 8] = static_cast<std::uint8_t>(valid_[row / 8] | (1U << (row % 8)));
  fill_offsets(row);
  values_.insert(values_.end(), text.begin(), text.end());
  offsets_[row + 1] = static_cast<std::int32_t>(values_.size());
}

void ColumnBuffer::describe(std::string& header, std::size_t rows) {
  header += "{\"name\":\"" + name_ + "\"";
  if (used_) {
    if (type_ == ColumnType::string) {
      fill_offsets(rows);
    }
    const auto values = type_ == ColumnType::string ? values_.size() : rows * width_;
    const auto offsets = type_ == ColumnType::string ? (rows + 1) * sizeof(std::int32_t) : 0;
    header += ",\"valid\":" + std::to_string(validity_bytes(rows)) +
              ",\"values\":" + std::to_string(values) + ",\"offsets\":" + std::to_string(offsets);
  }
  header += "}";
}

bool ColumnBuffer::write(std::FILE* out, std::size_t rows) const {
  if (!used_) {
    return true;
  }
  if (type_ == ColumnType::string) {
    return write_bytes(out, valid_.data(), validity_bytes(rows)) &&
           write_bytes(out, values_.data(), values_.size()) &&
           write_bytes(out, offsets_.data(), (rows + 1) * sizeof(std::int32_t));
  }
  return write_bytes(out, valid_.data(), validity_bytes(rows)) &&
         write_bytes(out, values_.data(), rows * width_);
}

void ColumnBuffer::clear() {
  if (!used_) {
    return;
  }
  used_ = false;
  std::fill(valid_.begin(), valid_.end(), std::uint8_t{0});
  if (type_ == ColumnType::string) {
    values_.clear();
    std::fill(offsets_.begin(), offsets_.end(), 0);
  }
}

Batch::Batch(std::size_t capacity) : capacity_(capacity) {
  columns_.reserve(fixed_count + field_columns.size());
  columns_.emplace_back("clock_id", ColumnType::u8, capacity);
  columns_.emplace_back("ticks", ColumnType::u64, capacity);
  columns_.emplace_back("time_ns", ColumnType::i64, capacity);
  columns_.emplace_back("bound_ns", ColumnType::i64, capacity);
  columns_.emplace_back("host", ColumnType::u8, capacity);
  columns_.emplace_back("event", ColumnType::u8, capacity);
  for (const Column& column : field_columns) {
    columns_.emplace_back(column.name, column.type, capacity);
  }
}

bool Batch::flush(std::FILE* out, const std::string& names) {
  if (rows_ == 0) {
    return true;
  }
  std::string header = "{" + names + "\"rows\":" + std::to_string(rows_) + ",\"columns\":[";
  for (ColumnBuffer& column : columns_) {
    column.describe(header, rows_);
    header += ',';
  }
  header.back() = ']';
  header += "}\n";
  bool written = write_bytes(out, header.data(), header.size());
  for (ColumnBuffer& column : columns_) {
    written = written && column.write(out, rows_);
    column.clear();
  }
  rows_ = 0;
  return written;
}

}  // namespace ligament::trace
