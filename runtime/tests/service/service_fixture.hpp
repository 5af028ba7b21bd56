// SPDX-License-Identifier: Apache-2.0
/// \file A server's and a client's executor, each with a context of its own in one domain.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>
#include <thread>

#include "../node/fixture.hpp"

namespace ligament::testing {

using example_interfaces::srv::AddTwoInts;
using namespace std::chrono_literals;

inline void add(const std::shared_ptr<AddTwoInts::Request>& request,
                const std::shared_ptr<AddTwoInts::Response>& response) {
  response->sum = request->a + request->b;
}

inline AddTwoInts::Request numbers(std::int64_t a, std::int64_t b) {
  AddTwoInts::Request request;
  request.a = a;
  request.b = b;
  return request;
}

/// Spins the nodes of one context on a thread of its own until it is destroyed.
class Spinner {
 public:
  explicit Spinner(std::shared_ptr<Context> context) : executor_({.context = std::move(context)}) {}
  ~Spinner() { stop(); }
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

  void start(const std::shared_ptr<Node>& node) {
    ASSERT_TRUE(executor_.add_node(node));
    thread_ = std::thread([this] { ASSERT_TRUE(executor_.spin()); });
  }
  void stop() {
    if (thread_.joinable()) {
      while (executor_.state() == ExecutorState::idle) {
        std::this_thread::yield();
      }
      executor_.cancel();
      thread_.join();
    }
  }
  executors::SingleThreadedExecutor& executor() { return executor_; }

 private:
  executors::SingleThreadedExecutor executor_;
  std::thread thread_;
};

class Services : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    auto made = Context::create({.domain = domain_, .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    server_context_ = *made;
    node_ = std::make_shared<Node>("asker", options());
    server_ = std::make_shared<Node>("server", NodeOptions().context(server_context_));
  }

  template <typename Future>
  FutureReturnCode spin_until(const Future& future, std::chrono::nanoseconds limit = -1ns) {
    return spin_until_future_complete(node_, future, limit);
  }

  std::shared_ptr<Context> server_context_;
  std::shared_ptr<Node> node_;    ///< of the clients: spun by the test itself
  std::shared_ptr<Node> server_;  ///< spun by `spinner_`, where the test starts it
};

}  // namespace ligament::testing
