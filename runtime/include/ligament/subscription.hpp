// SPDX-License-Identifier: Apache-2.0
/// \file Subscriptions: a callback per message, in the form that the node wants.
///
///   create_subscription<Image>("image", 5, [this](ligament::Sample<Image> sample) { ... });
///
/// Forms of the callback's argument, each optionally followed by `const ligament::MessageInfo&`:
///
///   ligament::Sample<T>       the bytes in place; no copy; keeping it keeps the memory
///   const T&                  a struct, deserialised into one that is reused (one copy)
///   std::shared_ptr<const T>  a struct of its own (one copy, one allocation)
///   std::unique_ptr<T>        the same, to be changed or handed on
///
/// Copies and bytes copied are counted and shown per subscription.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ligament/callback_group.hpp>
#include <ligament/detail/endpoint.hpp>
#include <ligament/detail/pool.hpp>
#include <ligament/detail/ros2_marks.hpp>
#include <ligament/expected.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/qos.hpp>
#include <ligament/sample.hpp>
#include <ligament/trace.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace ligament {

struct SubscriptionStatistics {
  std::uint64_t taken = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;     ///< overwritten before they were taken
  std::uint64_t invalid = 0;  ///< not well-formed messages of the type: not delivered
  std::uint64_t refused = 0;  ///< takes refused because max_held samples are held
  std::uint64_t copies = 0;   ///< deserialised into structs
  std::uint64_t bytes_copied = 0;
  std::uint64_t expired = 0;          ///< older than their publisher's lifespan: not delivered
  std::uint64_t deadline_missed = 0;  ///< periods without a message
  std::uint64_t history = 0;          ///< messages that joining late made available
  std::uint64_t foreign = 0;          ///< TopicMode::handed_over: of other processes, not delivered
};

/// What does not depend on the message type.
class SubscriptionBase {
 public:
  virtual ~SubscriptionBase();
  SubscriptionBase(const SubscriptionBase&) = delete;
  SubscriptionBase& operator=(const SubscriptionBase&) = delete;

  /// The topic's id: its resolved name.
  [[nodiscard]] const std::string& get_topic_name() const;
  [[nodiscard]] std::size_t get_publisher_count() const;
  [[nodiscard]] const QoSProfile& get_actual_qos() const;
  [[nodiscard]] SubscriptionStatistics statistics() const;
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] bool is_open() const;
  /// Handle in traces; 0 while not open.
  [[nodiscard]] std::uint64_t id() const;

  /// What the executor calls: takes one message, if there is one, and runs the callback.
  enum class Outcome : std::uint8_t { nothing, ran, held_back };
  Outcome run_one();
  /// The same in two steps. The first, by one thread at a time: takes a message, and hands out
  /// what the callback shall have. `ran` without a sample: it was passed over.
  Outcome take_one(std::optional<pool::HeldSample>& sample);
  void run_taken(pool::HeldSample&& sample);
  /// Of one that was taken to be run by other means: counts it, and its trace.
  void note_taken(const pool::HeldSample& sample);
  void note_invalid(CodecError error);
  /// The same, of some that have been told otherwise.
  void count_invalid(std::uint64_t count = 1);
  /// Whether there is a message that may be taken.
  [[nodiscard]] bool is_ready() const;
  /// What the executor calls: runs the callbacks of what has happened. True if anything had.
  bool run_events();
  [[nodiscard]] bool has_events() const;
  [[nodiscard]] const std::shared_ptr<CallbackGroup>& callback_group() const;
  [[nodiscard]] detail::SubscriptionState& state() const { return *state_; }

 protected:
  explicit SubscriptionBase(detail::SubscriptionParts parts);

  /// Of a selective subscription: whether a sample is for it. One that is not is let go unread.
  [[nodiscard]] virtual bool is_wanted(const pool::SampleInfo& info);
  /// Runs the callback, or says why the bytes are no message.
  [[nodiscard]] virtual expected<void, CodecError> deliver(pool::HeldSample&& sample) = 0;
  void count_copy(std::size_t bytes);
  /// Whether the topic's mode gives the taker of this sample a copy. Asked once per sample.
  [[nodiscard]] bool copies(const pool::SampleInfo& info);
  [[nodiscard]] const detail::NodeState& node() const;
  /// For traces of ROS 2: the author's function; once, when it is known.
  void tell_callback(const std::type_info& type) const;
  [[nodiscard]] trace::ros2::CallbackMark mark_callback() const noexcept {
    return trace::ros2::CallbackMark(trace::ros2::enabled() ? trace::ros2::handle(id()) : 0);
  }

 private:
  std::unique_ptr<detail::SubscriptionState> state_;
};

namespace detail {

template <typename Callback, typename Argument>
inline constexpr bool accepts = std::is_invocable_v<Callback&, Argument> ||
                                std::is_invocable_v<Callback&, Argument, const MessageInfo&>;

template <typename Callback, typename Argument>
void call(Callback& callback, Argument&& argument, const pool::SampleInfo& info) {
  if constexpr (std::is_invocable_v<Callback&, Argument, const MessageInfo&>) {
    callback(std::forward<Argument>(argument), MessageInfo(info));
  } else {
    callback(std::forward<Argument>(argument));
  }
}

/// Sample<T>: the callback owns the sample, so the info is copied before it is handed over.
template <typename Callback, typename Message>
void call_with_sample(Callback& callback, Sample<Message>&& sample, const pool::SampleInfo& info) {
  if constexpr (std::is_invocable_v<Callback&, Sample<Message>, const MessageInfo&>) {
    const pool::SampleInfo copy = info;
    callback(std::move(sample), MessageInfo(copy));
  } else {
    callback(std::move(sample));
  }
}

}  // namespace detail

/// Takes one type of message from one topic. The callback's type is known only in here.
template <typename Message>
class Subscription : public SubscriptionBase {
 public:
  using SharedPtr = std::shared_ptr<Subscription>;

 protected:
  using SubscriptionBase::SubscriptionBase;
  using Traits = MessageTraits<Message>;

  [[nodiscard]] expected<void, CodecError> read(const pool::HeldSample& sample, Message& message) {
    const trace::Span span(detail::NodeTrace{node()}, "deserialise", trace::Category::serialise);
    count_copy(sample.payload().size());
    return Traits::deserialize(sample.payload(), message);
  }
};

namespace detail {

template <typename Message, typename Callback>
class CallbackSubscription final : public Subscription<Message> {
 public:
  CallbackSubscription(SubscriptionParts parts, Callback callback)
      : Subscription<Message>(std::move(parts)), callback_(std::move(callback)) {
    this->tell_callback(typeid(Callback));
  }

 private:
  using Traits = MessageTraits<Message>;
  static constexpr bool takes_sample = accepts<Callback, Sample<Message>>;
  static constexpr bool takes_reference = accepts<Callback, const Message&>;
  static constexpr bool takes_shared = accepts<Callback, std::shared_ptr<const Message>>;
  static constexpr bool takes_unique = accepts<Callback, std::unique_ptr<Message>>;
  static_assert(takes_sample || takes_reference || takes_shared || takes_unique,
                "a subscription's callback takes Sample<T>, const T&, std::shared_ptr<const T> or "
                "std::unique_ptr<T>, and optionally const MessageInfo&");

  expected<void, CodecError> deliver(pool::HeldSample&& sample) override {
    if constexpr (takes_sample) {
      if (this->copies(sample.info())) {
        this->count_copy(sample.payload().size());
        auto copy = std::make_unique<PrivateSample>(sample);
        const std::span<const std::byte> bytes = copy->memory.bytes();
        const pool::SampleInfo& info = copy->info;
        { [[maybe_unused]] const pool::HeldSample released = std::move(sample); }
        return deliver_in_place(std::move(copy), bytes, info);
      }
      const std::span<const std::byte> bytes = sample.payload();
      const pool::SampleInfo& info = sample.info();
      return deliver_in_place(std::move(sample), bytes, info);
    } else if constexpr (takes_reference) {
      if (is_reused_.exchange(true, std::memory_order_acquire)) {  // partner: the release in Reuse
        Message own;  // the same callback runs on another thread: its group is reentrant
        return deliver_as<const Message&>(std::move(sample), own, own);
      }
      const Reuse reuse{is_reused_};
      return deliver_as<const Message&>(std::move(sample), reused_, reused_);
    } else if constexpr (takes_shared) {
      auto message = std::make_shared<Message>();
      return deliver_as<std::shared_ptr<const Message>>(std::move(sample), *message, message);
    } else {
      auto message = std::make_unique<Message>();
      return deliver_as<std::unique_ptr<Message>>(std::move(sample), *message, std::move(message));
    }
  }

  template <typename Memory>
  expected<void, CodecError> deliver_in_place(Memory&& memory, std::span<const std::byte> bytes,
                                              const pool::SampleInfo& info) {
    auto view = Traits::View::parse(bytes);
    if (!view) {
      return unexpected<CodecError>(view.error());
    }
    const auto mark = this->mark_callback();
    call_with_sample(callback_, Sample<Message>(std::forward<Memory>(memory), std::move(*view)),
                     info);
    return {};
  }

  template <typename Argument, typename Given>
  expected<void, CodecError> deliver_as(pool::HeldSample&& sample, Message& message,
                                        Given&& given) {
    if (auto read = this->read(sample, message); !read) {
      return read;
    }
    const pool::SampleInfo info = sample.info();
    // What was copied out is not held while the callback runs: others of its group may take more.
    { [[maybe_unused]] const pool::HeldSample released = std::move(sample); }
    const auto mark = this->mark_callback();
    call<Callback, Argument>(callback_, static_cast<Argument>(std::forward<Given>(given)), info);
    return {};
  }

  /// Gives the reused message back, also after an exception.
  struct Reuse {
    std::atomic<bool>& flag;
    explicit Reuse(std::atomic<bool>& is_reused) : flag(is_reused) {}
    Reuse(const Reuse&) = delete;
    Reuse& operator=(const Reuse&) = delete;
    ~Reuse() { flag.store(false, std::memory_order_release); }
  };

  struct Nothing {};
  Callback callback_;
  [[no_unique_address]] std::conditional_t<takes_reference && !takes_sample, Message, Nothing>
      reused_{};
  std::atomic<bool> is_reused_{false};
};

}  // namespace detail
}  // namespace ligament
