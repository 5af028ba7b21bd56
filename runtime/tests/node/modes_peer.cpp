// SPDX-License-Identifier: Apache-2.0
/// \file Publishes images on /image of a domain, its argument, until its standard input ends.
#include <poll.h>

#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    return 2;
  }
  const auto context = ligament::Context::create({.domain = argv[1], .run_id = "test"});
  if (!context) {
    return 1;
  }
  ligament::Node node("peer", ligament::NodeOptions().context(*context));
  const auto publisher = node.create_publisher<ligament::sensor_msgs::msg::Image>("image", 5);
  pollfd input{0, POLLIN, 0};
  while (::poll(&input, 1, 5) == 0) {
    publisher->publish(ligament::sensor_msgs::msg::Image{});
  }
  return 0;
}
