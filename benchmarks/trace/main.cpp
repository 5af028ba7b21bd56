// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-trace: what an event, a span and a whole message cost, with and without a
/// provider. Prints one JSON object: a list of nanoseconds per burst for each figure.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/int32.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace trace = ligament::trace;
using ligament::std_msgs::msg::Int32;
using ligament::std_msgs::msg::Int32Shape;

struct Options {
  std::string ligament;  ///< provider objects; empty: not loaded
  std::string ros2;
  std::string domain = "bench-trace";
  int bursts = 200;
  int events = 500;
  int messages = 100;
};

/// Nanoseconds per repeat of `work`, once for each burst. The first bursts warm up.
template <typename Work>
std::vector<double> per_repeat(int bursts, int repeats, const Work& work) {
  constexpr int warm_up = 10;
  std::vector<double> cost_ns;
  for (int burst = -warm_up; burst < bursts; ++burst) {
    const auto begin = std::chrono::steady_clock::now();
    for (int repeat = 0; repeat < repeats; ++repeat) {
      work(static_cast<std::uint64_t>(repeat));
      // What was asked for is not moved out of the loop.
      asm volatile("" ::: "memory");
    }
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    if (burst >= 0) {
      cost_ns.push_back(taken.count() / repeats);
    }
  }
  return cost_ns;
}

struct Worker {
  [[nodiscard]] std::uint64_t trace_handle() const { return 7; }
};

void measure_events(const Options& options, nlohmann::json& result) {
  const auto measure = [&](const char* name, const auto& work) {
    result[name] = per_repeat(options.bursts, options.events, work);
  };
  measure("loop", [](std::uint64_t) {});
  measure("event", [](std::uint64_t seq) { trace::publish(0x77, seq, 100, 0, 0); });
  measure("ros2_event", [](std::uint64_t seq) { trace::ros2::rclcpp_publish(seq); });
  const Worker worker;
  measure("span", [&](std::uint64_t) { const trace::Span span(worker, "work"); });
  measure("span_value", [&](std::uint64_t seq) {
    const trace::Span span(worker, "work", [seq](auto& values) { values.tell("count", seq); });
  });
}

/// Publish, take, and the callback, all on one thread: what the software itself costs, without the
/// machine's wake-ups.
int measure_messages(const Options& options, nlohmann::json& result) {
  auto context = ligament::Context::create({.domain = options.domain, .run_id = "bench"});
  if (!context) {
    std::fprintf(stderr, "%s\n", context.error().text.c_str());
    return 1;
  }
  auto node = std::make_shared<ligament::Node>("bench", ligament::NodeOptions().context(*context));
  std::uint64_t taken = 0;
  const auto publisher = node->create_publisher<Int32>("number", 10);
  const auto subscription = node->create_subscription<Int32>(
      "number", 10, [&taken](const ligament::Sample<Int32>& /*sample*/) { ++taken; });
  ligament::executors::SingleThreadedExecutor executor({.context = *context});
  if (auto added = executor.add_node(node); !added) {
    std::fprintf(stderr, "%s\n", added.error().text.c_str());
    return 1;
  }
  // Both ends know each other: what is published before that is nobody's.
  while (publisher->get_subscription_count() == 0 || subscription->get_publisher_count() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::uint64_t sent = 0;
  const auto send_one = [&] {
    if (auto loan = publisher->borrow_loaned_message(Int32Shape{})) {
      publisher->publish(std::move(*loan));
      ++sent;
    }
    (void)executor.spin_some();
  };
  while (taken == 0) {
    send_one();
  }
  sent = taken = 0;
  result["message"] =
      per_repeat(options.bursts, options.messages, [&](std::uint64_t) { send_one(); });
  result["lost"] = sent - taken;
  return 0;
}

int load(const Options& options) {
  if (!options.ligament.empty()) {
    if (auto loaded = trace::load(options.ligament, {"bench", "bench", "bench", "bench"});
        !loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().text.c_str());
      return 1;
    }
  }
  if (!options.ros2.empty()) {
    if (auto loaded = trace::load_ros2(options.ros2); !loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().text.c_str());
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"What trace events cost, as JSON."};
  app.add_option("--ligament", options.ligament, "provider object of our own events");
  app.add_option("--ros2", options.ros2, "provider object of the events of ros2_tracing");
  app.add_option("--domain", options.domain, "domain of its own");
  app.add_option("--bursts", options.bursts, "how often each is timed");
  app.add_option("--events", options.events, "events in a burst");
  app.add_option("--messages", options.messages, "messages in a burst");
  CLI11_PARSE(app, argc, argv);
  if (load(options) != 0) {
    return 1;
  }
  nlohmann::json result;
  measure_events(options, result);
  if (const int failed = measure_messages(options, result); failed != 0) {
    return failed;
  }
  std::printf("%s\n", result.dump().c_str());
  return 0;
}
