// SPDX-License-Identifier: Apache-2.0
// Images of several sizes, each sent when the one before came back; a line per result.
#include <cstdint>
#include <fstream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Loop : public ligament::Node {
 public:
  explicit Loop(const ligament::NodeOptions& options) : Node("loop", options) {
    file_.open(declare_parameter<std::string>("file", ""));
    publisher_ = create_publisher<Image>("image", 5);
    subscription_ = create_subscription<Image>(
        "result", 5, [this](const ligament::Sample<Image>& sample) { write(sample); });
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (sent_ == 0 && publisher_->get_subscription_count() > 0 &&
          subscription_->get_publisher_count() > 0) {
        send();
      }
    });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;
  static constexpr std::uint32_t count = 5;

  void send() {
    Image image;
    image.header.frame_id = std::string(sent_, 'f');
    image.encoding = "mono8";
    image.height = 1;
    image.width = 1000 + 7 * sent_;
    image.step = image.width;
    for (std::uint32_t i = 0; i < image.width; ++i) {
      image.data.push_back(static_cast<std::uint8_t>(i * 31 + sent_));
    }
    ++sent_;
    publisher_->publish(image);
  }

  void write(const ligament::Sample<Image>& sample) {
    for (const std::byte byte : sample.bytes()) {
      file_ << std::to_integer<int>(byte) << ' ';
    }
    file_ << std::endl;
    if (sent_ == count) {
      finish();
    } else {
      send();
    }
  }

  std::ofstream file_;
  std::uint32_t sent_ = 0;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Loop)
