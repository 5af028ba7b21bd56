// SPDX-License-Identifier: Apache-2.0
/// \file A context in a domain of its own per test, and waiting for a condition.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <ligament/ligament.hpp>
#include <string>
#include <thread>

namespace ligament::testing {

inline std::string unique_domain() {
  static int count = 0;
  return "t" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

/// Waits until `condition` holds; never fails by being slow (the test runner has its own limit).
template <typename Condition>
void wait_for(const Condition& condition) {
  while (!condition()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class WithContext : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Context::create({.domain = domain_, .run_id = "test"});
    ASSERT_TRUE(made) << made.error().text;
    context_ = *made;
  }
  NodeOptions options() { return NodeOptions().context(context_); }

  const std::string domain_ = unique_domain();
  std::shared_ptr<Context> context_;
};

/// All errors of a node in one text.
inline std::string errors_of(const Node& node) {
  std::string text;
  for (const auto& error : node.errors()) {
    text += error.text + "\n";
  }
  return text;
}

}  // namespace ligament::testing
