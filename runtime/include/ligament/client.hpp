// SPDX-License-Identifier: Apache-2.0
/// \file Clients of services: send a request, get the response later.
///
///   client_ = create_client<AddTwoInts>("add");
///   ...
///   client_->async_send_request(request, [this](Client<AddTwoInts>::SharedFuture future) {
///     if (auto response = future.get()) { use(response->sum); }
///   });
///
/// Outside callbacks, as in a main() of one's own:
///
///   auto sent = client->async_send_request(request);
///   if (ligament::spin_until_future_complete(node, sent, 1s) ==
///   ligament::FutureReturnCode::success)
///     use(sent.get());
///
/// The difference from rclcpp: nothing throws. A future that holds null says that there will be no
/// response: the request could not be sent, its time was up, or it was removed. And what would
/// hang in rclcpp, waiting for a response inside a callback of the executor that would have to
/// receive it, is refused: the wait ends at once, and the node has an error that says so.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <ligament/callback_group.hpp>
#include <ligament/detail/exchange.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ligament {

struct ClientStatistics {
  std::uint64_t requests = 0;  ///< sent
  std::uint64_t replies = 0;   ///< handed to who asked
  std::uint64_t failed = 0;    ///< requests that could not be sent
  std::uint64_t strayed = 0;   ///< replies to no request that waits, a second one included
  std::uint64_t invalid = 0;   ///< replies that are not well formed: not delivered
  std::uint64_t timeouts = 0;  ///< requests that were given up because of their age
  std::uint64_t pending = 0;   ///< requests that wait now
  std::uint64_t stalled = 0;   ///< servers that the requests do not wait for now
};

namespace detail {

/// Whether waiting for `what` here could never end: this thread is inside a callback of the
/// executor that would have to bring it, and holds the executor's only thread or the callback group
/// that brings it (null: the node's own). Then the node has an error that says so.
[[nodiscard]] bool refuse_blocking(const std::shared_ptr<NodeState>& node, const std::string& what,
                                   const CallbackGroup* group);
/// The same question, without the error.
[[nodiscard]] bool is_only_bringer(const NodeState& node, const CallbackGroup* group);

/// The requests of one client that wait for their replies. The executor takes replies, any thread
/// sends.
class PendingRequests {
 public:
  PendingRequests() = default;
  PendingRequests(const PendingRequests&) = delete;
  PendingRequests& operator=(const PendingRequests&) = delete;
  virtual ~PendingRequests() = default;

  pool::Gid gid{};  ///< of the client's request writer
  std::shared_ptr<NodeState> node;
  std::shared_ptr<CallbackGroup> group;  ///< of the callbacks
  std::string service;
  std::atomic<std::int64_t> time_limit_ns{0};  ///< of requests sent from now on; 0: none
  // Relaxed everywhere: figures.
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> replies{0};
  std::atomic<std::uint64_t> strayed{0};
  std::atomic<std::uint64_t> timeouts{0};

  /// Whether a reply is one that somebody here waits for; counts the strayed ones.
  [[nodiscard]] bool expects(const pool::SampleInfo& info);
  /// The earliest time at which a request's time is up (CLOCK_MONOTONIC); pool::no_deadline: never.
  [[nodiscard]] std::int64_t next_limit_ns() const {
    return next_limit_ns_.load(std::memory_order_relaxed);
  }
  /// Of replies that were taken while a request waited for room (spec/wire/service.md): keeps one,
  /// read, until the executor comes. One that nobody waits for is left out.
  virtual expected<void, CodecError> park(pool::HeldSample&& sample) = 0;
  [[nodiscard]] bool has_parked() const { return has_parked_.load(std::memory_order_acquire); }
  /// Hands out those that are there now; `subscription`: of the replies, in traces. True if any.
  virtual bool run_parked(std::uint64_t subscription) = 0;
  /// Gives up those whose time is up at `now_ns`. True if there were any.
  bool give_up_late(std::int64_t now_ns);
  /// Those that were sent before `before_ns` (CLOCK_MONOTONIC): how many, and which.
  std::size_t give_up_sent_before(std::int64_t before_ns, std::vector<std::int64_t>* which);
  bool give_up(std::int64_t number);
  std::size_t give_up_all();
  [[nodiscard]] std::size_t count() const;

 protected:
  struct Times {
    std::int64_t sent_ns = 0;
    std::int64_t limit_ns = 0;
  };
  using Numbers = std::vector<std::int64_t>;

  /// A new number, which waits from now on, for so long; 0: without end.
  std::int64_t enter(std::int64_t limit_ns);
  /// No longer waits; false if it did not.
  bool leave(std::int64_t number);
  /// Tells who asked that there will be no response.
  virtual void finish_without(std::int64_t number) = 0;
  void set_parked(bool are_some) { has_parked_.store(are_some, std::memory_order_release); }

 private:
  void set_next_limit();
  void finish_all(const Numbers& numbers);

  mutable std::mutex mutex_;  ///< guards what follows
  std::int64_t last_number_ = 0;
  std::map<std::int64_t, Times> waiting_;
  // Written under the mutex, read by the executor without: relaxed, a change wakes the executor.
  std::atomic<std::int64_t> next_limit_ns_{pool::no_deadline};
  std::atomic<bool> has_parked_{false};
};

/// For a callback of the node with a reply in it: what traces and figures see of it.
void run_as_callback(NodeState& node, std::uint64_t subscription, std::uint64_t publisher,
                     std::uint64_t sequence, const std::function<void()>& callback);

}  // namespace detail

/// What does not depend on the type of the service.
class ClientBase {
 public:
  virtual ~ClientBase();
  ClientBase(const ClientBase&) = delete;
  ClientBase& operator=(const ClientBase&) = delete;

  /// The service's id: its resolved name.
  [[nodiscard]] const std::string& get_service_name() const { return pending_->service; }
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] bool is_open() const { return requests_->is_open() && replies_->is_open(); }
  /// Whether a server is connected in both directions.
  [[nodiscard]] bool service_is_ready() const;
  /// Waits for that; needs no executor. Negative: until the context is shut down.
  bool wait_for_service(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) const;

  /// Requests sent from now on are given up after this time; 0: never (the default).
  void set_request_time_limit(std::chrono::nanoseconds limit);
  /// Gives up one request. False if it does not wait (any more).
  bool remove_pending_request(std::int64_t request_id) { return pending_->give_up(request_id); }
  /// Gives up all of them.
  std::size_t prune_pending_requests() { return pending_->give_up_all(); }
  /// Gives up those that were sent before `time`; counted as timeouts.
  std::size_t prune_requests_older_than(std::chrono::steady_clock::time_point time,
                                        std::vector<std::int64_t>* pruned = nullptr);

  [[nodiscard]] ClientStatistics statistics() const;

  /// What the executor runs.
  [[nodiscard]] const std::shared_ptr<SubscriptionBase>& replies() const { return replies_; }
  [[nodiscard]] const std::shared_ptr<PublisherBase>& requests() const { return requests_; }
  [[nodiscard]] const std::shared_ptr<detail::NodeState>& shared_node() const {
    return pending_->node;
  }
  /// When there is something to do that no message brings: parked replies, time limits.
  [[nodiscard]] std::int64_t next_time_limit_ns() const {
    return pending_->has_parked() ? 0 : pending_->next_limit_ns();
  }
  bool give_up_late_requests();
  /// Counts one among `timeouts` that its time has passed while it waited, unsent, for a server.
  void count_unsent() { pending_->timeouts.fetch_add(1, std::memory_order_relaxed); }

 protected:
  ClientBase(std::shared_ptr<detail::PendingRequests> pending,
             std::shared_ptr<SubscriptionBase> replies, std::shared_ptr<PublisherBase> requests);

 private:
  static void take_meanwhile(detail::PendingRequests& pending, SubscriptionBase& replies);

  std::shared_ptr<detail::PendingRequests> pending_;
  std::shared_ptr<SubscriptionBase> replies_;
  std::shared_ptr<PublisherBase> requests_;
};

/// A future with the number of its request. Reads like std::future; waiting where that could never
/// end returns at once.
template <typename FutureT, typename Value>
struct FutureAndId {
  FutureT future;
  std::int64_t request_id = 0;

  [[nodiscard]] bool valid() const { return future.valid(); }
  /// Null: there will be no response.
  Value get() { return may_wait() ? Value(future.get()) : Value(); }
  void wait() const {
    if (may_wait()) {
      future.wait();
    }
  }
  template <typename Rep, typename Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& span) const {
    const auto status = future.wait_for(std::chrono::seconds(0));
    return status == std::future_status::ready || span <= span.zero() || !may_wait()
               ? status
               : future.wait_for(span);
  }
  auto share() { return future.share(); }

  std::weak_ptr<detail::NodeState> node;
  std::shared_ptr<CallbackGroup> group;  ///< that brings it

 private:
  [[nodiscard]] bool may_wait() const {
    if (future.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      return true;
    }
    const auto strong = node.lock();
    return strong == nullptr || !detail::refuse_blocking(strong, "a response", group.get());
  }
};

/// Asks one type of service under one name. Made by Node::create_client().
template <typename T>
class Client : public ClientBase {
 public:
  using SharedPtr = std::shared_ptr<Client>;
  using Request = typename T::Request;
  using Response = typename T::Response;
  using SharedRequest = std::shared_ptr<Request>;
  using SharedResponse = std::shared_ptr<Response>;
  using Promise = std::promise<SharedResponse>;
  using Future = std::future<SharedResponse>;
  using SharedFuture = std::shared_future<SharedResponse>;
  using CallbackType = std::function<void(SharedFuture)>;
  using FutureAndRequestId = FutureAndId<Future, SharedResponse>;
  using SharedFutureAndRequestId = FutureAndId<SharedFuture, SharedResponse>;

  [[nodiscard]] static std::shared_ptr<Client> create(detail::ServiceEnds ends) {
    auto pending = std::make_shared<Pending>();
    pending->node = ends.out.node;
    pending->group = ends.in.group;
    pending->service = std::move(ends.name);
    auto requests = std::make_shared<detail::ExchangePublisher<Request>>(std::move(ends.out));
    pending->gid = requests->get_gid();
    auto incoming = std::make_shared<Incoming>(std::move(ends.in), pending);
    return std::shared_ptr<Client>(
        new Client(std::move(pending), std::move(incoming), std::move(requests)));
  }

  FutureAndRequestId async_send_request(const SharedRequest& request) {
    return async_send_request(*request);
  }
  FutureAndRequestId async_send_request(const Request& request) {
    Waiting waiting;
    auto future = waiting.promise.get_future();
    const auto id = send(request, std::move(waiting), time_limit());
    return {std::move(future), id, pending_->node, pending_->group};
  }
  /// The callback runs on the node's executor, also when there will be no response; where the
  /// request cannot be sent or is removed by hand, on the thread that does so.
  SharedFutureAndRequestId async_send_request(const SharedRequest& request, CallbackType callback) {
    return async_send_request(*request, std::move(callback));
  }
  SharedFutureAndRequestId async_send_request(const Request& request, CallbackType callback) {
    return async_send_request(request, std::move(callback), time_limit());
  }
  /// This request is given up after a time of its own; 0: never.
  SharedFutureAndRequestId async_send_request(const Request& request, CallbackType callback,
                                              std::chrono::nanoseconds limit) {
    Waiting waiting;
    SharedFuture future = waiting.promise.get_future().share();
    waiting.future = future;
    waiting.callback = std::move(callback);
    const auto id = send(request, std::move(waiting), limit);
    return {std::move(future), id, pending_->node, pending_->group};
  }

 private:
  struct Waiting {
    Promise promise;
    SharedFuture future;    ///< what the callback is given
    CallbackType callback;  ///< may be empty

    void finish(SharedResponse response) {
      promise.set_value(std::move(response));
      if (callback) {
        callback(std::move(future));
      }
    }
  };

  /// The base counts and times them; here is who asked.
  class Pending final : public detail::PendingRequests {
   public:
    std::int64_t add(Waiting&& waiting, std::chrono::nanoseconds limit) {
      const std::lock_guard lock(mutex_);
      const std::int64_t number = enter(limit.count());
      who_.emplace(number, std::move(waiting));
      return number;
    }
    bool finish(std::int64_t number, SharedResponse response) {
      if (!leave(number)) {
        return false;
      }
      auto found = take(number);
      found.finish(std::move(response));
      return true;
    }

    expected<void, CodecError> park(pool::HeldSample&& sample) override {
      const pool::SampleInfo info = sample.info();
      if (!leave(info.request.sequence)) {
        return {};
      }
      auto response = std::make_shared<Response>();
      auto read = MessageTraits<Response>::deserialize(sample.payload(), *response);
      { [[maybe_unused]] const pool::HeldSample released = std::move(sample); }
      auto who = take(info.request.sequence);
      const std::lock_guard lock(mutex_);
      parked_.push_back({info.publisher, info.sequence, std::move(who),
                         read ? std::move(response) : SharedResponse()});
      set_parked(true);
      return read;
    }
    bool run_parked(std::uint64_t subscription) override {
      std::vector<Parked> parked;
      {
        const std::lock_guard lock(mutex_);
        parked.swap(parked_);
        set_parked(false);
      }
      for (Parked& one : parked) {
        detail::run_as_callback(*node, subscription, one.publisher, one.sequence, [&] {
          replies.fetch_add(one.response == nullptr ? 0 : 1, std::memory_order_relaxed);
          one.who.finish(std::move(one.response));
        });
      }
      return !parked.empty();
    }

   private:
    struct Parked {
      std::uint64_t publisher;
      std::uint64_t sequence;
      Waiting who;
      SharedResponse response;  ///< null: its bytes are no response
    };
    void finish_without(std::int64_t number) override { take(number).finish(nullptr); }
    /// Who left the base's list is taken by exactly one thread.
    Waiting take(std::int64_t number) {
      const std::lock_guard lock(mutex_);
      return std::move(who_.extract(number).mapped());
    }

    std::mutex mutex_;
    std::map<std::int64_t, Waiting> who_;
    std::vector<Parked> parked_;
  };

  class Incoming final : public SubscriptionBase {
   public:
    Incoming(detail::SubscriptionParts parts, std::shared_ptr<Pending> pending)
        : SubscriptionBase(std::move(parts)), pending_(std::move(pending)) {}

   private:
    bool is_wanted(const pool::SampleInfo& info) override { return pending_->expects(info); }
    expected<void, CodecError> deliver(pool::HeldSample&& sample) override {
      const std::int64_t number = sample.info().request.sequence;
      auto response = std::make_shared<Response>();
      this->count_copy(sample.payload().size());
      auto read = MessageTraits<Response>::deserialize(sample.payload(), *response);
      { [[maybe_unused]] const pool::HeldSample released = std::move(sample); }
      const auto pending = pending_;  // the callback may drop the client
      if (!read) {
        (void)pending->finish(number, nullptr);
        return read;
      }
      if (pending->finish(number, std::move(response))) {
        pending->replies.fetch_add(1, std::memory_order_relaxed);
      }
      return {};
    }
    std::shared_ptr<Pending> pending_;
  };

  Client(std::shared_ptr<Pending> pending, std::shared_ptr<SubscriptionBase> incoming,
         std::shared_ptr<detail::ExchangePublisher<Request>> requests)
      : ClientBase(pending, std::move(incoming), requests),
        pending_(std::move(pending)),
        requests_(std::move(requests)) {}

  /// Of a request that has none of its own.
  [[nodiscard]] std::chrono::nanoseconds time_limit() const {
    return std::chrono::nanoseconds(pending_->time_limit_ns.load(std::memory_order_relaxed));
  }

  /// It waits before it is sent: the reply may be quicker than this thread.
  std::int64_t send(const Request& request, Waiting&& waiting, std::chrono::nanoseconds limit) {
    const std::int64_t number = pending_->add(std::move(waiting), limit);
    if (requests_->send_as(request, {pending_->gid, number})) {
      pending_->sent.fetch_add(1, std::memory_order_relaxed);
    } else {
      (void)pending_->finish(number, nullptr);
    }
    return number;
  }

  std::shared_ptr<Pending> pending_;
  std::shared_ptr<detail::ExchangePublisher<Request>> requests_;
};

}  // namespace ligament
