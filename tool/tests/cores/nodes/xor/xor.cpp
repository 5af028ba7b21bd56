// SPDX-License-Identifier: Apache-2.0
// The same on the processor: what the core is compared with.
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>

namespace case_nodes {

class Xor : public ligament::Node {
 public:
  explicit Xor(const ligament::NodeOptions& options) : Node("xor", options) {
    const auto key = declare_parameter<std::int64_t>("key", 0);
    declare_parameter<std::int64_t>("pause", 0);
    declare_parameter<std::int64_t>("refuses", 0);
    publisher_ = create_publisher<Image>("out", 5);
    subscription_ = create_subscription<Image>("in", 5, [this, key](std::unique_ptr<Image> image) {
      for (auto& byte : image->data) {
        byte = static_cast<std::uint8_t>(byte ^ key);
      }
      publisher_->publish(std::move(image));
    });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;

  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Xor)
