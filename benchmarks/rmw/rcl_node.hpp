// SPDX-License-Identifier: Apache-2.0
/// \file rcl's context, node and wait set, as all roles need them.
#pragma once

#include <rcl/rcl.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bench {

/// Ends the program with this sentence.
[[noreturn]] void give_up(const std::string& sentence);
/// Ends the program, with rcl's own reason, unless the call went well.
void must(rcl_ret_t result, const char* what);

[[nodiscard]] std::int64_t now_ns();         ///< monotonic, the same clock in all processes
[[nodiscard]] std::int64_t thread_cpu_ns();  ///< CPU time of this thread
void sleep_until(std::int64_t at_ns);
inline constexpr std::int64_t millisecond = 1'000'000;

/// SIGTERM must be blocked before the first thread starts: `Node` waits for it.
void block_sigterm();

/// A context with one node; SIGTERM ends what it waits for, so that all is cleaned up.
class Node {
 public:
  explicit Node(const std::string& name);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] rcl_node_t* get() { return &node_; }
  [[nodiscard]] rcl_context_t* context() { return &context_; }
  [[nodiscard]] bool is_to_end() const { return is_to_end_.load(); }
  [[nodiscard]] const rcl_guard_condition_t* ending() const { return &ending_; }
  [[nodiscard]] const rcl_guard_condition_t* graph_changed() const;

 private:
  rcl_context_t context_ = rcl_get_zero_initialized_context();
  rcl_node_t node_ = rcl_get_zero_initialized_node();
  rcl_guard_condition_t ending_ = rcl_get_zero_initialized_guard_condition();
  std::atomic<bool> is_to_end_{false};
  std::thread listener_;
};

/// What a role waits for, always the same.
struct WaitFor {
  std::vector<const rcl_subscription_t*> subscriptions;
  std::vector<const rcl_client_t*> clients;
  std::vector<const rcl_service_t*> services;
  bool graph = false;
};

class WaitSet {
 public:
  WaitSet(Node& node, WaitFor what);
  ~WaitSet();
  WaitSet(const WaitSet&) = delete;
  WaitSet& operator=(const WaitSet&) = delete;

  /// False: nothing came within the time (negative: however long), or the program is to end.
  [[nodiscard]] bool wait(std::int64_t timeout_ns);

 private:
  Node& node_;
  WaitFor what_;
  rcl_wait_set_t set_ = rcl_get_zero_initialized_wait_set();
};

}  // namespace bench
