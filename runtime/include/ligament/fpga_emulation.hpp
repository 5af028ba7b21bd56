// SPDX-License-Identifier: Apache-2.0
/// \file Nodes whose core is C++ for high-level synthesis and runs natively (`sw_emu`,
/// spec/device/fpga.md): what generated classes are made of. Authors of cores do not see this.
///
/// It yields results. There is no clock in it, so no cycles are told and no work of hardware: the
/// span `sw_emu` is time of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/node.hpp>
#include <ligament/span.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

using StoredMessage = std::vector<unsigned char>;

/// What a core made of a set of messages: one per output, or why there is none.
struct Answer {
  std::vector<StoredMessage> outputs;
  std::string problem;  ///< of a sentence that begins with the node; empty: there are outputs
};

/// A core: one message of each input in, its answer out. What it refers to lives as long as the
/// process: one that never returns cannot be stopped.
using NativeCore = std::function<Answer(const std::vector<StoredMessage>&)>;

/// A core at work in a thread of its own, so that one that never returns holds up nobody.
class Emulation {
 public:
  /// `patience_s`: processor time after which a set of messages is given up; twenty times as much
  /// may pass while the core does not even run.
  Emulation(NativeCore core, double patience_s);
  ~Emulation();
  Emulation(const Emulation&) = delete;
  Emulation& operator=(const Emulation&) = delete;

  /// Waits for the answer. Of a core that gives none in time, and ever after: a problem.
  [[nodiscard]] Answer run(std::vector<StoredMessage> inputs);
  /// The core did not return, and is given nothing any more.
  [[nodiscard]] bool is_isolated() const { return isolated_; }

 private:
  struct Desk;
  std::shared_ptr<Desk> desk_;  ///< shared with the thread, which may outlive this
  double patience_s_;
  bool isolated_ = false;
};

/// Base of generated nodes.
class EmulatedNode : public Node {
 public:
  ~EmulatedNode() override;
  EmulatedNode(const EmulatedNode&) = delete;
  EmulatedNode& operator=(const EmulatedNode&) = delete;

 protected:
  EmulatedNode(const std::string& name, const NodeOptions& options);

  /// Ports in the core's order. `max_held`: samples that an input holds at most.
  template <typename In>
  void add_input(const std::string& port, std::size_t max_held) {
    const std::size_t place = waiting_.size();
    waiting_.emplace_back();
    SubscriptionOptions device;
    device.device = true;
    const QoS qos = QoS(queue_depth).max_held(max_held);
    subscriptions_.push_back(create_subscription<In>(
        port, qos,
        [this, place](Sample<In> sample) {
          const MessageInfo info = sample.info();
          auto held = std::make_shared<const Sample<In>>(std::move(sample));
          take(place,
               {{info.publisher_id(), info.publication_sequence_number()}, held->bytes(), held});
        },
        device));
  }
  template <typename Out>
  void add_output(const std::string& port) {
    auto publisher = create_publisher<Out>(port, QoS(queue_depth));
    publish_.push_back(
        [publisher](std::span<const std::byte> message) { publisher->publish_stored(message); });
  }
  /// Behind the ports: work begins. `set_registers` is called before the core is.
  void start(NativeCore core, double patience_s, std::function<void()> set_registers = {});

 private:
  static constexpr std::size_t queue_depth = 5;
  struct Waiting {
    trace::MessageIdentity message;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> keep;
  };

  void take(std::size_t place, Waiting&& waiting);
  void work();
  void refuse(const std::string& why);

  std::unique_ptr<Emulation> emulation_;
  std::function<void()> set_registers_;
  std::vector<std::deque<Waiting>> waiting_;  ///< by input
  std::vector<std::function<void(std::span<const std::byte>)>> publish_;
  std::vector<std::string> told_;
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions_;
};

}  // namespace ligament::fpga
