// SPDX-License-Identifier: Apache-2.0
/// \file Must not compile: the callback takes another message than the subscription.
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/int32.hpp>
#include <ligament/std_msgs/msg/string.hpp>

void use(ligament::Node& node) {
  (void)node.create_subscription<ligament::std_msgs::msg::String>(
      "a", 1, [](const ligament::std_msgs::msg::Int32&) {});
}
