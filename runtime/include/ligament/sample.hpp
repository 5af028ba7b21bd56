// SPDX-License-Identifier: Apache-2.0
/// \file Messages where they lie: a Sample that was taken, and a LoanedMessage being filled.
///
///   void on_image(ligament::Sample<Image> sample) {
///     const auto& image = sample.view();            // reads the publisher's bytes, no copy
///     latest_.emplace(std::move(sample));           // keeping it keeps the memory
///   }
///
/// A subscription may hold `max_held` samples at once (QoS, default 2, the one in the callback
/// included); one more take is refused with a node error, and the message waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/clock.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/detail/private_memory.hpp>
#include <ligament/message_traits.hpp>
#include <memory>
#include <span>
#include <utility>
#include <variant>

namespace ligament {

/// What travels beside a message. Names as in rclcpp's MessageInfo.
class MessageInfo {
 public:
  explicit MessageInfo(const pool::SampleInfo& info) : info_(&info) {}

  [[nodiscard]] const pool::Gid& publisher_gid() const { return info_->gid; }
  /// 64-bit form of the gid: with the sequence number, the identity of the message on its topic.
  [[nodiscard]] std::uint64_t publisher_id() const { return info_->publisher; }
  /// 1, 2, 3, ... per publisher; a gap is a loss.
  [[nodiscard]] std::uint64_t publication_sequence_number() const { return info_->sequence; }
  [[nodiscard]] Time source_timestamp() const {
    return Time(info_->source_timestamp_ns, ClockType::system);
  }
  /// When it was published, on CLOCK_MONOTONIC: now minus this is the message's age.
  [[nodiscard]] Time published_steady() const {
    return Time(info_->monotonic_ns, ClockType::steady);
  }

 private:
  const pool::SampleInfo* info_;
};

/// A published message, readable in place for as long as this object lives. Move-only; may outlive
/// its subscription, its publisher, and its publisher's process.
template <typename Message>
class Sample {
 public:
  using View = typename MessageTraits<Message>::View;

  Sample(pool::HeldSample&& held, View view) : memory_(std::move(held)), view_(std::move(view)) {}
  /// A copy of its taker's own, on topics whose mode copies (TopicMode).
  Sample(std::unique_ptr<detail::PrivateSample> copy, View view)
      : memory_(std::move(copy)), view_(std::move(view)) {}

  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] const View* operator->() const { return &view_; }
  [[nodiscard]] MessageInfo info() const {
    const auto* held = std::get_if<pool::HeldSample>(&memory_);
    return MessageInfo(held != nullptr ? held->info() : std::get<Copy>(memory_)->info);
  }
  /// The stored form: encapsulation and body.
  [[nodiscard]] std::span<const std::byte> bytes() const {
    const auto* held = std::get_if<pool::HeldSample>(&memory_);
    return held != nullptr ? held->payload() : std::get<Copy>(memory_)->memory.bytes();
  }
  /// A copy of its taker's own; else it lies in the pool.
  [[nodiscard]] bool is_copy() const { return std::holds_alternative<Copy>(memory_); }

 private:
  using Copy = std::unique_ptr<detail::PrivateSample>;
  std::variant<pool::HeldSample, Copy> memory_;
  View view_;
};

/// A message being filled in the pool. Destroying it unpublished gives the memory back.
template <typename Message>
class LoanedMessage {
 public:
  using Builder = typename MessageTraits<Message>::Builder;

  LoanedMessage(pool::Loan&& loan, Builder builder)
      : memory_(std::move(loan)), builder_(std::move(builder)) {}
  /// Not in the pool before it is published, on topics whose mode copies (TopicMode).
  LoanedMessage(detail::PrivateLoan&& loan, Builder builder)
      : memory_(std::move(loan)), builder_(std::move(builder)) {}

  [[nodiscard]] Builder& get() { return builder_; }
  [[nodiscard]] Builder* operator->() { return &builder_; }
  /// Copied into the pool when it is published; else it lies there.
  [[nodiscard]] bool is_copy() const {
    return std::holds_alternative<detail::PrivateLoan>(memory_);
  }

 private:
  template <typename>
  friend class Publisher;
  std::variant<pool::Loan, detail::PrivateLoan> memory_;
  Builder builder_;
};

}  // namespace ligament
