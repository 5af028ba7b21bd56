// SPDX-License-Identifier: Apache-2.0
// A talker that misbehaves on request, so that tests can watch what `ligament run` makes of it.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>
#include <string>

namespace run_test {

class Talker : public ligament::Node {
 public:
  explicit Talker(const ligament::NodeOptions& options) : Node("talker", options) {
    messages_ = declare_parameter<std::int64_t>("messages", 0);
    const auto period = declare_parameter<std::int64_t>("period_ms", 10);
    fault_ = declare_parameter<std::string>("fault", "none");
    fault_at_ = declare_parameter<std::int64_t>("fault_at", 10);
    std::cerr << "talker starts with fault " << fault_ << std::endl;
    if (fault_ == "exit_at_start") std::_Exit(3);
    if (fault_ == "hang_at_start") hang();
    if (fault_ == "crash_at_start") std::raise(SIGSEGV);
    const char* topic = fault_ == "setup_error" ? "no good name" : "chatter";
    publisher_ = create_publisher<Message>(topic, ligament::QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(period), [this] { on_timer(); });
  }

 private:
  using Message = ligament::std_msgs::msg::String;

  [[noreturn]] static void hang() {
    for (;;) pause();
  }

  void on_timer() {
    if (count_ == fault_at_) misbehave();
    if (messages_ != 0 && count_ >= messages_) return;
    Message message;
    message.data = "message " + std::to_string(count_++);
    publisher_->publish(message);
    if (count_ == messages_) finish();
  }

  void misbehave() const {
    if (fault_ == "exit") std::_Exit(4);
    if (fault_ == "hang") hang();
    if (fault_ == "crash") {
      std::cerr << "talker is about to crash" << std::endl;
      std::raise(SIGSEGV);
    }
    if (fault_ == "refuse_to_stop") {
      std::signal(SIGTERM, SIG_IGN);
      std::signal(SIGINT, SIG_IGN);
      hang();
    }
  }

  std::int64_t messages_ = 0;
  std::int64_t fault_at_ = 0;
  std::int64_t count_ = 0;
  std::string fault_;
  std::shared_ptr<ligament::Publisher<Message>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace run_test

LIGAMENT_REGISTER_NODE(run_test::Talker)
