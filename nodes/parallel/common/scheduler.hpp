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
/// steps do. Ports: `go`, `parts`.
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
    left_ = steps * static_cast<std::int64_t>(plan_.groups.size());
    next();
  }
  [[nodiscard]] bool is_done() const { return left_ == 0 && missing_ == 0; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] PartCounts counts() const { return tally_.counts(); }

 protected:
  /// The parts of a group that has done its step, in the order of its workers.
  virtual void merged(std::uint32_t step, const std::vector<PartSample>& parts) = 0;

 private:
  void send(std::uint32_t go) {
    Go message;
    message.data = go;
    publisher_->publish(message);
  }

  void next() {
    --left_;
    ++go_;
    const std::uint32_t group = plan_.group_at(go_);
    first_ = 0;
    for (std::uint32_t before = 0; before < group; ++before) {
      first_ += plan_.groups[before];
    }
    missing_ = plan_.groups[group];
    send(go_);
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
    if (missing_ == 0 || id->step != plan_.step_of(go_) || parts_[id->worker] != nullptr) {
      report_error("a part came that nobody asked for");
      return;
    }
    tally_.came(sample.is_copy());
    parts_[id->worker] = std::make_shared<const Sample<Part>>(std::move(sample));
    if (--missing_ == 0) {
      merge();
    }
  }

  void merge() {
    const auto begin = parts_.begin() + first_;
    const std::vector<PartSample> group(begin, begin + plan_.groups[plan_.group_at(go_)]);
    std::fill(parts_.begin(), parts_.end(), nullptr);
    merged(plan_.step_of(go_), group);
    if (left_ != 0) {
      next();
    }
  }

  Plan plan_;
  std::uint32_t go_ = 0;
  std::int64_t left_ = 0;      ///< groups to start
  std::uint32_t missing_ = 0;  ///< parts of the group that works
  std::uint32_t first_ = 0;    ///< worker of the group that works
  std::vector<PartSample> parts_;
  Tally tally_;
  std::map<std::uint32_t, bool> there_;
  std::shared_ptr<Publisher<Go>> publisher_;
  std::shared_ptr<SubscriptionBase> subscription_;
  std::shared_ptr<TimerBase> roll_call_;
};

}  // namespace ligament::nodes::parallel
