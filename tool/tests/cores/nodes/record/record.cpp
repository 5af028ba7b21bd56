// SPDX-License-Identifier: Apache-2.0
// A line of bytes per image, the stored form as it lies in the pool.
#include <csignal>
#include <cstdint>
#include <fstream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>

namespace case_nodes {

class Record : public ligament::Node {
 public:
  explicit Record(const ligament::NodeOptions& options) : Node("record", options) {
    file_.open(declare_parameter<std::string>("file", ""));
    count_ = declare_parameter<std::int64_t>("count", 20);
    greatest_ = declare_parameter<std::int64_t>("greatest", 255);
    dies_after_ = declare_parameter<std::int64_t>("dies_after", 0);
    subscription_ = create_subscription<Image>(
        "in", 5, [this](const ligament::Sample<Image>& sample) { write(sample); });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;

  void write(const ligament::Sample<Image>& sample) {
    for (const std::byte byte : sample.bytes()) {
      file_ << std::to_integer<int>(byte) << ' ';
    }
    file_ << std::endl;
    ++written_;
    if (written_ == dies_after_) {
      std::raise(SIGKILL);
    }
    counted_ += static_cast<std::int64_t>(sample->data()[0] <= greatest_);
    if (counted_ == count_) {
      finish();
    }
  }

  std::ofstream file_;
  std::int64_t count_ = 20;
  std::int64_t greatest_ = 255;
  std::int64_t dies_after_ = 0;
  std::int64_t written_ = 0;
  std::int64_t counted_ = 0;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Record)
