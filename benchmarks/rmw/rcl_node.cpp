// SPDX-License-Identifier: Apache-2.0
#include "rcl_node.hpp"

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace bench {

namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec at{};
  ::clock_gettime(clock, &at);
  return at.tv_sec * 1'000'000'000LL + at.tv_nsec;
}

sigset_t sigterm() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void give_up(const std::string& sentence) {
  std::fprintf(stderr, "ligament-bench-rmw: %s\n", sentence.c_str());
  std::exit(1);
}

void must(rcl_ret_t result, const char* what) {
  if (result != RCL_RET_OK) {
    give_up(std::string(what) + ": " + rcl_get_error_string().str);
  }
}

std::int64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }
std::int64_t thread_cpu_ns() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

void sleep_until(std::int64_t at_ns) {
  const timespec at{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

void block_sigterm() {
  const sigset_t set = sigterm();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Node::Node(const std::string& name) {
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  must(rcl_init_options_init(&options, allocator), "options");
  must(rcl_init(0, nullptr, &options, &context_), "context");
  must(rcl_init_options_fini(&options), "options");
  rcl_node_options_t node_options = rcl_node_get_default_options();
  node_options.enable_rosout = false;  // an endpoint that nobody asked for
  must(rcl_node_init(&node_, name.c_str(), "", &context_, &node_options), "node");
  must(rcl_guard_condition_init(&ending_, &context_, rcl_guard_condition_get_default_options()),
       "guard condition");
  listener_ = std::thread([this] {
    const sigset_t set = sigterm();
    int number = 0;
    ::sigwait(&set, &number);
    is_to_end_.store(true);
    must(rcl_trigger_guard_condition(&ending_), "guard condition");
  });
}

Node::~Node() {
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): blocked everywhere, and waited for there
  ::pthread_kill(listener_.native_handle(), SIGTERM);
  listener_.join();
  must(rcl_guard_condition_fini(&ending_), "guard condition");
  must(rcl_node_fini(&node_), "node");
  must(rcl_shutdown(&context_), "context");
  must(rcl_context_fini(&context_), "context");
}

const rcl_guard_condition_t* Node::graph_changed() const {
  return rcl_node_get_graph_guard_condition(&node_);
}

WaitSet::WaitSet(Node& node, WaitFor what) : node_(node), what_(std::move(what)) {
  must(rcl_wait_set_init(&set_, what_.subscriptions.size(), what_.graph ? 2 : 1, 0,
                         what_.clients.size(), what_.services.size(), 0, node.context(),
                         rcl_get_default_allocator()),
       "wait set");
}

WaitSet::~WaitSet() { must(rcl_wait_set_fini(&set_), "wait set"); }

bool WaitSet::wait(std::int64_t timeout_ns) {
  must(rcl_wait_set_clear(&set_), "wait set");
  must(rcl_wait_set_add_guard_condition(&set_, node_.ending(), nullptr), "wait set");
  if (what_.graph) {
    must(rcl_wait_set_add_guard_condition(&set_, node_.graph_changed(), nullptr), "wait set");
  }
  for (const auto* one : what_.subscriptions) {
    must(rcl_wait_set_add_subscription(&set_, one, nullptr), "wait set");
  }
  for (const auto* one : what_.clients) {
    must(rcl_wait_set_add_client(&set_, one, nullptr), "wait set");
  }
  for (const auto* one : what_.services) {
    must(rcl_wait_set_add_service(&set_, one, nullptr), "wait set");
  }
  if (node_.is_to_end()) {
    return false;
  }
  const rcl_ret_t result = rcl_wait(&set_, timeout_ns);
  if (result == RCL_RET_TIMEOUT) {
    return false;
  }
  must(result, "waiting");
  return !node_.is_to_end();
}

}  // namespace bench
