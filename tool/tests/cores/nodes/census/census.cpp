// SPDX-License-Identifier: Apache-2.0
// An image, a question when it is back, the next image when that is answered.
#include <cstdint>
#include <fstream>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Census : public ligament::Node {
 public:
  explicit Census(const ligament::NodeOptions& options) : Node("census", options) {
    file_.open(declare_parameter<std::string>("file", ""));
    count_ = declare_parameter<std::int64_t>("count", 5);
    publisher_ = create_publisher<Image>("image", 5);
    client_ = create_client<AddTwoInts>("tally/tally");
    subscription_ =
        create_subscription<Image>("passed", 5, [this](const ligament::Sample<Image>&) { ask(); });
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (sent_ == 0 && client_->service_is_ready() && publisher_->get_subscription_count() > 0 &&
          subscription_->get_publisher_count() > 0) {
        send();
      }
    });
  }

 private:
  using Image = ligament::sensor_msgs::msg::Image;
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;

  void send() {
    Image image;
    image.encoding = "mono8";
    image.height = 1;
    image.width = image.step = static_cast<std::uint32_t>(100 + sent_);
    image.data.resize(image.width, static_cast<std::uint8_t>(sent_));
    ++sent_;
    publisher_->publish(image);
  }

  void ask() {
    auto request = std::make_shared<AddTwoInts::Request>();
    request->a = 1000 * sent_;
    client_->async_send_request(request,
                                [this](const ligament::Client<AddTwoInts>::SharedFuture& answer) {
                                  file_ << answer.get()->sum << std::endl;
                                  sent_ == count_ ? finish() : send();
                                });
  }

  std::ofstream file_;
  std::int64_t count_ = 5;
  std::int64_t sent_ = 0;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::Client<AddTwoInts>> client_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Census)
