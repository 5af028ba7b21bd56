// SPDX-License-Identifier: Apache-2.0
/// \file Nodes in C99 (spec/device/mcu.md): what generated classes are made of.
///
/// `Member`: a node whose code runs on a core; all members of a core live in one process, which
/// runs the core's emulator and its agent. `CodeNode`: the same code in this process. Authors of
/// nodes do not see this: they write C and a manifest.
#pragma once

#include <ligament/node.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <ligament/node.hpp>
#include <ligament/service.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ligament::mcu {

/// A node of an image.
struct NodePlan {
  std::string name;                 ///< fully qualified
  std::vector<std::string> timers;  ///< as traces name them
};
/// The image's memory map (spec/platform/memory.schema.json).
struct MemoryPlan {
  std::uint64_t shared_bytes;  ///< that host and core both reach
  std::uint64_t offset;        ///< of RPMsg's area in it
  std::uint32_t base;          ///< of the area, as the core sees it
  std::uint32_t buffers;
  std::uint32_t buffer_size;
  std::uint32_t blocks;
  std::uint32_t block_size;
};
/// What generated code says about a firmware image.
struct ImagePlan {
  std::string device;  ///< as the platform calls it
  std::string board;   ///< which emulator runs it
  MemoryPlan memory;
  std::filesystem::path image;
  std::vector<NodePlan> nodes;  ///< in the image's order
};

/// A message on its way to the core, which `keep` keeps where it is.
struct Arrival {
  std::span<const std::byte> stored;
  std::shared_ptr<const void> keep;
  trace::MessageIdentity message;
  pool::RequestIdentity request;  ///< of a service's requests
};
/// An end of a topic or a service, as the core's entity finds it.
struct Input {
  std::string port;
  std::string topic;
  std::string type;
  std::size_t depth = 1;
  /// The core did not take so many messages: they exceed a bound, or are none.
  std::function<void(std::uint32_t)> refused;
  /// Of a service, and the same at its output: when the core got the request that it answers now.
  std::shared_ptr<std::int64_t> asked_ns = nullptr;
  /// What each start of the core gets first, and instead of what waits; null: nothing.
  std::shared_ptr<const std::vector<std::byte>> latched = nullptr;
};
inline constexpr std::size_t most_waiting = 8;
struct Output {
  std::string topic;
  std::string type;
  /// Memory for a stored message of so many bytes; empty: there is none.
  std::function<std::span<std::byte>(std::size_t)> lend;
  /// What was lent last; of a service: as the response to a request.
  std::function<void(const pool::RequestIdentity&)> publish;
  /// The core did not send so many.
  std::function<void(std::uint32_t)> refused;
  std::shared_ptr<std::int64_t> asked_ns = nullptr;  ///< of a service
};
/// Requests that the core has not answered yet. Used by two threads.
class OpenRequests {
 public:
  /// Sends a stored response to who asked.
  using Respond = std::function<void(std::span<const std::byte>)>;
  void add(const pool::RequestIdentity& request, Respond respond);
  /// A response to none of them is left out.
  void answer(const pool::RequestIdentity& request, std::span<const std::byte> stored);
  /// Whose figures have what the core refuses.
  void serve(const std::shared_ptr<ServiceBase>& service);
  void count_refused(std::uint32_t requests);
  void count_failed(std::uint32_t responses);

 private:
  struct Open {
    pool::RequestIdentity request;
    Respond respond;
  };
  std::mutex mutex_;
  std::deque<Open> open_;
  std::weak_ptr<ServiceBase> service_;
};

/// Whether a parameter of this type can change while a node runs: a text is a constant there.
template <typename T>
inline constexpr bool can_change = !std::is_same_v<T, std::string>;

/// The core: its emulator, and the agent that its client speaks to.
class Core {
 public:
  explicit Core(ImagePlan plan);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// A node with all its ends. The last of the image's nodes starts the core, and returns when it
  /// has made all entities, and the `offers` of all nodes were called; else why it did not.
  [[nodiscard]] std::string join(Node& node, std::vector<Input> inputs, std::vector<Output> outputs,
                                 std::vector<std::function<void()>> offers);
  /// Before the node's ends go.
  void leave(const Node& node);
  /// How it lives. From any thread.
  [[nodiscard]] detail::CoreFigures figures() const;
  /// A message for an input; by its number in `inputs`.
  void take(const Node& node, std::size_t input, Arrival&& arrival);
  /// A stored message that replaces the one before: each start of the core gets it, too.
  void latch(const Node& node, std::size_t input, std::vector<std::byte> stored);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Base of generated nodes whose code is in an image.
class Member : public Node {
 public:
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

 protected:
  Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Core> core);

  template <typename In>
  void add_input(const std::string& port, QoS qos) {
    const std::size_t number = inputs_.size();
    // Those that wait for the core, the one that is being sent, and the one that comes.
    const std::size_t depth = std::min<std::size_t>(qos.profile().depth, most_waiting);
    qos.max_held(depth + 2);
    auto subscription = create_subscription<In>(port, qos, [this, number](Sample<In> sample) {
      auto held = std::make_shared<const Sample<In>>(std::move(sample));
      const MessageInfo info = held->info();
      core_->take(*this, number,
                  {held->bytes(), held, {info.publisher_id(), info.publication_sequence_number()}});
    });
    inputs_.push_back({port, subscription->get_topic_name(), std::string(MessageTraits<In>::name),
                       depth, [this, subscription = subscription.get()](std::uint32_t count) {
                         subscription->count_invalid(count);
                         tell_refused("a message on " + subscription->get_topic_name());
                       }});
    subscriptions_.push_back(subscription);
  }
  template <typename Out>
  void add_output(const std::string& port, const QoS& qos) {
    auto publisher = create_publisher<Out>(port, qos);
    auto lent = std::make_shared<std::optional<pool::Loan>>();
    outputs_.push_back({publisher->get_topic_name(), std::string(MessageTraits<Out>::name),
                        [publisher, lent](std::size_t size) -> std::span<std::byte> {
                          lent->reset();
                          auto loan = publisher->borrow_for_device(size, encapsulation_size);
                          if (!loan) {
                            return {};
                          }
                          return lent->emplace(std::move(*loan)).payload();
                        },
                        [publisher, lent](const pool::RequestIdentity&) {
                          if (*lent) {
                            const std::size_t size = (*lent)->payload().size();
                            (void)publisher->publish_filled(std::move(**lent), 0, size);
                            lent->reset();
                          }
                        },
                        [publisher](std::uint32_t count) { publisher->count_refused(count); }});
    outputs_publishers_.push_back(publisher);
  }
  /// Behind all topics. Clients see it when the core is there: until then nobody takes requests.
  template <typename T>
  void add_service(const std::string& name) {
    const std::size_t number = inputs_.size();
    auto open = std::make_shared<OpenRequests>();
    serve(name, std::string(MessageTraits<typename T::Request>::name),
          std::string(MessageTraits<typename T::Response>::name), open);
    offers_.push_back([this, name, number, open] { offer<T>(name, number, open); });
  }
  /// The value in the image. Another from outside goes to the core, but of one that cannot change
  /// it is an error. In the order of the image's.
  template <typename T>
  void add_parameter(const std::string& name, const T& built, ParameterDescriptor descriptor) {
    descriptor.read_only = descriptor.read_only || !can_change<T>;
    const T value = declare_parameter<T>(name, built, descriptor);
    if (!descriptor.read_only) {
      values_.emplace_back(name, value);
    } else if (value != built) {
      differs_ += differs_.empty() ? name : ", " + name;
    }
  }
  /// All is declared: the core may start.
  void join();

 private:
  /// Of a service, that wait for the core. Behind them clients wait, each for a while.
  static constexpr std::size_t most_requests = 64;

  template <typename T>
  void offer(const std::string& name, std::size_t number,
             const std::shared_ptr<OpenRequests>& open) {
    using Response = typename T::Response;
    ServicesQoS qos;
    qos.max_held(most_requests + 1);
    services_.push_back(create_service<T>(
        name,
        [this, number, open](Sample<typename T::Request> sample, Responder<T> responder) {
          const RequestId id = responder.request_id();
          const pool::RequestIdentity request{id.writer_guid, id.sequence_number};
          auto answer = std::make_shared<Responder<T>>(std::move(responder));
          open->add(request, [answer](std::span<const std::byte> stored) {
            Response response;
            if (MessageTraits<Response>::deserialize(stored, response)) {
              (void)std::move(*answer).send(response);  // a failure is counted
            }
          });
          auto held = std::make_shared<const Sample<typename T::Request>>(std::move(sample));
          const MessageInfo info = held->info();
          core_->take(*this, number,
                      {held->bytes(),
                       held,
                       {info.publisher_id(), info.publication_sequence_number()},
                       request});
        },
        qos));
    open->serve(services_.back());
  }
  void tell_refused(const std::string& what);
  void offer_parameters();
  void serve(const std::string& name, std::string request, std::string response,
             const std::shared_ptr<OpenRequests>& open);

  std::shared_ptr<Core> core_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions_;
  std::vector<std::shared_ptr<PublisherBase>> outputs_publishers_;
  std::vector<std::function<void()>> offers_;  ///< of its services
  std::vector<std::shared_ptr<ServiceBase>> services_;
  std::string differs_;
  bool has_told_refused_ = false;
  std::vector<Parameter> values_;  ///< of those that can change
  std::shared_ptr<OnSetParametersCallback> on_set_;
};

/// Base of generated nodes whose code runs in this process.
class CodeNode : public Node {
 public:
  CodeNode(const CodeNode&) = delete;
  CodeNode& operator=(const CodeNode&) = delete;

 protected:
  CodeNode(const std::string& name, const NodeOptions& options, const ligament_code_type_t& type);

  /// In the order of the type's inputs; so are the outputs.
  template <typename In>
  void add_input(const std::string& port, const QoS& qos) {
    const std::size_t number = subscriptions_.size();
    subscriptions_.push_back(create_subscription<In>(
        port, qos, [this, number](Sample<In> sample) { take(number, sample.bytes()); }));
  }
  template <typename Out>
  void add_output(const std::string& port, const QoS& qos) {
    auto publisher = create_publisher<Out>(port, qos);
    publishers_.push_back(publisher);
    publish_.push_back([publisher](std::span<const std::byte> stored) {
      return publisher->publish_stored(stored).has_value();
    });
  }
  /// In the order of the type's services.
  template <typename T>
  void add_service(const std::string& name) {
    const std::size_t number = services_.size();
    services_.push_back(create_service<T>(
        name, [this, number](Sample<typename T::Request> sample, Responder<T> responder) {
          typename T::Response response;
          const auto stored = serve(number, sample.bytes());
          if (MessageTraits<typename T::Response>::deserialize(stored, response)) {
            (void)std::move(responder).send(response);  // a failure is counted
          }
        }));
  }
  template <typename T>
  void add_parameter(const std::string& name, const T& preset, ParameterDescriptor descriptor) {
    descriptor.read_only = descriptor.read_only || !can_change<T>;
    set(name, ParameterValue(declare_parameter<T>(name, preset, descriptor)));
  }
  /// All is declared: calls the author's start, and starts the timers.
  void start();

 private:
  static int begin(void* context, std::uint16_t output, ligament_cdr_t* body);
  static int end(void* context, std::uint16_t output, const ligament_cdr_t* body);
  static std::int64_t now_ns(void* context);
  static void log(void* context, const char* text);

  [[nodiscard]] ligament_code_t* code();
  void set(const std::string& name, const ParameterValue& value);
  void keep_rates();
  void take(std::size_t input, std::span<const std::byte> stored);
  /// The stored response, until the next call; empty: there is none.
  [[nodiscard]] std::span<const std::byte> serve(std::size_t service,
                                                 std::span<const std::byte> stored);
  void tell_invalid(const std::string& what);

  const ligament_code_type_t& type_;
  std::vector<std::max_align_t> memory_;  ///< of the node struct
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<std::byte> buffer_;    ///< of the message being written
  std::vector<std::byte> response_;  ///< of the response: its author may publish
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions_;
  std::vector<std::shared_ptr<PublisherBase>> publishers_;
  std::vector<std::function<bool(std::span<const std::byte>)>> publish_;
  std::vector<std::shared_ptr<ServiceBase>> services_;
  std::vector<double> rates_;                       ///< of all timers of the type
  std::vector<std::shared_ptr<TimerBase>> timers_;  ///< null: its rate is 0
  std::shared_ptr<OnSetParametersCallback> on_set_;
  bool has_told_invalid_ = false;
};

}  // namespace ligament::mcu
