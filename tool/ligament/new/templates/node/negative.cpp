// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>
#include <utility>

namespace my_nodes {

using ligament::sensor_msgs::msg::Image;
using ligament::sensor_msgs::msg::ImageShape;

class Node final : public ligament::Node {
 public:
  explicit Node(const ligament::NodeOptions& options) : ligament::Node("negative", options) {
    ligament::ParameterDescriptor descriptor;
    descriptor.description = "What 0 becomes.";
    descriptor.read_only = true;
    descriptor.integer_range = {{0, 255, 1}};
    highest_ = declare_parameter<std::int64_t>("highest", std::int64_t{255}, descriptor);
    publisher_ = create_publisher<Image>("result", 5);
    subscription_ = create_subscription<Image>(
        "image", 5, [this](const ligament::Sample<Image>& sample) { handle(sample.view()); });
  }

 private:
  void handle(const ligament::MessageTraits<Image>::View& in) {  // the publisher's memory
    ImageShape shape;
    shape.header.frame_id = in.header().frame_id().size();
    shape.encoding = in.encoding().size();
    shape.data = in.data().size();
    auto loan = publisher_->borrow_loaned_message(shape);
    if (!loan) return;        // counted, and shown by `ligament run`
    auto& out = loan->get();  // filled in place, in shared memory
    out.header().stamp().set_sec(in.header().stamp().sec());
    out.header().stamp().set_nanosec(in.header().stamp().nanosec());
    out.header().set_frame_id(in.header().frame_id());
    out.set_height(in.height());
    out.set_width(in.width());
    out.set_encoding(in.encoding());
    out.set_is_bigendian(in.is_bigendian());
    out.set_step(in.step());
    std::transform(in.data().begin(), in.data().end(), out.data().begin(),
                   [this](auto byte) { return static_cast<std::uint8_t>(highest_ - byte); });
    publisher_->publish(std::move(*loan));
  }

  std::int64_t highest_ = 255;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
};

}  // namespace my_nodes

LIGAMENT_REGISTER_NODE(my_nodes::Node)
