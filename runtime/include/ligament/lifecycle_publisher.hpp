// SPDX-License-Identifier: Apache-2.0
/// \file The publisher of a lifecycle node: silent while the node is not active.
#pragma once

#include <atomic>
#include <cstddef>
#include <ligament/publisher.hpp>
#include <memory>
#include <span>
#include <utility>

namespace ligament {

/// What a lifecycle node switches on and off.
class ManagedEntity {
 public:
  ManagedEntity() = default;
  ManagedEntity(const ManagedEntity&) = delete;
  ManagedEntity& operator=(const ManagedEntity&) = delete;
  virtual ~ManagedEntity() = default;
  void on_activate() { active_.store(true, std::memory_order_release); }
  void on_deactivate() { active_.store(false, std::memory_order_release); }
  [[nodiscard]] bool is_activated() const { return active_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> active_{false};
};

/// As rclcpp_lifecycle's: made by LifecycleNode::create_publisher(). A message that is published
/// while it is not active goes nowhere: the result is PublishError::inactive, and the first one is
/// told in the log.
template <typename Message>
class LifecyclePublisher final : public Publisher<Message>, public ManagedEntity {
 public:
  using SharedPtr = std::shared_ptr<LifecyclePublisher>;

  explicit LifecyclePublisher(detail::PublisherParts parts)
      : Publisher<Message>(std::move(parts)) {}

  PublishResult publish(const Message& message) {
    return is_activated() ? Publisher<Message>::publish(message) : this->keep_silent();
  }
  PublishResult publish(std::unique_ptr<Message> message) { return publish(*message); }
  PublishResult publish(LoanedMessage<Message>&& message) {
    return is_activated() ? Publisher<Message>::publish(std::move(message)) : this->keep_silent();
  }
  PublishResult publish_stored(std::span<const std::byte> stored) {
    return is_activated() ? Publisher<Message>::publish_stored(stored) : this->keep_silent();
  }
};

}  // namespace ligament
