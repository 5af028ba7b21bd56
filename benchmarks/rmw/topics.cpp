// SPDX-License-Identifier: Apache-2.0
#include <rcl/publisher.h>
#include <rcl/subscription.h>

#include <algorithm>

#include "messages.hpp"
#include "printing.hpp"
#include "rcl_node.hpp"
#include "roles.hpp"

namespace bench {

namespace {

constexpr const char* topic = "bench_rmw/messages";
/// Both sides of each match are known after this: a message before would be lost.
constexpr std::int64_t settle_ns = 200 * millisecond;
/// A watchdog: who has not been matched, or has heard nothing, for so long never will.
constexpr std::int64_t patience_ns = 20'000 * millisecond;
constexpr std::int64_t silence_ns = 2'000 * millisecond;

rmw_qos_profile_t qos_of(const Options& options) {
  rmw_qos_profile_t qos = rmw_qos_profile_default;  // reliable, volatile, keep last
  qos.depth = static_cast<std::size_t>(options.depth);
  return qos;
}

std::size_t matched(const rcl_publisher_t& publisher) {
  std::size_t count = 0;
  must(rcl_publisher_get_subscription_count(&publisher, &count), "count");
  return count;
}

/// Until so many subscribers are matched (all of them at the beginning, none of them at the end).
void await_subscribers(const Node& node, const rcl_publisher_t& publisher, std::size_t wanted) {
  const std::int64_t deadline = now_ns() + patience_ns;
  while (matched(publisher) != wanted && !node.is_to_end()) {
    if (now_ns() > deadline) {
      give_up(std::to_string(matched(publisher)) + " subscribers are matched, not " +
              std::to_string(wanted));
    }
    sleep_until(now_ns() + 2 * millisecond);
  }
}

/// What the publish calls took, by the clock and by the processor.
struct Calls {
  std::vector<std::int64_t> wall_ns;
  std::vector<std::int64_t> cpu_ns;
};

Calls send_all(const Options& options, const Node& node, const rcl_publisher_t& publisher) {
  Calls calls;
  Message message(options.bytes);
  message.make_room();
  std::int64_t next = now_ns();
  for (std::int64_t k = 0; k < options.warmup + options.messages && !node.is_to_end(); ++k) {
    // Who is late goes on from now: no burst makes up for it.
    next = std::max(next + options.pacing_us * 1000, now_ns());
    sleep_until(next);
    const std::int64_t cpu = thread_cpu_ns();
    const std::int64_t begin = now_ns();
    message.write({begin, k});
    must(rcl_publish(&publisher, message.get(), nullptr), "publish");
    const std::int64_t end = now_ns();
    if (k >= options.warmup) {
      calls.wall_ns.push_back(end - begin);
      calls.cpu_ns.push_back(thread_cpu_ns() - cpu);
    }
  }
  return calls;
}

/// What a subscriber has taken of the messages that count.
struct Taken {
  std::vector<std::int64_t> latency_ns;
  bool is_last = false;
};

void take_all(const Options& options, const rcl_subscription_t& subscription, Message& message,
              Taken& taken) {
  Stamp stamp;
  for (;;) {
    const rcl_ret_t result = rcl_take(&subscription, message.get(), nullptr, nullptr);
    const std::int64_t at = now_ns();
    if (result == RCL_RET_SUBSCRIPTION_TAKE_FAILED) {
      return;
    }
    must(result, "take");
    if (!message.read(stamp)) {
      give_up("a message is not what was sent");
    }
    if (stamp.number >= options.warmup) {
      taken.latency_ns.push_back(at - stamp.sent_ns);
    }
    taken.is_last = stamp.number == options.warmup + options.messages - 1;
  }
}

Taken listen(const Options& options, Node& node, const rcl_subscription_t& subscription) {
  Taken taken;
  Message message(options.bytes);
  WaitSet wait_set(node, {.subscriptions = {&subscription}, .clients = {}, .services = {}});
  std::int64_t patience = patience_ns;
  while (!taken.is_last && wait_set.wait(patience)) {
    take_all(options, subscription, message, taken);
    patience = silence_ns + 10 * options.pacing_us * 1000;
  }
  return taken;
}

}  // namespace

void publish(const Options& options) {
  Node node("bench_publisher");
  const Message message(options.bytes);
  rcl_publisher_t publisher = rcl_get_zero_initialized_publisher();
  rcl_publisher_options_t publisher_options = rcl_publisher_get_default_options();
  publisher_options.qos = qos_of(options);
  must(rcl_publisher_init(&publisher, node.get(), message.type(), topic, &publisher_options),
       "publisher");
  await_subscribers(node, publisher, static_cast<std::size_t>(options.subscribers));
  sleep_until(now_ns() + settle_ns);
  const Calls calls = send_all(options, node, publisher);
  await_subscribers(node, publisher, 0);  // what was lost is repaired by us
  must(rcl_publisher_fini(&publisher, node.get()), "publisher");
  print_measured("publish", "\"publish_ns\":" + json_list(calls.wall_ns) +
                                ",\"publish_cpu_ns\":" + json_list(calls.cpu_ns));
}

void subscribe(const Options& options) {
  Node node("bench_subscriber_" + std::to_string(options.index));
  const Message message(options.bytes);
  rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
  rcl_subscription_options_t subscription_options = rcl_subscription_get_default_options();
  subscription_options.qos = qos_of(options);
  must(rcl_subscription_init(&subscription, node.get(), message.type(), topic,
                             &subscription_options),
       "subscription");
  print_ready();
  const Taken taken = listen(options, node, subscription);
  must(rcl_subscription_fini(&subscription, node.get()), "subscription");
  const auto count = static_cast<std::int64_t>(taken.latency_ns.size());
  print_measured("subscribe", "\"lost\":" + std::to_string(options.messages - count) +
                                  ",\"latency_ns\":" + json_list(taken.latency_ns));
}

}  // namespace bench
