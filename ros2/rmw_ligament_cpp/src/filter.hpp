// SPDX-License-Identifier: Apache-2.0
/// \file A subscription's content filter: the text of filter_text.hpp, its names looked up in a
/// message type. It looks at the stored form alone, so a message that is not wanted is never read.
///
///   auto filter = ContentFilter::make(type, "header.frame_id = 'map' AND x > %0", {"3"});
///   if (!filter) { tell(filter.error()); }
///   if ((*filter)->wants(sample.payload())) { ... }
#pragma once

#include <ligament/expected.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "filter_text.hpp"
#include "message_type.hpp"
#include "stored_fields.hpp"

namespace rmw_ligament_cpp {

class ContentFilter {
 public:
  /// What is wrong is told in one sentence. `type` outlives the filter.
  [[nodiscard]] static ligament::expected<std::unique_ptr<const ContentFilter>, std::string> make(
      const MessageType& type, std::string text, std::vector<std::string> parameters);

  /// A comparison with an element that the message does not have is false. Bytes that do not begin
  /// as a message does are wanted, so that taking them tells of them.
  [[nodiscard]] bool wants(std::span<const std::byte> stored) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<std::string>& parameters() const { return parameters_; }

  /// A side of a comparison: a field of the message, or a value.
  struct Side {
    bool is_field = false;
    Path path;
    StoredValue value;
  };
  struct Comparison {
    Side left;
    FilterOperator relation = FilterOperator::equal;
    Side right;
  };

 private:
  ContentFilter() = default;

  const MessageType::Layout* layout_ = nullptr;
  std::string text_;
  std::vector<std::string> parameters_;
  std::vector<FilterNode> nodes_;
  std::vector<Comparison> comparisons_;
};

}  // namespace rmw_ligament_cpp
