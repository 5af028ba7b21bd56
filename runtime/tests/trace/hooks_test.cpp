// SPDX-License-Identifier: Apache-2.0
// What a provider is told beside the order of events: texts, and whose an end of a topic is. The
// hooks are this test's own, so no provider has to be loaded.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ligament/detail/ros2_events.hpp>
#include <ligament/ligament.hpp>
#include <ligament/span.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ligament::trace {
namespace {

using std_msgs::msg::String;

using Lines = std::vector<std::string>;

/// Of the test that runs: what its hooks have heard.
Lines told;

/// Makes a table the active one for as long as it lives.
template <typename Hooks>
class Active {
 public:
  Active(std::atomic<const Hooks*>& place, const Hooks& hooks) : place_(place) {
    told.clear();
    place_.store(&hooks);
  }
  ~Active() { place_.store(nullptr); }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;

 private:
  std::atomic<const Hooks*>& place_;
};

detail::Hooks own_hooks() {
  detail::Hooks hooks{};
  hooks.span_name = [](std::uint64_t, std::uint64_t, const char* name,
                       const char* category) noexcept {
    told.push_back(std::string(name) + ", " + category);
  };
  hooks.device_name = [](std::uint64_t, const char* device, const char* base) noexcept {
    told.push_back(std::string(device) + ", " + base);
  };
  hooks.value_name = [](std::uint64_t, std::uint64_t, const char* name) noexcept {
    told.emplace_back(name);
  };
  hooks.span_begin = [](std::uint64_t, std::uint64_t, std::uint64_t) noexcept {};
  hooks.span_end = [](std::uint64_t) noexcept {};
  hooks.span_value = [](std::uint64_t, double) noexcept {};
  hooks.device_span = [](std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t begin,
                         std::int64_t end, std::int64_t bound) noexcept {
    told.push_back(std::to_string(begin) + " " + std::to_string(end) + " " + std::to_string(bound));
  };
  return hooks;
}

struct Worker {
  [[nodiscard]] std::uint64_t trace_handle() const { return 7; }
};

TEST(TraceHooks, ANameThatIsTooLongIsCutAndEnds) {
  const auto hooks = own_hooks();
  const Active active(detail::active_hooks, hooks);
  Span(Worker{}, std::string(100, 'x'), Category::serialise).finish([](auto& values) {
    values.tell(std::string(64, 'y'), 1);
  });
  EXPECT_EQ(told, (Lines{std::string(63, 'x') + ", serialise", std::string(63, 'y')}));
}

TEST(TraceHooks, ADeviceSaysOnceWhetherItsTimesAreModelled) {
  const auto hooks = own_hooks();
  const Active active(detail::active_hooks, hooks);
  DeviceWork work{.device = "fpga0",
                  .name = "sum",
                  .base = TimeBase::modelled,
                  .begin_ns = 1,
                  .end_ns = 2,
                  .bound_ns = 3};
  tell_device_work(Worker{}, work, {});
  tell_device_work(Worker{}, work, {});
  work.device = "gpu0";
  work.base = TimeBase::device;
  tell_device_work(Worker{}, work, {});
  EXPECT_EQ(told, (Lines{"sum, compute", "fpga0, modelled", "1 2 3", "1 2 3", "sum, compute",
                         "gpu0, device", "1 2 3"}));
}

// --- ros2 ----------------------------------------------------------------------------------------

/// Whose events come, by the place of its handle among those seen.
std::string number_of(std::uint64_t handle) {
  static std::vector<std::uint64_t> seen;
  if (told.empty()) {
    seen.clear();
  }
  const auto found = std::find(seen.begin(), seen.end(), handle);
  const auto place = found - seen.begin();
  if (found == seen.end()) {
    seen.push_back(handle);
  }
  return std::to_string(place);
}

std::string text_of(const std::uint8_t* gid) {
  const bool any = std::any_of(gid, gid + 16, [](std::uint8_t byte) { return byte != 0; });
  const bool padded = std::all_of(gid + 16, gid + 24, [](std::uint8_t byte) { return byte == 0; });
  return any && padded ? "gid" : "no gid";
}

/// One statement for each handle: they are numbered as they are first seen.
template <bool publishes>
void tell_end(std::uint64_t own, std::uint64_t node, std::uint64_t below, const char* topic,
              std::uint64_t depth) noexcept {
  std::string line = number_of(own) + (publishes ? " publishes" : " subscribes") + " through ";
  line += number_of(below);
  line += " for " + number_of(node);
  told.push_back(line + ": " + topic + ", " + std::to_string(depth));
}

ros2::detail::Hooks ros2_hooks() {
  ros2::detail::Hooks hooks{};
  hooks.rmw_publisher_init = [](std::uint64_t own, const std::uint8_t* gid) noexcept {
    told.push_back(number_of(own) + " writes as " + text_of(gid));
  };
  hooks.rcl_publisher_init = tell_end<true>;
  hooks.rmw_subscription_init = [](std::uint64_t own, const std::uint8_t* gid) noexcept {
    told.push_back(number_of(own) + " reads as " + text_of(gid));
  };
  hooks.rcl_subscription_init = tell_end<false>;
  hooks.rclcpp_subscription_init = [](std::uint64_t own, std::uint64_t object) noexcept {
    told.push_back(number_of(own) + " is of object " + number_of(object));
  };
  hooks.rclcpp_subscription_callback_added = [](std::uint64_t object,
                                                std::uint64_t callback) noexcept {
    told.push_back(number_of(object) + " calls " + number_of(callback));
  };
  hooks.rcl_timer_init = [](std::uint64_t own, std::int64_t period) noexcept {
    told.push_back(number_of(own) + " is due every " + std::to_string(period));
  };
  hooks.rclcpp_timer_callback_added = [](std::uint64_t own, std::uint64_t callback) noexcept {
    told.push_back(number_of(own) + " calls " + number_of(callback));
  };
  hooks.rclcpp_timer_link_node = [](std::uint64_t own, std::uint64_t node) noexcept {
    told.push_back(number_of(own) + " belongs to " + number_of(node));
  };
  hooks.rclcpp_callback_register = [](std::uint64_t callback, const char* symbol) noexcept {
    const bool readable = std::string(symbol).find("TraceHooks") != std::string::npos &&
                          std::string(symbol).find("lambda") != std::string::npos;
    told.push_back(number_of(callback) +
                   (readable ? " is readable" : std::string(" is ") + symbol));
  };
  return hooks;
}

TEST(TraceHooks, EveryEndOfATopicLeadsToItsNodeAndCallback) {
  const auto context =
      Context::create({.domain = "hooks" + std::to_string(::getpid()), .run_id = "test"});
  ASSERT_TRUE(context);
  Node node("n", NodeOptions().context(*context));
  const auto hooks = ros2_hooks();
  {
    const Active active(ros2::detail::active_hooks, hooks);
    const auto publisher = node.create_publisher<String>("chat", 7);
    const auto subscription = node.create_subscription<String>("chat", 5, [](const String&) {});
    const auto timer = node.create_wall_timer(std::chrono::milliseconds(3), [] {});
  }
  const Lines expected{"0 writes as gid",  "0 publishes through 0 for 1: /chat, 7",
                       "2 reads as gid",   "2 subscribes through 2 for 1: /chat, 5",
                       "2 is of object 3", "3 calls 2",
                       "2 is readable",    "4 is due every 3000000",
                       "4 calls 4",        "4 is readable",
                       "4 belongs to 1"};
  EXPECT_EQ(told, expected);
}

}  // namespace
}  // namespace ligament::trace
