// SPDX-License-Identifier: Apache-2.0
/// \file What is behind rmw's handles of nodes, publishers, subscriptions, services and
/// clients.
#pragma once

#include <rmw/allocators.h>
#include <rmw/subscription_content_filter_options.h>
#include <rmw/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ligament/detail/pool.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "context.hpp"
#include "events.hpp"
#include "filter.hpp"
#include "message_type.hpp"
#include "status.hpp"

namespace rmw_ligament_cpp {

/// A node is seen in the graph by its marker: an endpoint of `pool::graph_topic` that nobody reads
/// or writes, whose type name is the node's enclave.
struct Node {
  explicit Node(Context& context_in) : context(context_in) {}
  ~Node() { context.remove(graph_changed); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  Context& context;
  std::string full_name;
  std::unique_ptr<ligament::pool::Reader> marker;
  GuardCondition graph_changed;
  rmw_guard_condition_t graph_handle{};
  status::Shown shown;
};

struct Publisher {
  explicit Publisher(Node& node) : context(node.context), events(node.context) {}
  Context& context;
  std::unique_ptr<MessageType> type;
  rmw_qos_profile_t qos{};
  WriterEventSource events;
  std::unique_ptr<ligament::pool::Writer> writer;
  std::mutex mutex;  ///< one publish at a time, so that one loan serves them all; guards `lent`
  std::map<const void*, ligament::pool::Loan> lent;  ///< by the message within
  status::Counts counts;
  status::Shown shown;  ///< last: ends before what it looks at
};

struct Subscription {
  explicit Subscription(Node& node) : context(node.context), events(node.context) {}
  Context& context;
  std::unique_ptr<MessageType> type;
  rmw_qos_profile_t qos{};
  bool ignores_own = false;
  ReaderEventSource events;
  std::unique_ptr<ligament::pool::Reader> reader;
  std::mutex mutex;  ///< guards `lent`
  std::map<const void*, ligament::pool::HeldSample> lent;
  std::atomic<bool> is_filtered{false};  ///< has, or has had, a content filter
  std::mutex filter_mutex;               ///< guards the two below
  std::unique_ptr<const ContentFilter> filter;
  /// What a wait has found that the filter wants: it is taken next.
  std::optional<ligament::pool::HeldSample> found;
  /// How many views are out (views.cpp), which may outlive the subscription.
  std::shared_ptr<std::atomic<std::uint32_t>> views =
      std::make_shared<std::atomic<std::uint32_t>>(0);
  status::Counts counts;
  status::Shown shown;  ///< last: ends before what it looks at

  /// Whether there is a message to take. What the content filter does not want is let go.
  [[nodiscard]] bool is_ready();
};

/// A request or response that came: where it was published, or a copy.
class Incoming {
 public:
  explicit Incoming(ligament::pool::HeldSample&& sample) : sample_(std::move(sample)) {}
  /// Lets go of the sample.
  void copy();
  [[nodiscard]] std::span<const std::byte> payload() const {
    return sample_ ? sample_->payload() : std::span<const std::byte>(copy_);
  }
  [[nodiscard]] ligament::pool::SampleInfo info() const {
    return sample_ ? sample_->info() : info_;
  }

 private:
  std::optional<ligament::pool::HeldSample> sample_;
  std::vector<std::byte> copy_;
  ligament::pool::SampleInfo info_;
};

/// A server or client: two topics of the pool (spec/wire/service.md).
struct Exchange {
  explicit Exchange(Node& node) : context(node.context) {}
  Context& context;
  std::unique_ptr<MessageType> in_type;
  std::unique_ptr<MessageType> out_type;
  rmw_qos_profile_t qos{};
  std::unique_ptr<ligament::pool::Reader> reader;
  std::unique_ptr<ligament::pool::Writer> writer;
  bool is_client = false;
  std::int64_t last_number = 0;  ///< of a client's requests; guarded by `mutex`
  std::mutex mutex;              ///< one message out at a time
  /// What came and is ours (a client sees the responses to all clients), oldest first. One, or
  /// those that came while a request waited for room.
  std::deque<Incoming> mine;
  std::mutex mine_mutex;  ///< guards `mine` and `awaited`
  /// Clients: the numbers of requests without a response; the newest, should there be many.
  std::vector<std::int64_t> awaited;

  /// Looks for one of its own.
  [[nodiscard]] bool is_ready();
  [[nodiscard]] std::optional<Incoming> take();
  /// While a request waits for room at the server, which may wait for room for its responses.
  void take_meanwhile();
  /// A request is to be sent; it could not be. While none waits, no server waits for this client.
  void await(std::int64_t number);
  void await_no_more(std::int64_t number);

 private:
  void forget(std::int64_t number);
  /// Under `mine_mutex`: the next one that is ours.
  [[nodiscard]] std::optional<Incoming> find();
};

/// Serialises into a loan and publishes it. The error text names the type.
[[nodiscard]] rmw_ret_t publish(ligament::pool::Writer& writer, const MessageType& type,
                                const void* message, const ligament::pool::PublishInfo& info = {},
                                status::Counts* counts = nullptr);
/// Publishes what is in a loan; `began_ns`: when the call did (tracing::begin_ns).
[[nodiscard]] rmw_ret_t publish(ligament::pool::Writer& writer, ligament::pool::Loan&& loan,
                                std::int64_t began_ns,
                                const ligament::pool::PublishInfo& info = {});

/// Whether the message is of a publisher that the subscription wants to hear.
[[nodiscard]] bool is_wanted(const Subscription& own, const ligament::pool::SampleInfo& info);

/// The next sample that is wanted, also by the filter. An error: all that it may keep are lent.
[[nodiscard]] ligament::expected<std::optional<ligament::pool::HeldSample>,
                                 ligament::pool::TakeError>
next_wanted(Subscription& own);

/// The text of the filter is checked; empty: none. The error is set.
[[nodiscard]] rmw_ret_t set_filter(Subscription& own,
                                   const rmw_subscription_content_filter_options_t& options);

/// The next sample that the subscription wants; nothing where there is none, or where `result` says
/// why.
[[nodiscard]] std::optional<ligament::pool::HeldSample> next_sample(Subscription& own,
                                                                    rmw_ret_t& result);
void describe(const ligament::pool::SampleInfo& from, rmw_message_info_t& info);

/// What is wrong with the name of a topic or service; empty: nothing.
[[nodiscard]] std::string fault_of_topic(const char* topic, const rmw_qos_profile_t& qos);

/// The same of a node's name or namespace.
[[nodiscard]] std::string fault_of_node(const char* name, const char* space);

/// The node's name and namespace from its full name, as rmw wants them apart.
[[nodiscard]] std::pair<std::string, std::string> split(const std::string& full_name);

/// Endpoints of a topic on one side.
[[nodiscard]] Context::Endpoints endpoints_of(Context& context, const std::string& topic,
                                              ligament::pool::EndpointKind kind);
/// `actual_qos` of an endpoint whose other side is of this kind.
[[nodiscard]] rmw_qos_profile_t qos_facing(Context& context, const std::string& topic,
                                           ligament::pool::EndpointKind kind,
                                           const rmw_qos_profile_t& wanted);

/// Copies for handles, which rmw_free them.
struct FreeText {
  void operator()(char* text) const { rmw_free(text); }
};
using Text = std::unique_ptr<char, FreeText>;
[[nodiscard]] Text copy_text(const std::string& text);

/// A handle of rmw's; lack of memory is thrown.
template <typename Handle>
[[nodiscard]] Handle* require(Handle* allocated) {
  if (allocated == nullptr) {
    throw std::bad_alloc();
  }
  return allocated;
}

}  // namespace rmw_ligament_cpp
