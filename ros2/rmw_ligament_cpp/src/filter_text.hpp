// SPDX-License-Identifier: Apache-2.0
/// \file The text of a content filter as DDS 1.4 has it (Annex B), taken apart:
///
///   auto tree = parse_filter("temp > %0 AND NOT (name LIKE 'lab%')", {"30.5"});
///   if (!tree) { tell(tree.error()); }               // a sentence that names the place
///
/// The text comes from whoever wrote the program's configuration. So its length, its depth and the
/// number of its comparisons are bounded, and whatever bytes it holds, the answer is a tree or a
/// sentence. What the names in it are is not known here: see filter.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rmw_ligament_cpp {

inline constexpr std::size_t most_filter_bytes = 4096;      ///< of the text, and of a parameter
inline constexpr std::size_t most_filter_parameters = 100;  ///< %0 to %99
inline constexpr std::size_t most_filter_depth = 64;        ///< of parentheses and NOT
inline constexpr std::size_t most_filter_comparisons = 256;
inline constexpr std::size_t most_path_steps = 32;

/// One name of `pose.covariance[7]`, with the element that is meant.
struct FilterStep {
  std::string name;
  bool has_index = false;
  std::size_t index = 0;
  bool operator==(const FilterStep&) const = default;
};

struct FilterField {
  std::vector<FilterStep> steps;
  [[nodiscard]] std::string text() const;
  bool operator==(const FilterField&) const = default;
};

/// Numbers are kept in the form that holds them exactly.
using FilterLiteral = std::variant<bool, std::int64_t, std::uint64_t, double, std::string>;
using FilterTerm = std::variant<FilterField, FilterLiteral>;

enum class FilterOperator : std::uint8_t {
  equal,
  not_equal,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  like,
};

struct FilterComparison {
  FilterTerm left;
  FilterOperator relation = FilterOperator::equal;
  FilterTerm right;
};

/// A node of the tree. `first` and `second` are places in FilterTree::nodes, of the operands; of a
/// comparison `first` is one in FilterTree::comparisons. BETWEEN is two comparisons.
struct FilterNode {
  enum class Kind : std::uint8_t { comparison, both, either, negation } kind = Kind::comparison;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

struct FilterTree {
  std::vector<FilterNode> nodes;  ///< operands before what they are operands of; the last is all
  std::vector<FilterComparison> comparisons;
};

/// What is wrong is told in one sentence.
[[nodiscard]] ligament::expected<FilterTree, std::string> parse_filter(
    std::string_view text, const std::vector<std::string>& parameters);

}  // namespace rmw_ligament_cpp
