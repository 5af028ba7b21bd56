// SPDX-License-Identifier: Apache-2.0
/// \file Small parts that the image nodes share: parameters with limits, errors told once.
#pragma once

#include <bitset>
#include <ligament/node.hpp>
#include <opencv2/core/utility.hpp>

namespace ligament::nodes::image {

/// A whole number within limits, fixed once the node runs.
inline std::int64_t integer_parameter(Node& node, const std::string& name, std::int64_t value,
                                      IntegerRange range) {
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  descriptor.integer_range = range;
  return node.declare_parameter<std::int64_t>(name, value, descriptor);
}

inline double double_parameter(Node& node, const std::string& name, double value,
                               FloatingPointRange range) {
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  descriptor.floating_point_range = range;
  return node.declare_parameter<double>(name, value, descriptor);
}

/// One of some words; the first is the default.
inline std::string choice_parameter(Node& node, const std::string& name,
                                    const std::vector<std::string>& choices) {
  ParameterDescriptor descriptor;
  descriptor.read_only = true;
  descriptor.choices = choices;
  return node.declare_parameter<std::string>(name, choices.front(), descriptor);
}

/// OpenCV's number of threads is one per process. It is 1 by default, so that variants with many
/// processes and with one are compared at equal means; 0 lets OpenCV decide.
inline void apply_threads_parameter(Node& node) {
  const auto threads = integer_parameter(node, "threads", 1, {0, 1024, 1});
  cv::setNumThreads(threads == 0 ? -1 : static_cast<int>(threads));
}

/// Tells each kind of error once: a bad stream would else repeat it with every frame.
template <typename ErrorT>
class ToldOnce {
 public:
  /// True the first time.
  bool operator()(ErrorT error) {
    const auto bit = static_cast<std::size_t>(error) % told_.size();
    const bool first = !told_[bit];
    told_.set(bit);
    return first;
  }

 private:
  std::bitset<64> told_;
};

}  // namespace ligament::nodes::image
