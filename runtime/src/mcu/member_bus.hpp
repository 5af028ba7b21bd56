// SPDX-License-Identifier: Apache-2.0
/// \file The agent's side of a core's nodes: what its entities find are the ends of the container's
/// nodes.
#pragma once

#include <compare>
#include <deque>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "agent/bus.hpp"
#include "ligament/mcu_node.hpp"
#include "mcu/core_counts.hpp"
#include "mcu/core_trace.hpp"

namespace ligament::mcu {

/// All calls are made under the mutex of the core.
class MemberBus : public xrce::Bus {
 public:
  /// `number`: the node's place in the image.
  void add(const Node& node, std::size_t number, std::vector<Input> inputs,
           std::vector<Output> outputs);
  void remove(const Node& node);
  [[nodiscard]] std::size_t nodes() const { return members_.size(); }
  /// Entities that the core has made, of those that its nodes have.
  [[nodiscard]] std::size_t made() const { return made_; }
  [[nodiscard]] std::size_t ends() const;
  /// What is told of each message; null: nothing. It outlives all that the core has made.
  void set_trace(CoreTrace* trace) { trace_ = trace; }
  [[nodiscard]] std::vector<TracedNode> traced(const std::vector<NodePlan>& image) const;
  [[nodiscard]] bool has_room(const Node& node, std::size_t input);
  /// False: nobody waits for it, or the oldest had to go.
  [[nodiscard]] bool put(const Node& node, std::size_t input, Arrival&& arrival);
  void latch(const Node& node, std::size_t input, std::vector<std::byte> stored);
  /// Another start of the core. All nodes are there.
  void begin_life();
  /// Tells each end what the core has refused of its messages since; true: a request was among
  /// them, so that the next one may go.
  [[nodiscard]] bool follow(CoreCounts& counts);

  [[nodiscard]] Made<xrce::BusNode> make_node(int domain, const std::string& name) override;
  [[nodiscard]] Made<xrce::BusWriter> make_writer(int domain,
                                                  const pool::EndpointDescription& what) override;
  [[nodiscard]] Made<xrce::BusReader> make_reader(int domain,
                                                  const pool::EndpointDescription& what) override;
  [[nodiscard]] std::optional<std::array<std::uint8_t, 32>> hash_of(
      int domain, const std::string& type) override;

 private:
  /// Lives as long as somebody has it: a session's entities may outlive the node.
  struct Queue {
    Input input;
    std::deque<Arrival> waiting;
    std::uint64_t handed = 0;  ///< in this life, and not refused
  };
  struct Member {
    const Node* node = nullptr;
    std::string name;
    std::size_t number = 0;  ///< in the image
    std::vector<std::shared_ptr<Queue>> inputs;
    std::vector<std::shared_ptr<Output>> outputs;
  };
  /// Whose end, and which of its inputs or outputs.
  struct End {
    std::size_t node = 0;
    std::size_t port = 0;
    bool is_output = false;
    auto operator<=>(const End&) const = default;
  };
  class Counted;
  class Writer;
  class Reader;

  static void put_latched(Queue& queue);
  /// An end that is made once more in a life: its numbers and the core's differ from now on.
  void distrust_if_again(const End& end);
  [[nodiscard]] Member* find(const std::string& name);
  /// Null: the node has gone.
  [[nodiscard]] Queue* queue_of(const Node& node, std::size_t input);

  std::list<Member> members_;
  CoreTrace* trace_ = nullptr;
  std::size_t made_ = 0;
  std::set<End> passed_;  ///< those that a message has passed in this life
};

}  // namespace ligament::mcu
