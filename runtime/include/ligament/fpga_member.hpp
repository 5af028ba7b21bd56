// SPDX-License-Identifier: Apache-2.0
/// \file Nodes whose work a design does (spec/device/fpga.md): what generated classes are made of.
///
/// All members of a design live in one process and share its simulation. A member's ports on topics
/// in the pool are publishers and subscriptions as any node has; those on hardware topics are
/// wires. Authors of cores do not see this: they write SystemVerilog and a manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/detail/hardware_figures.hpp>
#include <ligament/fpga_design.hpp>
#include <ligament/node.hpp>
#include <ligament/span.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

class Member;

/// What generated code says about a design.
struct DesignPlan {
  std::string device;  ///< as the platform calls it
  Memory memory;
  std::size_t in_flight = 1;  ///< messages per entry that go in together
  std::vector<NodePlan> nodes;
  std::vector<std::string> networks;  ///< their topics
};

/// The simulation, and who it works for.
class Design {
 public:
  /// The wires are of a model that lives as long as the design.
  Design(DesignPlan plan, Wires wires);
  ~Design();
  Design(const Design&) = delete;
  Design& operator=(const Design&) = delete;

  [[nodiscard]] std::size_t in_flight() const { return plan_.in_flight; }
  void join(Member& member, std::size_t place);
  void leave(std::size_t place);
  void set_exit(std::size_t exit, std::function<void(std::span<const std::byte>)> publish);
  /// A message for an entry: goes in with the others of its set.
  void take(Member& member, Arrival&& arrival, const trace::MessageIdentity& message);
  /// What waits goes in, whole sets only, if nothing has come since the call before.
  void hurry();
  [[nodiscard]] ligament::detail::HardwareFigures figures(std::size_t place) const;

 private:
  /// A message that waits for the others of its set.
  struct Waiting {
    Arrival arrival;
    trace::MessageIdentity message;
  };
  struct Place {
    Member* member = nullptr;
    std::vector<std::size_t> entries;
    std::vector<std::size_t> networks;             ///< whose figures it tells
    std::vector<trace::MessageIdentity> messages;  ///< of this run, in order
    std::size_t source = 0;                        ///< whose messages its own go back to
    ligament::detail::HardwareFigures figures;
  };

  struct Exit {
    std::size_t place = 0;  ///< whose it is
    std::function<void(std::span<const std::byte>)> publish;
  };

  [[nodiscard]] std::size_t whole_sets(const Place& place) const;
  void collect(std::size_t most, std::vector<Arrival>& arrivals);
  void run(Member& member, std::size_t most);
  void account(const Outcome& outcome, std::int64_t doorbell_ns);
  void hand_over(const Outcome& outcome);
  void tell_networks(trace::SpanValues& values, const std::vector<NetworkFigures>& before) const;
  void find_sources();

  DesignPlan plan_;
  Simulation simulation_;
  std::vector<Place> places_;
  std::vector<std::deque<Waiting>> waiting_;  ///< by entry
  std::vector<Exit> exits_;
  std::vector<NetworkFigures> networks_;
  mutable std::mutex mutex_;  ///< of the figures: the status thread reads them
  bool came_ = false;
};

/// Base of generated nodes.
class Member : public Node {
 public:
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// A message gives no output: reports the first of each reason.
  void refuse(const std::string& why);

 protected:
  Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Design> design,
         std::size_t place);

  template <typename In>
  void add_input(const std::string& port, std::size_t entry) {
    SubscriptionOptions device;
    device.device = true;
    // Messages that wait for their set, one that is in the design, and the one that comes.
    const QoS qos = QoS(queue_depth()).max_held(design_->in_flight() + 2);
    subscriptions_.push_back(create_subscription<In>(
        port, qos, [this, entry](Sample<In> sample) { take(entry, std::move(sample)); }, device));
  }
  template <typename Out>
  void add_output(const std::string& port, std::size_t exit) {
    auto publisher = create_publisher<Out>(port, QoS(queue_depth()));
    design_->set_exit(exit, [publisher](std::span<const std::byte> message) {
      publisher->publish_stored(message);
    });
  }

 private:
  template <typename In>
  void take(std::size_t entry, Sample<In>&& sample) {
    const MessageInfo info = sample.info();
    auto held = std::make_shared<const Sample<In>>(std::move(sample));
    design_->take(*this,
                  {.entry = entry,
                   .message = held->bytes(),
                   .sequence = info.publication_sequence_number(),
                   .time_ns = info.source_timestamp().nanoseconds(),
                   .keep = held},
                  {info.publisher_id(), info.publication_sequence_number()});
  }
  [[nodiscard]] std::size_t queue_depth() const;

  std::shared_ptr<Design> design_;
  std::size_t place_;
  std::vector<std::string> told_;
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions_;
  std::shared_ptr<TimerBase> timer_;
};

}  // namespace ligament::fpga
