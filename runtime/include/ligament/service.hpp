// SPDX-License-Identifier: Apache-2.0
/// \file Servers of services: a callback per request, whose response goes to the client that asked.
///
///   service_ = create_service<AddTwoInts>(
///       "add", [](std::shared_ptr<AddTwoInts::Request> request,
///                 std::shared_ptr<AddTwoInts::Response> response) {
///         response->sum = request->a + request->b;
///       });
///
/// Forms of the callback (all pointers are std::shared_ptr):
///
///   (Request, Response)             the response is sent when the callback returns
///   (RequestId, Request, Response)  the same, with who asked
///   (RequestId, Request)            deferred: send_response(id, response) when there is one
///   (Service<T>, RequestId, Request)  deferred, with the service itself
///   (Sample<Request>, Responder<T>)   ours: the request in place, the response lent or sent later
///
/// A request that is never answered leaves its client waiting. Rules: spec/wire/service.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/exchange.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ligament {

/// Who asked, and the client's number for the request. Unique in the graph.
struct RequestId {
  pool::Gid writer_guid{};
  std::int64_t sequence_number = 0;
  bool operator==(const RequestId&) const = default;
};

struct ServiceStatistics {
  std::uint64_t requests = 0;  ///< handed to the callback
  std::uint64_t replies = 0;   ///< sent
  std::uint64_t failed = 0;    ///< replies that could not be sent
  std::uint64_t strayed = 0;   ///< messages that are no request: not delivered
  std::uint64_t invalid = 0;   ///< requests that are not well formed: not delivered
  std::uint64_t lost = 0;      ///< requests that were overwritten before they were taken
  std::uint64_t dropped = 0;   ///< responders that were destroyed without having answered
  std::uint64_t stalled = 0;   ///< clients that the replies do not wait for now
};

/// What does not depend on the type of the service.
class ServiceBase {
 public:
  virtual ~ServiceBase();
  ServiceBase(const ServiceBase&) = delete;
  ServiceBase& operator=(const ServiceBase&) = delete;

  /// The service's id: its resolved name.
  [[nodiscard]] const std::string& get_service_name() const { return name_; }
  /// False: it could not be made, and the node has an error that says why.
  [[nodiscard]] bool is_open() const { return requests_->is_open() && replies_->is_open(); }
  /// Clients that are connected in both directions.
  [[nodiscard]] std::size_t get_client_count() const;
  [[nodiscard]] ServiceStatistics statistics() const;

  /// What the executor runs.
  [[nodiscard]] const std::shared_ptr<SubscriptionBase>& requests() const { return requests_; }
  [[nodiscard]] const std::shared_ptr<PublisherBase>& replies() const { return replies_; }

 protected:
  /// Relaxed everywhere: figures, read by the status thread.
  struct Counters {
    std::atomic<std::uint64_t> requests{0};
    std::atomic<std::uint64_t> strayed{0};
    std::atomic<std::uint64_t> dropped{0};
  };

  ServiceBase(std::string name, std::shared_ptr<Counters> counters,
              std::shared_ptr<SubscriptionBase> requests, std::shared_ptr<PublisherBase> replies);

 private:
  std::string name_;
  std::shared_ptr<Counters> counters_;
  std::shared_ptr<SubscriptionBase> requests_;
  std::shared_ptr<PublisherBase> replies_;
};

template <typename T>
class Service;

/// The duty to answer one request, from any thread. Move-only. It may outlive its callback and its
/// service; destroyed without an answer, it is counted (`dropped`) and the client waits in vain.
template <typename T>
class Responder {
 public:
  using Response = typename T::Response;
  using Shape = typename MessageTraits<Response>::Shape;

  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&&) = delete;
  ~Responder() {
    if (channel_ != nullptr) {
      channel_->dropped.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// Memory for a response of this shape.
  [[nodiscard]] expected<LoanedMessage<Response>, LoanError> borrow_loaned_message(
      const Shape& shape) {
    return channel_->publisher->borrow_loaned_message(shape);
  }
  PublishResult send(LoanedMessage<Response>&& response) && { return answer(std::move(response)); }
  PublishResult send(const Response& response) && { return answer(response); }
  [[nodiscard]] RequestId request_id() const { return {id_.client, id_.sequence}; }

 private:
  friend class Service<T>;
  using Channel = typename Service<T>::Channel;
  Responder(std::shared_ptr<Channel> channel, const pool::RequestIdentity& id)
      : channel_(std::move(channel)), id_(id) {}

  template <typename Message>
  PublishResult answer(Message&& message) {
    const auto channel = std::exchange(channel_, nullptr);
    return channel == nullptr ? unexpected<PublishError>(PublishError::foreign_loan)
                              : channel->publisher->send_as(std::forward<Message>(message), id_);
  }

  std::shared_ptr<Channel> channel_;  ///< null: answered, or moved from
  pool::RequestIdentity id_;
};

/// Serves one type of service under one name. Made by Node::create_service().
template <typename T>
class Service : public ServiceBase, public std::enable_shared_from_this<Service<T>> {
 public:
  using SharedPtr = std::shared_ptr<Service>;
  using Request = typename T::Request;
  using Response = typename T::Response;

  template <typename Callback>
  [[nodiscard]] static std::shared_ptr<Service> create(detail::ServiceEnds ends,
                                                       Callback&& callback) {
    auto channel = std::make_shared<Channel>();
    channel->publisher = std::make_shared<detail::ExchangePublisher<Response>>(std::move(ends.out));
    auto incoming = std::make_shared<Incoming<std::decay_t<Callback>>>(
        std::move(ends.in), channel, std::forward<Callback>(callback));
    std::shared_ptr<Service> made(new Service(std::move(ends.name), channel, incoming));
    incoming->service = made;
    return made;
  }

  /// Answers a request whose callback was of a deferred form. From any thread.
  PublishResult send_response(const RequestId& id, const Response& response) {
    return channel_->publisher->send_as(response, {id.writer_guid, id.sequence_number});
  }

 private:
  friend class Responder<T>;
  /// What callbacks, responders and the service share.
  struct Channel : Counters {
    std::shared_ptr<detail::ExchangePublisher<Response>> publisher;
  };

  Service(std::string name, std::shared_ptr<Channel> channel,
          std::shared_ptr<SubscriptionBase> incoming)
      : ServiceBase(std::move(name), channel, std::move(incoming), channel->publisher),
        channel_(std::move(channel)) {}

  template <typename Callback>
  class Incoming;

  std::shared_ptr<Channel> channel_;
};

/// Takes the requests and runs the callback.
template <typename T>
template <typename Callback>
class Service<T>::Incoming final : public SubscriptionBase {
 public:
  Incoming(detail::SubscriptionParts parts, std::shared_ptr<Channel> channel, Callback callback)
      : SubscriptionBase(std::move(parts)),
        channel_(std::move(channel)),
        callback_(std::move(callback)) {
    this->tell_callback(typeid(Callback));
  }

  std::weak_ptr<Service> service;

 private:
  using Traits = MessageTraits<Request>;
  using Id = std::shared_ptr<RequestId>;
  using Asked = std::shared_ptr<Request>;
  using Answer = std::shared_ptr<Response>;
  static constexpr bool in_place = std::is_invocable_v<Callback&, Sample<Request>, Responder<T>>;
  static constexpr bool plain = std::is_invocable_v<Callback&, Asked, Answer>;
  static constexpr bool with_id = std::is_invocable_v<Callback&, Id, Asked, Answer>;
  static constexpr bool deferred = std::is_invocable_v<Callback&, Id, Asked>;
  static constexpr bool with_service =
      std::is_invocable_v<Callback&, std::shared_ptr<Service>, Id, Asked>;
  static_assert(in_place || plain || with_id || deferred || with_service,
                "a service's callback takes (std::shared_ptr<Request>, std::shared_ptr<Response>), "
                "or another form that ligament/service.hpp lists");

  bool is_wanted(const pool::SampleInfo& info) override {
    const bool is_request = info.request != pool::RequestIdentity{};
    if (!is_request) {
      channel_->strayed.fetch_add(1, std::memory_order_relaxed);
    }
    return is_request;
  }

  expected<void, CodecError> deliver(pool::HeldSample&& sample) override {
    const pool::RequestIdentity id = sample.info().request;
    if constexpr (in_place) {
      auto view = Traits::View::parse(sample.payload());
      if (!view) {
        return unexpected<CodecError>(view.error());
      }
      channel_->requests.fetch_add(1, std::memory_order_relaxed);
      const auto mark = this->mark_callback();
      callback_(Sample<Request>(std::move(sample), std::move(*view)), Responder<T>(channel_, id));
      return {};
    } else {
      auto request = std::make_shared<Request>();
      this->count_copy(sample.payload().size());
      if (auto read = Traits::deserialize(sample.payload(), *request); !read) {
        return read;
      }
      { [[maybe_unused]] const pool::HeldSample released = std::move(sample); }
      channel_->requests.fetch_add(1, std::memory_order_relaxed);
      run(id, std::move(request));
      return {};
    }
  }

  void run(const pool::RequestIdentity& id, Asked request) {
    if constexpr (plain || with_id) {
      auto response = std::make_shared<Response>();
      const auto channel = channel_;  // the callback may drop the service
      {
        const auto mark = this->mark_callback();
        if constexpr (plain) {
          callback_(std::move(request), response);
        } else {
          callback_(header(id), std::move(request), response);
        }
      }
      (void)channel->publisher->send_as(*response, id);
    } else if constexpr (deferred) {
      const auto mark = this->mark_callback();
      callback_(header(id), std::move(request));
    } else if constexpr (with_service) {
      if (auto strong = service.lock()) {
        const auto mark = this->mark_callback();
        callback_(std::move(strong), header(id), std::move(request));
      }
    }
  }

  static Id header(const pool::RequestIdentity& id) {
    return std::make_shared<RequestId>(RequestId{id.client, id.sequence});
  }

  std::shared_ptr<Channel> channel_;
  Callback callback_;
};

}  // namespace ligament
