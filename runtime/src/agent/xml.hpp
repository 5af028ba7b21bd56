// SPDX-License-Identifier: Apache-2.0
/// \file As much XML as representations and profiles need: elements, attributes, text. Bounded in
/// depth and number, because it comes from a client. Attributes need no space between them: those
/// of the reference client's examples have none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ligament::xrce {

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string text;  ///< without space at its ends
  std::vector<Element> children;

  /// The first child of that name; null: none.
  [[nodiscard]] const Element* child(std::string_view child_name) const;
  /// The text of the first such child; empty: none.
  [[nodiscard]] std::string_view text_of(std::string_view child_name) const;
  [[nodiscard]] std::string_view attribute(std::string_view attribute_name) const;
};

/// The element around everything; nothing where the text is none.
[[nodiscard]] std::optional<Element> parse_xml(std::string_view text);

}  // namespace ligament::xrce
