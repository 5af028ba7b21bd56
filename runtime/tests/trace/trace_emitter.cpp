// SPDX-License-Identifier: Apache-2.0
/// \file Test helper: a made-up graph whose events go through the real hooks and the real provider.
///
///   trace_emitter PROVIDER RUN_ID burst N          N publish events as fast as possible
///   trace_emitter PROVIDER RUN_ID chain N          N frames: /camera -> /rectify -> /sink
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ligament/trace.hpp>
#include <string>
#include <string_view>
#include <thread>

namespace {

namespace trace = ligament::trace;

struct FakeNode {
  std::uint64_t handle;
  [[nodiscard]] std::uint64_t trace_handle() const { return handle; }
};

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void emit_burst(std::uint64_t count) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t seq = 1; seq <= count; ++seq) {
    trace::publish(0x77, seq, 100, 0, 0);
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  std::printf("{\"events\": %llu, \"ns_per_event\": %.2f}\n",
              static_cast<unsigned long long>(count), taken.count() / static_cast<double>(count));
}

void emit_names() {
  trace::node_init(1, "/camera");
  trace::node_init(2, "/rectify");
  trace::node_init(3, "/sink");
  trace::topic_init(10, "/camera/image_raw", "sensor_msgs/msg/Image");
  trace::topic_init(11, "/image_rect", "sensor_msgs/msg/Image");
  trace::publisher_init(101, 10, 1);
  trace::publisher_init(102, 11, 2);
  trace::subscription_init(202, 10, 2);
  trace::subscription_init(203, 11, 3);
  trace::timer_init(301, 1, 1'000'000);
}

void emit_frame(std::uint64_t seq) {
  using std::chrono::microseconds;
  const FakeNode rectify{2};
  trace::callback_start(301, 0, 0);
  std::int64_t begin = now_ns();
  trace::publish(101, seq, 921600, 0, begin);
  trace::callback_end(301);
  trace::take(202, 101, seq);
  trace::callback_start(202, 101, seq);
  {
    const trace::Span span(rectify, "remap");
    std::this_thread::sleep_for(microseconds(200));
  }
  begin = now_ns();
  trace::publish(102, seq, 921600, 0, begin);
  trace::callback_end(202);
  trace::take(203, 102, seq);
  trace::callback_start(203, 102, seq);
  trace::callback_end(203);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: trace_emitter PROVIDER RUN_ID burst|chain N\n", stderr);
    return 2;
  }
  // An empty path stands for a run without --trace.
  if (argv[1][0] != '\0') {
    const auto loaded = trace::load(argv[1], {argv[2], "emitted", "separate", "main"});
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().text.c_str());
      return 2;
    }
  }
  const auto count = std::strtoull(argv[4], nullptr, 10);
  if (std::string_view(argv[3]) == "burst") {
    emit_burst(count);
    return 0;
  }
  emit_names();
  for (std::uint64_t seq = 1; seq <= count; ++seq) {
    emit_frame(seq);
  }
  return 0;
}
