// SPDX-License-Identifier: Apache-2.0
// The checksum node on the CPU.
#include <algorithm>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/u_int64.hpp>
#include <memory>
#include <utility>

#include "checksum/checksum.hpp"

namespace ligament::nodes::image {

class Checksum : public Node {
 public:
  explicit Checksum(const NodeOptions& options) : Node("checksum", options) {
    copies_ = create_publisher<sensor_msgs::msg::Image>("image_copy", QoS(5));
    checksums_ = create_publisher<std_msgs::msg::UInt64>("checksum", QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { answer(sample.view()); });
  }

 private:
  void answer(const sensor_msgs::msg::ImageView& in) {
    sensor_msgs::msg::ImageShape shape;
    shape.header.frame_id = in.header().frame_id().size();
    shape.encoding = in.encoding().size();
    shape.data = in.data().size();
    auto loan = copies_->borrow_loaned_message(shape);
    if (!loan) return;  // counted and reported by the publisher
    std_msgs::msg::UInt64 told;
    {
      const trace::Span span(*this, "checksum");
      copy(in, loan->get());
      told.data = checksum_of(in.data());
    }
    copies_->publish(std::move(*loan));
    checksums_->publish(told);
  }

  template <typename Builder>
  static void copy(const sensor_msgs::msg::ImageView& in, Builder& out) {
    out.header().stamp().set_sec(in.header().stamp().sec());
    out.header().stamp().set_nanosec(in.header().stamp().nanosec());
    out.header().set_frame_id(in.header().frame_id());
    out.set_height(in.height());
    out.set_width(in.width());
    out.set_encoding(in.encoding());
    out.set_is_bigendian(in.is_bigendian());
    out.set_step(in.step());
    std::copy(in.data().begin(), in.data().end(), out.data().begin());
  }

  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> copies_;
  std::shared_ptr<Publisher<std_msgs::msg::UInt64>> checksums_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Checksum)
