// SPDX-License-Identifier: Apache-2.0
/// \file Compiled with -fno-exceptions: the API needs none.
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>

using ligament::std_msgs::msg::String;

void use(ligament::Node& node) {
  auto publisher = node.create_publisher<String>("a", 1);
  auto subscription = node.create_subscription<String>("a", 1, [](const String&) {});
  (void)publisher->publish(String{});
}
