// SPDX-License-Identifier: Apache-2.0
// How messages get to subscriptions: copies at each end, and the hand-over within a process.
#include <fcntl.h>
#include <sys/wait.h>

#include <cstdint>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <string>
#include <vector>

#include "fixture.hpp"

namespace ligament {
namespace {

using sensor_msgs::msg::Image;
using testing::errors_of;
using testing::wait_for;

class Modes : public testing::WithContext {
 protected:
  NodeOptions with(TopicMode mode) {
    TopicOptions topic;
    topic.mode = mode;
    return options().topic("/image", topic);
  }

  static LoanedMessage<Image> lend(Publisher<Image>& publisher) {
    Publisher<Image>::Shape shape;
    shape.encoding = 5;
    shape.data = 100'000;
    auto loan = publisher.borrow_loaned_message(shape);
    EXPECT_TRUE(loan);
    loan->get().set_encoding("mono8");
    loan->get().set_height(7);
    for (std::size_t i = 0; i < shape.data; ++i) {
      loan->get().data()[i] = static_cast<std::uint8_t>(i % 251);
    }
    return std::move(*loan);
  }

  static bool is_whole(const Sample<Image>& sample) {
    const auto& image = sample.view();
    bool same = image.encoding() == "mono8" && image.height() == 7;
    for (std::size_t i = 0; i < image.data().size(); ++i) {
      same = same && image.data()[i] == i % 251;
    }
    return same && image.data().size() == 100'000;
  }

  /// Publishes two messages to two subscriptions of one node; all samples, kept.
  std::vector<Sample<Image>> exchange(const std::shared_ptr<Node>& node, bool loans_are_copies) {
    std::vector<Sample<Image>> taken;
    const auto keep = [&](Sample<Image> sample) { taken.push_back(std::move(sample)); };
    publisher_ = node->create_publisher<Image>("image", 5);
    one_ = node->create_subscription<Image>("image", QoS(5).max_held(4), keep);
    other_ = node->create_subscription<Image>("image", QoS(5).max_held(4), keep);
    wait_for([&] { return publisher_->get_subscription_count() == 2; });
    executors::SingleThreadedExecutor executor({.context = context_});
    EXPECT_TRUE(executor.add_node(node));
    for (int i = 0; i < 2; ++i) {
      auto loan = lend(*publisher_);
      EXPECT_EQ(loan.is_copy(), loans_are_copies);
      EXPECT_TRUE(publisher_->publish(std::move(loan)));
    }
    wait_for([&] {
      EXPECT_TRUE(executor.spin_some());
      return taken.size() == 4;
    });
    return taken;
  }
  [[nodiscard]] std::uint64_t copies_taken() const {
    return one_->statistics().copies + other_->statistics().copies;
  }

  std::shared_ptr<Publisher<Image>> publisher_;
  std::shared_ptr<SubscriptionBase> one_;
  std::shared_ptr<SubscriptionBase> other_;
};

TEST_F(Modes, SharedMessagesHaveOneInstance) {
  const auto node = std::make_shared<Node>("n", with(TopicMode::shared));
  for (const auto& sample : exchange(node, false)) {
    EXPECT_TRUE(is_whole(sample));
    EXPECT_FALSE(sample.is_copy());
  }
  EXPECT_EQ(publisher_->statistics().serialised, 0U);
  EXPECT_EQ(copies_taken(), 0U);
}

TEST_F(Modes, CopiedMessagesAreCopiedAtEachEnd) {
  const auto node = std::make_shared<Node>("n", with(TopicMode::copied));
  const auto taken = exchange(node, true);
  for (const auto& sample : taken) {
    EXPECT_TRUE(is_whole(sample));
    EXPECT_TRUE(sample.is_copy());
    // As in the pool: where vector units and devices want it.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(sample.view().data().data()) % 128, 0U);
  }
  EXPECT_EQ(taken[0].info().publication_sequence_number(), 1U);
  EXPECT_EQ(publisher_->statistics().serialised, 2U);
  EXPECT_EQ(copies_taken(), 4U);
  EXPECT_GE(one_->statistics().bytes_copied, 200'000U);
}

TEST_F(Modes, MessagesAreHandedOverToOneAndCopiedForOthers) {
  const auto node = std::make_shared<Node>("n", with(TopicMode::handed_over));
  std::vector<int> in_place(3, 0);
  for (const auto& sample : exchange(node, false)) {
    EXPECT_TRUE(is_whole(sample));
    in_place[sample.info().publication_sequence_number()] += sample.is_copy() ? 0 : 1;
  }
  EXPECT_EQ(in_place, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(publisher_->statistics().serialised, 0U);
  EXPECT_EQ(copies_taken(), 2U);
}

TEST_F(Modes, ALoanThatIsDroppedLeavesNothing) {
  const auto node = std::make_shared<Node>("n", with(TopicMode::copied));
  const auto publisher = node->create_publisher<Image>("image", 1);
  for (int i = 0; i < 10; ++i) {
    (void)lend(*publisher);
  }
  EXPECT_TRUE(publisher->publish(lend(*publisher)));
  EXPECT_EQ(publisher->statistics().published, 1U);
}

TEST_F(Modes, WhatIsHandedOverStaysInItsProcess) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], 0);
    const std::string program = LIGAMENT_TEST_BIN "/modes_peer";
    ::execl(program.c_str(), program.c_str(), domain_.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[0]);
  const auto node = std::make_shared<Node>("n", with(TopicMode::handed_over));
  int came = 0;
  const auto subscription =
      node->create_subscription<Image>("image", 5, [&](const Sample<Image>&) { ++came; });
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node));
  wait_for([&] {
    EXPECT_TRUE(executor.spin_some());
    return subscription->statistics().foreign > 1;
  });
  EXPECT_EQ(came, 0);
  EXPECT_NE(errors_of(*node).find("dropped a message of another process: the topic's mode is "
                                  "handed_over"),
            std::string::npos);
  EXPECT_EQ(node->errors().size(), 1U);
  ::close(ends[1]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Modes, AnOwnPublicationMayBePassedOver) {
  const auto node = std::make_shared<Node>("n", options());
  const auto other = std::make_shared<Node>("m", options());
  std::vector<std::uint32_t> heights;
  SubscriptionOptions ignoring;
  ignoring.ignore_local_publications = true;
  const auto subscription = node->create_subscription<Image>(
      "image", 5, [&](const Image& image) { heights.push_back(image.height); }, ignoring);
  const auto own = node->create_publisher<Image>("image", 5);
  const auto theirs = other->create_publisher<Image>("image", 5);
  wait_for([&] { return subscription->get_publisher_count() == 2; });
  executors::SingleThreadedExecutor executor({.context = context_});
  ASSERT_TRUE(executor.add_node(node));
  Image image;
  image.height = 1;
  ASSERT_TRUE(own->publish(image));
  image.height = 2;
  ASSERT_TRUE(theirs->publish(image));
  wait_for([&] {
    EXPECT_TRUE(executor.spin_some());
    return subscription->statistics().taken == 2;
  });
  EXPECT_EQ(heights, (std::vector<std::uint32_t>{2}));
}

}  // namespace
}  // namespace ligament
