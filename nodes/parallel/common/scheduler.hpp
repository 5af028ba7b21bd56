// SPDX-License-Identifier: Apache-2.0
/// \file The scheduler of a parallel step: says go, and has all parts of the step merged once all
/// workers are done, without moving one.
///
///   class Sum : public parallel::Scheduler {
///    ...
///     void merged(std::uint32_t step, const std::vector<PartSample>& parts) override { ... }
///   };
///   scheduler->begin(100);                        // once is_ready(); then spin until is_done()
///
/// It is the only node that knows when a step is over, so workers of a group overlap, and no two
/// steps do. A group begins when its workers have the parts of the one before, without asking here.
/// Ports: `go`, `parts`.
#pragma once

#include <algorithm>
#include <chrono>
#include <ligament/node.hpp>

#include "common/part.hpp"

namespace ligament::nodes::parallel {

class Scheduler : public Node {
 public:
  Scheduler(const std::string& name, Plan plan, const NodeOptions& options)
      : Node(name, options), plan_(std::move(plan)), parts_(plan_.workers()) {
    publisher_ = create_publisher<Go>("go", QoS(5));
    // The last two of each worker: over DDS all of them share one history.
    const QoS last_two = QoS(2 * plan_.workers()).max_held(plan_.workers() + 1);
    subscription_ = create_subscription<Part>(
        "parts", last_two, [this](Sample<Part> sample) { came(std::move(sample)); });
    roll_call_ = create_wall_timer(std::chrono::milliseconds(10), [this] { send(0); });
  }

  /// All workers are there, and hear each other and this node.
  [[nodiscard]] bool is_ready() const { return there_.size() == plan_.workers(); }
  /// So many steps more.
  void begin(std::int64_t steps) {
    roll_call_->cancel();
    left_ = steps;
    next();
  }
  [[nodiscard]] bool is_done() const { return left_ == 0 && missing_ == 0; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] PartCounts counts() const { return tally_.counts(); }

 protected:
  /// The parts of a group that has done its step, in the order of its workers.
  virtual void merged(std::uint32_t step, const std::vector<PartSample>& parts) = 0;

 private:
  void send(std::uint32_t step) {
    Go message;
    message.data = step;
    publisher_->publish(message);
  }

  void next() {
    --left_;
    std::fill(parts_.begin(), parts_.end(), nullptr);
    missing_ = plan_.workers();
    group_ = 0;
    first_ = 0;
    send(++step_);
  }

  void came(Sample<Part>&& sample) {
    const auto id = id_of(sample);
    if (!id || id->worker >= plan_.workers()) {
      report_error("a message on 'parts' is of no worker of this plan");
      return;
    }
    if (id->step == 0) {
      const auto& part = sample.view();
      if (part.height() + 1 == plan_.workers() && part.width() != 0) {
        there_[id->worker] = true;
      }
      return;
    }
    if (missing_ == 0 || id->step != step_ || parts_[id->worker] != nullptr) {
      report_error("a part came that nobody asked for");
      return;
    }
    tally_.came(sample.is_copy());
    parts_[id->worker] = std::make_shared<const Sample<Part>>(std::move(sample));
    --missing_;
    merge();
    if (missing_ == 0 && left_ != 0) {
      next();
    }
  }

  /// Parts of a group may come before the last of the group that it waited for.
  void merge() {
    while (group_ < plan_.groups.size()) {
      const auto begin = parts_.begin() + first_;
      const std::vector<PartSample> group(begin, begin + plan_.groups[group_]);
      if (std::find(group.begin(), group.end(), nullptr) != group.end()) {
        return;
      }
      merged(step_, group);
      first_ += plan_.groups[group_++];
    }
  }

  Plan plan_;
  std::uint32_t step_ = 0;
  std::int64_t left_ = 0;      ///< steps to start
  std::uint32_t missing_ = 0;  ///< parts of this step
  std::uint32_t group_ = 0;    ///< the first one that is not merged
  std::uint32_t first_ = 0;    ///< worker of that group
  std::vector<PartSample> parts_;
  Tally tally_;
  std::map<std::uint32_t, bool> there_;
  std::shared_ptr<Publisher<Go>> publisher_;
  std::shared_ptr<SubscriptionBase> subscription_;
  std::shared_ptr<TimerBase> roll_call_;
};

}  // namespace ligament::nodes::parallel
