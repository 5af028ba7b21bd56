// SPDX-License-Identifier: Apache-2.0
/// \file Publishers: send a struct, or fill a message in place and send it without a copy.
///
///   auto publisher = create_publisher<Image>("image", 5);     // in a node's constructor
///
///   publisher->publish(image);                                 // serialised once, into the pool
///
///   ImageShape shape;  shape.encoding = 4;  shape.data = 640 * 480 * 3;
///   auto loan = publisher->borrow_loaned_message(shape);       // lengths are fixed from here on
///   if (!loan) return;                                         // counted and reported already
///   loan->get().set_height(480);
///   publisher->publish(std::move(*loan));
///
/// The result of publish() may be ignored: each failure is counted, and the first of its kind is
/// reported as a node error with topic and cause.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ligament/callback_group.hpp>
#include <ligament/detail/endpoint.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/qos.hpp>
#include <ligament/sample.hpp>
#include <ligament/trace.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace ligament {

/// Why no memory was lent.
enum class LoanError : std::uint8_t {
  inert,           ///< the publisher could not be made; the node has an error that says why
  bad_shape,       ///< a length beyond the type's bound
  exceeds_bound,   ///< larger than the topic's bound_bytes
  too_many_loans,  ///< earlier loans were neither published nor dropped
  out_of_memory,   ///< the system refused memory
  exhausted,       ///< subscriptions hold every block
};
/// Why a message was not sent.
enum class PublishError : std::uint8_t {
  inert,
  not_encodable,  ///< a bounded field is too long, or a loan was filled against its shape
  exceeds_bound,
  too_many_loans,
  out_of_memory,
  exhausted,
  foreign_loan,  ///< the loan is empty or of another publisher
  inactive,      ///< its lifecycle node is not active
};
[[nodiscard]] std::string_view to_string(LoanError error);
[[nodiscard]] std::string_view to_string(PublishError error);

/// The sequence number, or why the message was not sent.
using PublishResult = expected<std::uint64_t, PublishError>;

/// A subscription that a keep-all message waited for in vain.
struct StalledSubscription {
  std::string node;
  std::int32_t pid = 0;
  bool now = false;         ///< it has not moved since
  std::uint64_t times = 0;  ///< how often it became so
};

struct PublisherStatistics {
  std::uint64_t published = 0;
  std::uint64_t bytes = 0;
  std::uint64_t loans_failed = 0;  ///< messages that were not sent, for whatever reason
  std::uint64_t serialised = 0;    ///< messages published as structs
  std::uint64_t bytes_serialised = 0;
  // keep-all (spec/wire/pool.md, section 11):
  std::uint64_t waits = 0;    ///< messages that waited for room
  std::uint64_t overrun = 0;  ///< messages that overwrote what a subscription had not taken
  std::uint64_t stalled = 0;  ///< subscriptions that are not waited for now
  std::vector<StalledSubscription> stalled_by;  ///< those, and those that were
  std::uint64_t deadline_missed = 0;
  // Its part of the pool:
  std::uint64_t blocks = 0;        ///< that exist
  std::uint64_t blocks_free = 0;   ///< neither in the ring, nor held, nor lent
  std::uint64_t memory_bytes = 0;  ///< of the blocks
};

/// What does not depend on the message type.
class PublisherBase {
 public:
  virtual ~PublisherBase();
  PublisherBase(const PublisherBase&) = delete;
  PublisherBase& operator=(const PublisherBase&) = delete;

  /// The topic's id: its resolved name.
  [[nodiscard]] const std::string& get_topic_name() const { return topic_; }
  [[nodiscard]] std::size_t get_subscription_count() const;
  [[nodiscard]] const QoSProfile& get_actual_qos() const { return qos_; }
  /// The topic's largest stored message; 0: it has no bound. Not promised.
  [[nodiscard]] std::size_t bound_bytes() const { return bound_bytes_; }
  [[nodiscard]] PublisherStatistics statistics() const;
  /// Counts, and tells, a message that somebody else could not write. Not promised.
  void refuse(CodecError error) { (void)refuse_message(error); }
  /// The same, of some that a device could not send: its node was told.
  void count_refused(std::uint64_t count) { failed_.fetch_add(count, std::memory_order_relaxed); }
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] bool is_open() const { return writer_ != nullptr; }
  /// What a message that waits for room does meanwhile; before the first one. Not promised.
  void set_meanwhile(std::function<void()> meanwhile);
  /// Handle in traces; 0 while not open.
  [[nodiscard]] std::uint64_t id() const;
  /// Identity of this publisher in the graph; all zero while not open.
  [[nodiscard]] pool::Gid get_gid() const;
  /// Liveliness manual-by-topic: "I am alive"; a publish says so too. False while not open.
  bool assert_liveliness();

  /// What the executor calls: runs the callbacks of what has happened. True if anything had.
  bool run_events();
  [[nodiscard]] bool has_events() const;
  /// Of the events' callbacks.
  [[nodiscard]] const std::shared_ptr<CallbackGroup>& callback_group() const { return group_; }
  [[nodiscard]] const std::shared_ptr<detail::NodeState>& shared_node() const { return node_; }
  /// Whether something shall be done about events at all.
  [[nodiscard]] bool wants_events() const;

 protected:
  explicit PublisherBase(detail::PublisherParts parts);

  [[nodiscard]] expected<pool::Loan, LoanError> borrow(std::size_t size, std::size_t chosen_offset);
  /// What is known where a publish call begins.
  struct Call {
    std::int64_t begin_ns = 0;  ///< 0: not traced
    const void* message = nullptr;
  };
  [[nodiscard]] Call begin_publish(const void* message) const;
  PublishResult send(pool::Loan&& loan, const Call& call, const pool::PublishInfo& info);
  /// Copies it into the pool first.
  PublishResult send(const detail::PrivateLoan& loan, std::size_t size, const Call& call,
                     const pool::PublishInfo& info);
  [[nodiscard]] TopicMode mode() const { return mode_; }
  void count_serialised(std::size_t bytes);
  [[nodiscard]] bool is_beyond_bound(std::size_t size) const {
    return bound_bytes_ != 0 && size > bound_bytes_;
  }
  LoanError refuse_loan(LoanError error, std::size_t size);
  PublishError refuse_message(CodecError error);
  /// What a publisher of a lifecycle node that is not active does with a message.
  PublishResult keep_silent();
  [[nodiscard]] static PublishError as_publish_error(LoanError error);
  [[nodiscard]] const detail::NodeState& node() const { return *node_; }

 private:
  void report_once(std::uint8_t kind, const std::string& why);
  void report_stalled(std::uint64_t subscriptions);

  std::shared_ptr<detail::NodeState> node_;
  std::string topic_;
  QoSProfile qos_;
  std::size_t bound_bytes_ = 0;
  bool exchange_ = false;
  TopicMode mode_ = TopicMode::shared;
  std::unique_ptr<pool::Writer> writer_;
  PublisherEventCallbacks events_;
  std::shared_ptr<CallbackGroup> group_;
  // Relaxed everywhere: figures, read by the status thread.
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> serialised_{0};
  std::atomic<std::uint64_t> bytes_serialised_{0};
  std::atomic<std::uint32_t> reported_{0};
  std::atomic<bool> stall_reported_{false};
  std::atomic<bool> silence_told_{false};
};

/// Publishes one type of message on one topic. Made by Node::create_publisher().
template <typename Message>
class Publisher : public PublisherBase {
 public:
  using SharedPtr = std::shared_ptr<Publisher>;
  using MessageType = Message;
  using Traits = MessageTraits<Message>;
  using Shape = typename Traits::Shape;

  explicit Publisher(detail::PublisherParts parts) : PublisherBase(std::move(parts)) {}

  /// Serialises into a loan and sends it: one pass over the data, no buffer between. Several
  /// threads take turns, since a publisher has few loans.
  PublishResult publish(const Message& message) {
    const std::lock_guard lock(turn_);
    return publish_as(message, {});
  }
  PublishResult publish(std::unique_ptr<Message> message) { return publish(*message); }

  /// Memory for one message of this shape. No heap, no system call once sizes have been seen.
  /// Callbacks that run at the same time and lend from one publisher need a loan each:
  /// PublisherOptions::max_loans.
  [[nodiscard]] expected<LoanedMessage<Message>, LoanError> borrow_loaned_message(
      const Shape& shape) {
    const auto layout = Traits::layout(shape);
    if (!layout) {
      return unexpected<LoanError>(refuse_loan(LoanError::bad_shape, 0));
    }
    if (mode() == TopicMode::copied) {
      detail::PrivateLoan loan{detail::PrivateBytes::of(layout->size, layout->chosen_offset),
                               layout->chosen_offset};
      const std::span<std::byte> payload = loan.memory.bytes();
      return fill(std::move(loan), payload, shape);
    }
    auto loan = borrow(layout->size, layout->chosen_offset);
    if (!loan) {
      return unexpected<LoanError>(loan.error());
    }
    const std::span<std::byte> payload = loan->payload();
    return fill(std::move(*loan), payload, shape);
  }

  /// Sends a message in its stored form that lies elsewhere: what a device made. Checked as if it
  /// came from an untrusted process, and copied once, into a loan.
  PublishResult publish_stored(std::span<const std::byte> stored) {
    const auto view = Traits::View::parse(stored);
    if (!view) {
      return unexpected<PublishError>(refuse_message(view.error()));
    }
    std::size_t chosen = encapsulation_size;
    if constexpr (requires { view->chosen_bytes(); }) {
      if (const auto bytes = view->chosen_bytes(); !bytes.empty()) {
        chosen = static_cast<std::size_t>(bytes.data() - stored.data());
      }
    }
    const Call call = begin_publish(stored.data());
    auto loan = borrow(stored.size(), chosen);
    if (!loan) {
      return unexpected<PublishError>(as_publish_error(loan.error()));
    }
    std::copy(stored.begin(), stored.end(), loan->payload().begin());
    return send(std::move(*loan), call, {});
  }

  /// Memory that a device writes one message into, in its stored form: `bytes` long, and what lies
  /// `boundary` bytes behind its beginning is aligned as a chosen array is.
  [[nodiscard]] expected<pool::Loan, LoanError> borrow_for_device(std::size_t bytes,
                                                                  std::size_t boundary) {
    return borrow(bytes, boundary);
  }

  /// Sends the `size` bytes behind `front` that a device wrote. Checked as if they came from an
  /// untrusted process; they stay where they are.
  PublishResult publish_filled(pool::Loan&& loan, std::size_t front, std::size_t size) {
    if (is_beyond_bound(size)) {
      return unexpected<PublishError>(
          as_publish_error(refuse_loan(LoanError::exceeds_bound, size)));
    }
    loan.narrow(front, size);
    if (const auto view = Traits::View::parse(loan.payload()); !view) {
      return unexpected<PublishError>(refuse_message(view.error()));
    }
    const Call call = begin_publish(loan.payload().data());
    return send(std::move(loan), call, {});
  }

  /// Sends what was filled in. The payload is not touched again.
  PublishResult publish(LoanedMessage<Message>&& message) {
    return publish_as(std::move(message), {});
  }

 protected:
  PublishResult publish_as(LoanedMessage<Message>&& message, const pool::PublishInfo& info) {
    auto* const own = std::get_if<detail::PrivateLoan>(&message.memory_);
    auto* const lent = std::get_if<pool::Loan>(&message.memory_);
    const Call call =
        begin_publish(own != nullptr ? own->memory.bytes().data() : lent->payload().data());
    const auto size = message.builder_.finish();
    if (!size) {
      return unexpected<PublishError>(refuse_message(size.error()));
    }
    if (own != nullptr) {
      return send(*own, *size, call, info);
    }
    lent->resize(*size);
    return send(std::move(*lent), call, info);
  }

  PublishResult publish_as(const Message& message, const pool::PublishInfo& info) {
    const Call call = begin_publish(&message);
    const auto layout = Traits::layout_of(message);
    if (!layout) {
      return unexpected<PublishError>(refuse_message(layout.error()));
    }
    auto loan = borrow(layout->size, layout->chosen_offset);
    if (!loan) {
      return unexpected<PublishError>(as_publish_error(loan.error()));
    }
    {
      const trace::Span span(detail::NodeTrace{node()}, "serialise", trace::Category::serialise);
      if (auto written = Traits::serialize(message, loan->payload()); !written) {
        return unexpected<PublishError>(refuse_message(written.error()));
      }
    }
    count_serialised(layout->size);
    return send(std::move(*loan), call, info);
  }

 private:
  template <typename Memory>
  [[nodiscard]] expected<LoanedMessage<Message>, LoanError> fill(Memory&& memory,
                                                                 std::span<std::byte> payload,
                                                                 const Shape& shape) {
    auto builder = Traits::Builder::create(payload, shape);
    if (!builder) {
      return unexpected<LoanError>(refuse_loan(LoanError::bad_shape, payload.size()));
    }
    return LoanedMessage<Message>(std::forward<Memory>(memory), std::move(*builder));
  }

  std::mutex turn_;
};

}  // namespace ligament
