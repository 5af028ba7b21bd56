// SPDX-License-Identifier: Apache-2.0
/// \file The fields of a record that anybody may have written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "record/mcap.hpp"

namespace ligament::record {

/// The fields of a record, in their order; `is_good` is false as soon as one does not fit.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename Number>
  Number number() {
    Number value{};
    if (left_.size() < sizeof value) {
      is_good_ = false;
      return value;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> block() {
    const auto size = number<std::uint32_t>();
    if (size > left_.size()) {
      is_good_ = false;
      return {};
    }
    const auto found = left_.first(size);
    left_ = left_.subspan(size);
    return found;
  }
  std::string text() {
    const auto found = block();
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }
  TextMap map() {
    Fields entries(block());
    TextMap map;
    while (is_good_ && !entries.left_.empty() && entries.is_good_) {
      std::string key = entries.text();
      map.emplace_back(std::move(key), entries.text());
    }
    is_good_ = is_good_ && entries.is_good_;
    return map;
  }
  [[nodiscard]] bool is_good() const { return is_good_; }

 private:
  std::span<const std::byte> left_;
  bool is_good_ = true;
};

}  // namespace ligament::record
