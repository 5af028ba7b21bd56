// SPDX-License-Identifier: Apache-2.0
// Speeds in turn, and `wanted has` per message of the motor into NAME.txt of the run's outputs.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ligament/geometry_msgs/msg/twist.hpp>
#include <ligament/geometry_msgs/msg/twist_stamped.hpp>
#include <ligament/ligament.hpp>
#include <string>
#include <vector>

namespace motor {

using ligament::geometry_msgs::msg::Twist;
using ligament::geometry_msgs::msg::TwistStamped;

class Planner : public ligament::Node {
 public:
  explicit Planner(const ligament::NodeOptions& options) : Node("planner", options) {
    messages_ = declare("messages", 300, {1, 1'000'000, 1},
                        "Messages of the motor after which the work is done.");
    hold_ = declare("hold", 50, {1, 10'000, 1}, "Messages of the motor for which a speed is held.");
    wanted_ = create_publisher<Twist>("speed_wanted", 5);
    speed_ = create_subscription<TwistStamped>(
        "speed", 50, [this](const TwistStamped& message) { on_speed(message.twist.linear.x); });
  }

 private:
  static constexpr std::array<double, 4> speeds{1.0, 0.25, -0.5, 0.0};

  std::int64_t declare(const std::string& name, std::int64_t value,
                       const ligament::IntegerRange& range, const std::string& what) {
    ligament::ParameterDescriptor descriptor;
    descriptor.description = what;
    descriptor.read_only = true;
    descriptor.integer_range = range;
    return declare_parameter<std::int64_t>(name, value, descriptor);
  }

  void on_speed(double has) {
    const auto come = static_cast<std::int64_t>(lines_.size());
    if (come == messages_) {
      return;
    }
    const double wants = speeds[static_cast<std::size_t>(come / hold_) % speeds.size()];
    lines_.push_back(std::to_string(wants) + " " + std::to_string(has));
    Twist message;
    message.linear.x = wants;
    wanted_->publish(message);
    if (come + 1 == messages_) {
      write();
      finish();
    }
  }

  void write() const {
    const char* folder = std::getenv("LIGAMENT_OUTPUT_DIR");
    std::ofstream file(std::string(folder != nullptr ? folder : ".") + "/" + get_name() + ".txt");
    for (const auto& line : lines_) {
      file << line << '\n';
    }
  }

  std::int64_t messages_ = 0;
  std::int64_t hold_ = 0;
  std::vector<std::string> lines_;
  ligament::Publisher<Twist>::SharedPtr wanted_;
  ligament::Subscription<TwistStamped>::SharedPtr speed_;
};

}  // namespace motor

LIGAMENT_REGISTER_NODE(motor::Planner)
