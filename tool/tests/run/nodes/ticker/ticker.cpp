// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <ligament/builtin_interfaces/msg/time.hpp>
#include <ligament/ligament.hpp>
#include <memory>

namespace run_test {

class Ticker : public ligament::Node {
 public:
  explicit Ticker(const ligament::NodeOptions& options) : Node("ticker", options) {
    publisher_ = create_publisher<Time>("ticks", ligament::QoS(10));
    timer_ = create_timer(std::chrono::seconds(1), [this] { tick(); });
  }

 private:
  using Time = ligament::builtin_interfaces::msg::Time;

  void tick() {
    const Time time = now();
    LIGAMENT_WARN(get_logger(), "tick at {}", time.sec);
    publisher_->publish(time);
  }

  std::shared_ptr<ligament::Publisher<Time>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Ticker)
