// SPDX-License-Identifier: Apache-2.0
#include "container/give.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ligament/lifecycle_node.hpp>
#include <ligament/logging.hpp>
#include <optional>
#include <vector>

#include "container/move_places.hpp"
#include "container/move_times.hpp"
#include "container/problems.hpp"
#include "container/take_in.hpp"
#include "node/node_state.hpp"
#include "node/subscription_state.hpp"

namespace ligament::container {
namespace {

using Failure = unexpected<std::string>;

constexpr std::size_t longest_request = 65536;

// --- whether it may go
// ----------------------------------------------------------------------------

bool is_of_ros_tools(const std::string& topic) {
  return topic == "/rosout" || topic == "/parameter_events";
}

/// Of an end: why its node cannot go to another process. Empty: it can.
std::string fault_of_topic(const detail::NodeState& state, const std::string& topic) {
  if (topic.find("/_action/") != std::string::npos) {
    return "it takes part in the action of '" + topic.substr(0, topic.find("/_action/")) +
           "', and goals stay where they are";
  }
  const auto options = state.topics.find(topic);
  if (options == state.topics.end()) {
    return "";
  }
  if (options->second.queue) {
    return "payloads of '" + topic + "' stay on a device (transport queue)";
  }
  return options->second.mode == TopicMode::handed_over
             ? "the mode of '" + topic + "' is handed_over, within one process"
             : "";
}

std::string fault_of_ends(detail::NodeState& state) {
  for (const auto& one : detail::alive(state.mutex, state.subscriptions)) {
    if (auto fault = fault_of_topic(state, one->get_topic_name()); !fault.empty()) {
      return fault;
    }
  }
  for (const auto& one : detail::alive(state.mutex, state.publishers)) {
    const std::string& topic = one->get_topic_name();
    if (auto fault = fault_of_topic(state, topic); !fault.empty()) {
      return fault;
    }
    if (one->get_actual_qos().durability == DurabilityPolicy::transient_local &&
        !is_of_ros_tools(topic)) {
      return "it publishes '" + topic + "' transient_local, and the history would be gone";
    }
  }
  return "";
}

std::string why_it_stays(const Node& node) {
  if (dynamic_cast<const LifecycleNode*>(&node) != nullptr) {
    return "it is a lifecycle node, whose state is not handed over";
  }
  return fault_of_ends(node.state());
}

// --- the steps
// ------------------------------------------------------------------------------------

/// One node on its way. It goes on here unless `go` was sent.
class Giving {
 public:
  Giving(NodeHolder& holder, std::shared_ptr<Node> node, MoveChannel& channel)
      : holder_(holder), node_(std::move(node)), channel_(channel) {}

  expected<void, std::string> run(const std::vector<std::string>& state_names) {
    auto here = answer_hellos();
    if (!here) {
      return Failure(here.error());
    }
    if (auto stopped = stop_at(*here); !stopped) {
      return stopped;
    }
    auto given = hand_over(state_names);
    if (!given) {
      holder_.go_on(node_);
      return given;
    }
    holder_.release(node_);
    return {};
  }

 private:
  /// Until the new node has met all: its places then.
  expected<Places, std::string> answer_hellos() {
    for (std::int64_t patience = arrival_patience_ns;; patience = answer_patience_ns) {
      const auto message = channel_.receive(patience);
      if (!message) {
        return Failure(message.error());
      }
      if ((*message)["step"] == "here") {
        return places_from(message->value("places", Json::array()));
      }
      if (auto sent = channel_.send({{"step", "places"},
                                     {"places", to_json(places_of(*node_))},
                                     {"reach", to_json(reach_of(*node_))}});
          !sent) {
        return Failure(sent.error());
      }
    }
  }

  std::string lacking(const Places& here) const {
    auto text = missing(here, places_of(*node_));
    return text.empty() && open_requests(*node_) != 0 ? "a request is open" : text;
  }

  /// Lets it run until the new one may begin where it is, and stops it there.
  expected<void, std::string> stop_at(const Places& here) {
    const std::int64_t deadline = pool::monotonic_now_ns() + stop_patience_ns;
    std::string text = lacking(here);
    while (pool::monotonic_now_ns() < deadline) {
      if (text.empty()) {
        const auto tried = try_to_stop(here);
        if (!tried || tried->empty()) {
          return tried ? expected<void, std::string>() : Failure(tried.error());
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      text = lacking(here);
    }
    return Failure("the node did not come to rest: " + text);
  }

  /// Publishers wait for the new one while this one stops. Empty: it has; else what came to be open
  /// between the look and the stop, and it runs on.
  expected<std::string, std::string> try_to_stop(const Places& here) {
    if (auto sent = channel_.send({{"step", "wake"}, {"places", to_json(places_of(*node_))}});
        !sent) {
      return Failure(sent.error());
    }
    if (auto awake = channel_.receive("awake", answer_patience_ns); !awake) {
      return Failure(awake.error());
    }
    stopped_ns_ = pool::monotonic_now_ns();
    holder_.stop(node_);
    std::string text = lacking(here);
    if (text.empty()) {
      const auto settled = node_->settle();
      text = settled ? "" : settled.error();
    }
    if (!text.empty()) {
      holder_.go_on(node_);
      if (auto sent = channel_.send({{"step", "rest"}}); !sent) {
        return Failure(sent.error());
      }
    }
    return text;
  }

  expected<void, std::string> hand_over(const std::vector<std::string>& state_names) {
    Json message{{"step", "stopped"},
                 {"places", to_json(places_of(*node_))},
                 {"parameters", parameters_to_json(*node_)},
                 {"stopped_ns", stopped_ns_}};
    if (auto state = node_->save_state()) {
      std::vector<std::uint8_t> bytes(state->size());
      std::transform(state->begin(), state->end(), bytes.begin(),
                     [](std::byte one) { return static_cast<std::uint8_t>(one); });
      message["state"] = Json::binary(std::move(bytes));
    } else if (!state_names.empty()) {
      return Failure("it keeps state (" + state_names.front() +
                     (state_names.size() > 1 ? ", ..." : "") +
                     "), and its class hands none over: save_state() and restore_state() of "
                     "ligament::Node do that");
    }
    if (auto sent = channel_.send(message); !sent) {
      return sent;
    }
    if (auto taken = channel_.receive("taken", answer_patience_ns); !taken) {
      return Failure(taken.error());
    }
    return channel_.send({{"step", "go"}});  // where this succeeds, the node is the other's
  }

  NodeHolder& holder_;
  std::shared_ptr<Node> node_;
  MoveChannel& channel_;
  std::int64_t stopped_ns_ = 0;
};

// --- the control socket
// ---------------------------------------------------------------------------

struct Received {
  std::string text;     ///< empty: the socket has ended
  int descriptor = -1;  ///< -1: none came with it
};

Received receive(int socket) {
  Received received;
  received.text.resize(longest_request);
  iovec part{received.text.data(), received.text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room.data();
  header.msg_controllen = room.size();
  ssize_t bytes = -1;
  do {
    bytes = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  received.text.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control != nullptr && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
      control->cmsg_len == CMSG_LEN(sizeof(int))) {
    std::memcpy(&received.descriptor, CMSG_DATA(control), sizeof(int));
  }
  return received;
}

std::vector<std::string> names_in(const Json& request) {
  std::vector<std::string> names;
  for (const auto& one : request.value("state", Json::array())) {
    names.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  }
  return names;
}

}  // namespace

Giver::Giver(int descriptor, NodeHolder& holder, Control& control, const Surroundings& around)
    : descriptor_(descriptor), holder_(holder), control_(control), around_(around), thread_([this] {
        run();
      }) {}

Giver::~Giver() {
  ending_ = true;
  ::shutdown(descriptor_, SHUT_RDWR);
  thread_.join();
  ::close(descriptor_);
}

bool Giver::is_ending() const { return ending_ || !around_.context->is_valid(); }

void Giver::run() {
  while (!is_ending()) {
    const Received received = receive(descriptor_);
    if (received.text.empty()) {
      return;  // whoever started this container is gone, or it ends
    }
    const auto request = Json::parse(received.text, nullptr, false);
    if (received.descriptor >= 0 && request.is_object()) {
      MoveChannel channel(received.descriptor, [this] { return is_ending(); });
      const auto kind = request.find("request");
      const bool takes = kind != request.end() && *kind == "take";
      takes ? take_in(request, channel, holder_, control_, around_) : give(request, channel);
    } else {
      get_logger("ligament-container")
          .write(LogLevel::error, "what came over the control socket is no request with a socket");
      if (received.descriptor >= 0) {
        ::close(received.descriptor);
      }
    }
  }
}

void Giver::give(const Json& request, MoveChannel& channel) {
  const Json& id = request.value("node", Json());
  const auto node = id.is_string() ? holder_.find(id.get<std::string>()) : nullptr;
  if (node == nullptr) {
    channel.refuse("there is no such node in this container");
    return;
  }
  if (auto fault = why_it_stays(*node); !fault.empty()) {
    channel.refuse("node '" + node->get_fully_qualified_name() + "' cannot move: " + fault);
    return;
  }
  if (auto given = Giving(holder_, node, channel).run(names_in(request)); !given) {
    get_logger("ligament-container")
        .write(LogLevel::warn,
               "node '" + node->get_fully_qualified_name() + "' stays here: " + given.error());
    channel.refuse(given.error());
  }
}

}  // namespace ligament::container
