// SPDX-License-Identifier: Apache-2.0
// Images of several sizes, each sent when an earlier one came back; a line per result.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>
#include <string>
#include <vector>

namespace case_nodes {

class Loop : public ligament::Node {
 public:
  explicit Loop(const ligament::NodeOptions& options) : Node("loop", options) {
    file_.open(declare_parameter<std::string>("file", ""));
    ahead_ = declare_parameter<std::int64_t>("ahead", 1);
    count_ = declare_parameter<std::int64_t>("count", 5);
    larger_ = declare_parameter<std::int64_t>("larger", 7);
    const bool side = declare_parameter<bool>("side", false);
    const bool result = declare_parameter<bool>("result", true);
    publisher_ = create_publisher<Image>("image", 5);
    if (result) {
      listen("result", "");
    }
    if (side) {
      listen("side", "side ");
    }
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (sent_ == 0 && is_connected()) {
        for (std::int64_t i = 0; i < ahead_; ++i) {
          send();
        }
      }
    });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;
  /// A topic that results come on.
  struct Ear {
    std::shared_ptr<ligament::Subscription<Image>> subscription;
    std::int64_t came = 0;
  };

  void listen(const std::string& port, const std::string& mark) {
    const std::size_t place = ears_.size();
    ears_.emplace_back();
    ears_[place].subscription = create_subscription<Image>(
        port, 5, [this, place, mark](const ligament::Sample<Image>& sample) {
          file_ << mark;
          write(sample);
          ++ears_[place].came;
          go_on();
        });
  }

  bool is_connected() const {
    bool connected = publisher_->get_subscription_count() > 0;
    for (const Ear& ear : ears_) {
      connected = connected && ear.subscription->get_publisher_count() > 0;
    }
    return connected;
  }

  void send() {
    Image image;
    image.header.frame_id = std::string(static_cast<std::size_t>(sent_ % 5), 'f');
    image.encoding = "mono8";
    image.height = 1;
    image.width = static_cast<std::uint32_t>(1000 + larger_ * sent_);
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
  }

  /// When a message is back on all topics, the next one goes out.
  void go_on() {
    std::int64_t back = count_;
    for (const Ear& ear : ears_) {
      back = std::min(back, ear.came);
    }
    if (back == count_) {
      finish();
    } else if (sent_ < count_ && sent_ < back + ahead_) {
      send();
    }
  }

  std::ofstream file_;
  std::int64_t ahead_ = 1;
  std::int64_t count_ = 5;
  std::int64_t larger_ = 7;
  std::int64_t sent_ = 0;
  std::vector<Ear> ears_;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Loop)
