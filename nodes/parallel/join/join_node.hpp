// SPDX-License-Identifier: Apache-2.0
/// \file The node `parallel/join`.
#pragma once

#include <ligament/node.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/u_int64.hpp>
#include <memory>
#include <string>

#include "join/join.hpp"

namespace ligament::nodes::parallel {

/// The scheduler of workers that are ordinary nodes: a source's message goes to all of them, in
/// place, and the next one when all have answered. So workers overlap, and messages do not.
class JoinNode : public Node {
 public:
  explicit JoinNode(const NodeOptions& options)
      : Node("join", options),
        join_(static_cast<std::size_t>(whole_number("workers", 2, {1, 32, 1}))),
        left_(whole_number("steps", 0, {0, 1'099'511'627'776, 1})) {
    done_ = create_publisher<std_msgs::msg::UInt64>("done", 10);
    parts_ = create_subscription<sensor_msgs::msg::Image>(
        "parts", 5, [this](const Sample<sensor_msgs::msg::Image>& part) { answered(part); });
  }

 private:
  std::int64_t whole_number(const std::string& name, std::int64_t value, IntegerRange range) {
    ParameterDescriptor descriptor;
    descriptor.read_only = true;
    descriptor.integer_range = range;
    return declare_parameter<std::int64_t>(name, value, descriptor);
  }

  void answered(const Sample<sensor_msgs::msg::Image>& part) {
    const auto& stamp = part.view().header().stamp();
    const std::int64_t stamp_ns =
        std::int64_t{stamp.sec()} * 1'000'000'000 + std::int64_t{stamp.nanosec()};
    const std::uint64_t given_up = join_.given_up();
    if (!join_.add(stamp_ns, part.info().publisher_id())) {
      return;
    }
    if (join_.given_up() != given_up && given_up == 0) {
      report_error("a worker has not answered a message that others have: it is given up");
    }
    std_msgs::msg::UInt64 message;
    message.data = static_cast<std::uint64_t>(stamp_ns);
    done_->publish(message);
    if (left_ != 0 && --left_ == 0) {
      finish();
    }
  }

  Join join_;
  std::int64_t left_;  ///< messages; 0: endless, or complete
  std::shared_ptr<Publisher<std_msgs::msg::UInt64>> done_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> parts_;
};

}  // namespace ligament::nodes::parallel
