// SPDX-License-Identifier: Apache-2.0
/// \file Both ends of a chain of nodes with kernels, and who runs them all.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "scale_node.hpp"

namespace ligament::gpu::test {

/// Sends numbers on /raw, and keeps what comes of them on /done.
class ChainEnds {
 public:
  ChainEnds(const std::shared_ptr<Context>& context, const NodeOptions& options)
      : node_(std::make_shared<Node>("ends", options)),
        publisher_(node_->create_publisher<Message>("/raw", QoS(5))),
        subscription_(node_->create_subscription<Message>(
            "/done", QoS(5), [this](const Sample<Message>& sample) { keep(sample); })),
        executor_(ExecutorOptions{.context = context}) {
    add(node_);
  }

  /// A node of the chain, to be run too.
  void add(const std::shared_ptr<Node>& node) {
    EXPECT_TRUE(executor_.add_node(node));
    for (const NodeError& error : node->errors()) {
      ADD_FAILURE() << error.text;
    }
  }
  /// A watchdog, not a bound on speed.
  bool eventually(const std::function<bool()>& condition) {
    for (int turn = 0; turn < 60'000 && !condition(); ++turn) {
      (void)executor_.spin_once(std::chrono::milliseconds(1));
    }
    return condition();
  }
  void send(std::uint64_t number) {
    Message message;
    message.data.assign(words, number);
    EXPECT_TRUE(publisher_->publish(message));
  }
  [[nodiscard]] bool is_heard() const { return publisher_->get_subscription_count() == 1; }
  /// First words of what has come; 0 for a message whose last word is another.
  [[nodiscard]] const std::vector<std::uint64_t>& found() const { return found_; }

 private:
  void keep(const Sample<Message>& sample) {
    const auto data = sample.view().data();
    found_.push_back(data[0] == data[words - 1] ? data[0] : 0);
  }

  std::vector<std::uint64_t> found_;
  std::shared_ptr<Node> node_;
  std::shared_ptr<Publisher<Message>> publisher_;
  std::shared_ptr<Subscription<Message>> subscription_;
  executors::SingleThreadedExecutor executor_;
};

}  // namespace ligament::gpu::test
