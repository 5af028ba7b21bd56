// SPDX-License-Identifier: Apache-2.0
/// \file ROS 2 names: rules, resolution, remapping, and the number that stands for a name.
///
///   RemapRules rules;
///   (void)rules.add("image", "/camera/image_raw", {"/left", "rectify"});
///   resolve_name("image", {"/left", "rectify"}, rules);        // "/camera/image_raw"
///   resolve_name("~/state", {"/left", "rectify"}, rules);      // "/left/rectify/state"
///
/// A name is resolved once, when an endpoint is made. The result is the topic's id: the same string
/// in the YAML, the mapping, the trace and the report; where a number is needed it is `name_hash`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ligament {

/// Which rule a name breaks.
enum class NameFault : std::uint8_t {
  empty,
  too_long,
  not_absolute,
  ends_with_slash,
  repeated_slash,
  repeated_underscore,
  starts_with_digit,
  bad_character,
  misplaced_tilde,
  bad_substitution,
};

/// What is wrong with a name, as a sentence that shows the name and the place.
struct NameError {
  NameFault fault = NameFault::empty;
  std::size_t position = 0;  ///< character in the name as it was given
  std::string text;
};

/// Where a node is: what relative and private names are resolved against.
struct NodePlace {
  std::string node_namespace = "/";
  std::string node_name;
};

/// ROS 2's limits: rmw's for topics, and for node names.
inline constexpr std::size_t max_topic_name_length = 247;
inline constexpr std::size_t max_node_name_length = 255;

/// A node's own name: letters, digits and _, no digit first.
[[nodiscard]] expected<void, NameError> validate_node_name(std::string_view name);
/// `/` or `/left/front`.
[[nodiscard]] expected<void, NameError> validate_namespace(std::string_view name);
/// A topic name as a node's author writes it: absolute, relative or private, with {node} and {ns}.
[[nodiscard]] expected<void, NameError> validate_topic_name(std::string_view name);

/// `from` -> `to`, both resolved in the node's place when the rule is added.
class RemapRules {
 public:
  [[nodiscard]] expected<void, NameError> add(std::string_view from, std::string_view to,
                                              const NodePlace& place);
  /// The name that the first matching rule gives, or the name itself.
  [[nodiscard]] const std::string& apply(const std::string& full_name) const;

 private:
  std::vector<std::pair<std::string, std::string>> rules_;
};

/// The fully qualified name, without remapping.
[[nodiscard]] expected<std::string, NameError> expand_name(std::string_view name,
                                                           const NodePlace& place);
/// The fully qualified name after remapping: the topic's id.
[[nodiscard]] expected<std::string, NameError> resolve_name(std::string_view name,
                                                            const NodePlace& place,
                                                            const RemapRules& rules);
/// `/ns` + `node`: the node's id.
[[nodiscard]] std::string join_name(std::string_view name_space, std::string_view name);

/// 64-bit FNV-1a: the numeric form of an id.
[[nodiscard]] constexpr std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char character : name) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
  }
  return hash;
}

}  // namespace ligament
