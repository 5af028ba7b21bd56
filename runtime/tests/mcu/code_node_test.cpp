// SPDX-License-Identifier: Apache-2.0
/// Nodes of microcontrollers in a process: what exceeds a bound is counted where it is shown.
#include <gtest/gtest.h>
#include <unistd.h>

#include <ligament/ligament.hpp>
#include <ligament/mcu_node.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <string>
#include <thread>

#include "node/node_state.hpp"

namespace ligament::mcu {
namespace {

using std_msgs::msg::String;

/// Of a message that fits, it makes one that does not; another does not fit itself.
bool take(ligament_code_t* node, ligament_cdr_t* body) {
  if (body->size < 8) {
    return false;
  }
  ligament_cdr_t written{};
  EXPECT_EQ(node->around->begin(node->context, 0, &written), 0);
  written.has_failed = true;
  EXPECT_LT(node->around->end(node->context, 0, &written), 0);
  return true;
}

constexpr ligament_input_t inputs[] = {{"in", "", 64, take}};
constexpr ligament_output_t outputs[] = {{"out", "", 64}};
constexpr ligament_code_type_t type{.name = "filter",
                                    .size = sizeof(ligament_code_t),
                                    .start = [](ligament_code_t* /*node*/) {},
                                    .inputs = inputs,
                                    .outputs = outputs,
                                    .timers = nullptr,
                                    .parameters = nullptr,
                                    .services = nullptr,
                                    .input_count = 1,
                                    .output_count = 1,
                                    .timer_count = 0,
                                    .parameter_count = 0,
                                    .service_count = 0};

class Filter final : public CodeNode {
 public:
  explicit Filter(const NodeOptions& options) : CodeNode("filter", options, type) {
    add_input<String>("/in", QoS(10));
    add_output<String>("/out", QoS(10));
    start();
  }
};

TEST(CodeNode, CountsWhatExceedsABoundInBothDirections) {
  auto made =
      Context::create({.domain = "code_node_test_" + std::to_string(::getpid()), .run_id = "test"});
  ASSERT_TRUE(made) << made.error().text;
  auto filter = std::make_shared<Filter>(NodeOptions().context(*made));
  auto other = std::make_shared<Node>("other", NodeOptions().context(*made));
  auto publisher = other->create_publisher<String>("/in", QoS(10));
  while (publisher->get_subscription_count() != 1) {
    std::this_thread::yield();
  }
  String text;
  for (const char* data : {"x", "long enough", "long enough, too"}) {
    text.data = data;
    ASSERT_TRUE(publisher->publish(text));
  }
  executors::SingleThreadedExecutor executor({.context = *made});
  ASSERT_TRUE(executor.add_node(filter));
  auto& state = filter->state();
  const auto subscription = detail::alive(state.mutex, state.subscriptions).front();
  while (subscription->statistics().taken != 3) {  // the test runner has a limit
    ASSERT_TRUE(executor.spin_some());
  }
  EXPECT_EQ(subscription->statistics().invalid, 1U);
  EXPECT_EQ(detail::alive(state.mutex, state.publishers).front()->statistics().loans_failed, 2U);
  std::string told;
  for (const auto& error : filter->errors()) {
    told += error.text + "\n";
  }
  EXPECT_NE(told.find("a message on /in exceeds a bound of its fields"), std::string::npos);
  EXPECT_NE(told.find("the publisher on '/out' of node '/filter' could not send"),
            std::string::npos);
}

}  // namespace
}  // namespace ligament::mcu
