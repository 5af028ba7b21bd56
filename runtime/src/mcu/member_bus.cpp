// SPDX-License-Identifier: Apache-2.0
#include "mcu/member_bus.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ligament::mcu {

namespace {

unexpected<xrce::Refusal> unknown(const std::string& text) {
  return unexpected<xrce::Refusal>({xrce::Status::unknown_reference, text});
}

class Marker : public xrce::BusNode {};

}  // namespace

/// Counts an entity for as long as the core has it.
class MemberBus::Counted {
 public:
  explicit Counted(std::size_t& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

class MemberBus::Writer : public xrce::BusWriter {
 public:
  Writer(std::shared_ptr<Output> output, End end, MemberBus& bus)
      : output_(std::move(output)), end_(end), bus_(bus), counted_(bus.made_) {}
  std::span<std::byte> loan(std::size_t size) override { return output_->lend(size); }
  void publish(const pool::RequestIdentity& request) override { send(request); }
  // One message at a time comes in pieces; the reliable stream brings nothing between them, and
  // a best-effort message of the same writer is put in memory of its own.
  std::span<std::byte> loan_long(std::size_t size) override {
    long_.assign(size, std::byte{0});
    return long_;
  }
  void publish_long() override {
    const std::span<std::byte> place = output_->lend(long_.size());
    if (place.size() == long_.size()) {
      std::copy(long_.begin(), long_.end(), place.begin());
      send({});
    }
    long_.clear();
  }
  void drop_long() override { long_.clear(); }
  pool::Gid gid() const override { return {}; }
  /// Who publishes before somebody listens is heard by nobody, as from any node of a container.
  bool is_matched() const override { return true; }

 private:
  void send(const pool::RequestIdentity& request) {
    if (++number_ == 1) {
      bus_.passed_.insert(end_);
    }
    if (output_->asked_ns) {
      *output_->asked_ns = 0;
    }
    if (bus_.trace_ == nullptr) {
      output_->publish(request);
    } else {
      bus_.trace_->publish(end_.node, end_.port, number_, [&] { output_->publish(request); });
    }
  }

  std::shared_ptr<Output> output_;
  End end_;
  std::uint32_t number_ = 0;
  MemberBus& bus_;
  std::vector<std::byte> long_;
  Counted counted_;
};

class MemberBus::Reader : public xrce::BusReader {
 public:
  Reader(std::shared_ptr<Queue> queue, End end, MemberBus& bus)
      : queue_(std::move(queue)), end_(end), bus_(bus), counted_(bus.made_) {
    if (queue_->input.asked_ns) {
      *queue_->input.asked_ns = 0;
    }
    put_latched(*queue_);
  }
  std::optional<xrce::BusSample> take() override {
    taken_ = {};
    if (queue_->waiting.empty() || !is_our_turn()) {
      return std::nullopt;
    }
    taken_ = std::move(queue_->waiting.front());
    queue_->waiting.pop_front();
    ++queue_->handed;
    if (++number_ == 1) {
      bus_.passed_.insert(end_);
    }
    if (bus_.trace_ != nullptr && !queue_->input.latched) {
      bus_.trace_->handed(end_.node, end_.port, number_, taken_.message);
    }
    return xrce::BusSample{taken_.stored, taken_.request};
  }
  bool is_matched() const override { return true; }

 private:
  /// A core has memory for one response of a service: the next request waits until it is here. One
  /// that the core refused has none, so that the wait has an end.
  [[nodiscard]] bool is_our_turn() {
    constexpr std::int64_t longest_ns = 1'000'000'000;
    if (!queue_->input.asked_ns) {
      return true;
    }
    std::int64_t& asked_ns = *queue_->input.asked_ns;
    const std::int64_t now = pool::monotonic_now_ns();
    if (asked_ns != 0 && now - asked_ns < longest_ns) {
      return false;
    }
    asked_ns = now;
    return true;
  }

  std::shared_ptr<Queue> queue_;
  End end_;
  std::uint32_t number_ = 0;
  MemberBus& bus_;
  Arrival taken_;
  Counted counted_;
};

void MemberBus::add(const Node& node, std::size_t number, std::vector<Input> inputs,
                    std::vector<Output> outputs) {
  Member& member =
      members_.emplace_back(Member{&node, node.get_fully_qualified_name(), number, {}, {}});
  for (auto& input : inputs) {
    member.inputs.push_back(std::make_shared<Queue>(Queue{std::move(input), {}, 0}));
  }
  for (auto& output : outputs) {
    member.outputs.push_back(std::make_shared<Output>(std::move(output)));
  }
}

void MemberBus::remove(const Node& node) {
  members_.remove_if([&](const Member& member) { return member.node == &node; });
}

std::size_t MemberBus::ends() const {
  std::size_t count = 0;
  for (const auto& member : members_) {
    count += member.inputs.size() + member.outputs.size();
  }
  return count;
}

std::vector<TracedNode> MemberBus::traced(const std::vector<NodePlan>& image) const {
  std::vector<TracedNode> nodes(image.size());
  for (const auto& member : members_) {
    TracedNode& node = nodes.at(member.number);
    node = {member.node->trace_handle(),
            member.name,
            {},
            image[member.number].timers,
            member.outputs.size()};
    for (const auto& queue : member.inputs) {
      if (!queue->input.latched) {
        node.inputs.push_back(queue->input.port);
      }
    }
  }
  return nodes;
}

void MemberBus::begin_life() {
  passed_.clear();
  // The core counts by the image's order.
  members_.sort([](const Member& one, const Member& other) { return one.number < other.number; });
  for (Member& member : members_) {
    for (const auto& queue : member.inputs) {
      queue->handed = 0;
    }
  }
}

bool MemberBus::follow(CoreCounts& counts) {
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();  // else it went back
  bool may_go_on = false;
  std::size_t end = 0;
  for (const Member& member : members_) {
    for (const auto& queue : member.inputs) {
      if (const std::uint32_t count = counts.more(end++, queue->handed); count != 0) {
        queue->handed -= count;
        queue->input.refused(count);
        if (queue->input.asked_ns) {
          *queue->input.asked_ns = 0;
          may_go_on = true;
        }
      }
    }
    for (const auto& output : member.outputs) {
      if (const std::uint32_t count = counts.more(end++, most); count != 0) {
        output->refused(count);
      }
    }
  }
  return may_go_on;
}

MemberBus::Queue* MemberBus::queue_of(const Node& node, std::size_t input) {
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [&](const Member& one) { return one.node == &node; });
  return member == members_.end() ? nullptr : member->inputs.at(input).get();
}

bool MemberBus::has_room(const Node& node, std::size_t input) {
  const Queue* queue = queue_of(node, input);
  return queue == nullptr || queue->waiting.size() < queue->input.depth;
}

bool MemberBus::put(const Node& node, std::size_t input, Arrival&& arrival) {
  Queue* queue = queue_of(node, input);
  if (queue == nullptr) {
    return false;
  }
  const bool had_room = has_room(node, input);
  if (!had_room) {
    queue->waiting.pop_front();
  }
  queue->waiting.push_back(std::move(arrival));
  return had_room;
}

void MemberBus::latch(const Node& node, std::size_t input, std::vector<std::byte> stored) {
  if (Queue* queue = queue_of(node, input)) {
    queue->input.latched = std::make_shared<const std::vector<std::byte>>(std::move(stored));
    put_latched(*queue);
  }
}

/// Older values are nobody's wish.
void MemberBus::put_latched(Queue& queue) {
  if (queue.input.latched) {
    queue.waiting.clear();
    queue.waiting.push_back({*queue.input.latched, queue.input.latched, {}, {}});
  }
}

MemberBus::Member* MemberBus::find(const std::string& name) {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

void MemberBus::distrust_if_again(const End& end) {
  if (trace_ != nullptr && passed_.contains(end)) {
    trace_->distrust();  // the session is a new one: we number messages from 1, the core goes on
  }
}

MemberBus::Made<xrce::BusNode> MemberBus::make_node(int /*domain*/, const std::string& name) {
  if (find(name) == nullptr) {
    return unknown("this container has no node " + name);
  }
  return std::make_unique<Marker>();
}

MemberBus::Made<xrce::BusWriter> MemberBus::make_writer(int /*domain*/,
                                                        const pool::EndpointDescription& what) {
  Member* member = find(what.node);
  for (std::size_t i = 0; member != nullptr && i < member->outputs.size(); ++i) {
    const auto& output = member->outputs[i];
    if (output->topic == what.topic && output->type == what.type_name) {
      const End end{member->number, i, true};
      distrust_if_again(end);
      return std::make_unique<Writer>(output, end, *this);
    }
  }
  return unknown(what.node + " has no publisher of " + what.type_name + " on " + what.topic);
}

MemberBus::Made<xrce::BusReader> MemberBus::make_reader(int /*domain*/,
                                                        const pool::EndpointDescription& what) {
  Member* member = find(what.node);
  for (std::size_t i = 0; member != nullptr && i < member->inputs.size(); ++i) {
    const auto& queue = member->inputs[i];
    if (queue->input.topic == what.topic && queue->input.type == what.type_name) {
      const End end{member->number, i, false};
      if (!queue->input.latched) {
        distrust_if_again(end);
      }
      return std::make_unique<Reader>(queue, end, *this);
    }
  }
  return unknown(what.node + " has no subscription of " + what.type_name + " on " + what.topic);
}

/// Generated code on both sides has the same types: nobody compares.
std::optional<std::array<std::uint8_t, 32>> MemberBus::hash_of(int /*domain*/,
                                                               const std::string& /*type*/) {
  return std::array<std::uint8_t, 32>{};
}

}  // namespace ligament::mcu
