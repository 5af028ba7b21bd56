// SPDX-License-Identifier: Apache-2.0
// Numbers for a core that asks about them; its answers, one a line, in prompter.txt of the run's
// outputs.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ligament/example_interfaces/msg/int64.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Prompter : public ligament::Node {
 public:
  explicit Prompter(const ligament::NodeOptions& options) : Node("prompter", options) {
    next_ = declare_parameter<std::int64_t>("first", 0);
    step_ = declare_parameter<std::int64_t>("step", 1);
    left_ = declare_parameter<std::int64_t>("numbers", 8);
    answers_ = declare_parameter<std::int64_t>("answers", 8);
    ahead_ = declare_parameter<std::int64_t>("ahead", 1);
    const char* folder = std::getenv("LIGAMENT_OUTPUT_DIR");
    file_.open(std::string(folder == nullptr ? "." : folder) + "/" + get_name() + ".txt");
    publisher_ = create_publisher<Int64>("number", 10);
    subscription_ = create_subscription<Int64>("answer", 10, [this](const Int64& answer) {
      file_ << answer.data << std::endl;
      --open_;
      if (--answers_ == 0) {
        finish();
      }
    });
    timer_ = create_wall_timer(std::chrono::milliseconds(2), [this] { say(); });
  }

 private:
  using Int64 = ligament::example_interfaces::msg::Int64;

  void say() {
    while (publisher_->get_subscription_count() > 0 && open_ < ahead_ && left_ > 0) {
      Int64 number;
      number.data = next_;
      publisher_->publish(number);
      next_ += step_;
      --left_;
      ++open_;
    }
  }

  std::int64_t next_ = 0;
  std::int64_t step_ = 1;
  std::int64_t left_ = 0;
  std::int64_t answers_ = 0;
  std::int64_t ahead_ = 1;
  std::int64_t open_ = 0;
  std::ofstream file_;
  std::shared_ptr<ligament::Publisher<Int64>> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Prompter)
