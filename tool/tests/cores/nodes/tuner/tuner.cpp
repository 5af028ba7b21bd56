// SPDX-License-Identifier: Apache-2.0
// Offsets, the last of which is beyond the range, each followed by a question.
#include <array>
#include <cstdint>
#include <fstream>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <ligament/rcl_interfaces/srv/set_parameters.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Tuner : public ligament::Node {
 public:
  explicit Tuner(const ligament::NodeOptions& options) : Node("tuner", options) {
    file_.open(declare_parameter<std::string>("file", ""));
    adder_ = create_client<AddTwoInts>("add");
    parameters_ = create_client<SetParameters>("adder/set_parameters");
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (!begun_ && adder_->service_is_ready() && parameters_->service_is_ready()) {
        begun_ = true;
        ask();
      }
    });
  }

 private:
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;
  using SetParameters = ligament::rcl_interfaces::srv::SetParameters;
  static constexpr std::array<std::int64_t, 3> offsets{100, -3, 5000};

  void ask() {
    auto request = std::make_shared<AddTwoInts::Request>();
    request->a = 40;
    request->b = 2;
    adder_->async_send_request(request,
                               [this](const ligament::Client<AddTwoInts>::SharedFuture& answer) {
                                 file_ << answer.get()->sum << std::endl;
                                 set_ == offsets.size() ? finish() : set();
                               });
  }

  void set() {
    auto request = std::make_shared<SetParameters::Request>();
    auto& parameter = request->parameters.emplace_back();
    parameter.name = "offset";
    parameter.value.type = 2;  // an integer
    parameter.value.integer_value = offsets[set_++];
    parameters_->async_send_request(
        request, [this](const ligament::Client<SetParameters>::SharedFuture& answer) {
          file_ << (answer.get()->results.at(0).successful ? "set" : "refused") << std::endl;
          ask();
        });
  }

  std::ofstream file_;
  bool begun_ = false;
  std::size_t set_ = 0;
  std::shared_ptr<ligament::Client<AddTwoInts>> adder_;
  std::shared_ptr<ligament::Client<SetParameters>> parameters_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Tuner)
