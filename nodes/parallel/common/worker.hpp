// SPDX-License-Identifier: Apache-2.0
/// \file A worker of a parallel step: waits for its turn and for the parts of others that it needs,
/// which it reads in place, and makes its own.
///
///   class Smooth : public parallel::CpuWorker {
///    public:
///     Smooth(const parallel::Membership& membership, const NodeOptions& options)
///         : CpuWorker("smooth", membership, options) {}
///    private:
///     void work(std::uint32_t step, const parallel::Parts& parts) override {
///       auto loan = lend(step, bytes);
///       ...                                     // parts[k]: what needs(step)[k] asked for
///       publish(std::move(*loan));
///     }
///   };
///
/// A worker with kernels derives from GpuWorker, and publishes in its job. Ports: `go`, `parts`.
#pragma once

#include <algorithm>
#include <chrono>
#include <ligament/node.hpp>
#include <type_traits>
#include <utility>

#include "common/part.hpp"

#if __has_include(<ligament/gpu_node.hpp>)
#include <ligament/gpu_node.hpp>
#endif

namespace ligament::nodes::parallel {

/// Which worker of which plan a node is.
struct Membership {
  Plan plan;
  std::uint32_t worker = 0;
  /// How many of its parts stay for those that have not taken them yet. 1 is enough where whoever
  /// needs a part has used it before its worker's next turn: less memory, more of it in caches.
  std::uint32_t history = 2;
};

using Parts = std::vector<PartSample>;

/// `Base`: Node, or gpu::KernelNode.
template <typename Base>
class Worker : public Base {
 public:
  [[nodiscard]] PartCounts counts() const { return tally_.counts(); }

 protected:
  template <typename... BaseArguments>
  Worker(const std::string& name, const Membership& membership, const NodeOptions& options,
         BaseArguments&&... more)
      : Base(name, options, std::forward<BaseArguments>(more)...), membership_(membership) {}

  /// Joins the others. At the end of the constructor of the class that does the work.
  void join();

  /// The parts that a step needs, of this step or the one before: the same for a step each time.
  /// Others are let go at once. Default: of the step before, those of its own group; of the same
  /// step, those of the groups before.
  [[nodiscard]] virtual std::vector<PartId> needs(std::uint32_t step) const;
  virtual void work(std::uint32_t step, const Parts& parts) = 0;
  /// Whether it reads parts at all: true where any step needs one, and in all groups but the first,
  /// which see by parts when their turn has come. Others are not woken by what they let go.
  [[nodiscard]] virtual bool reads_parts() const { return true; }

  [[nodiscard]] const Membership& membership() const { return membership_; }
  [[nodiscard]] std::optional<LoanedMessage<Part>> lend(std::uint32_t step, std::size_t bytes) {
    return lend_part(*publisher_, {membership_.worker, step}, bytes);
  }
  void publish(LoanedMessage<Part>&& part) {
    tally_.made(part.is_copy());
    publisher_->publish(std::move(part));
  }

 private:
  [[nodiscard]] QoS parts_qos() const {
    // The last two of each other worker: over DDS all of them share one history. Held: one in a
    // callback, and one for a device. No more: memory that comes again soon is still in the
    // processor's caches.
    const std::uint32_t workers = membership_.plan.workers();
    return QoS(2 * workers).max_held(2 * workers);
  }
  void came(Sample<Part>&& sample);
  void asked(std::uint32_t step);
  [[nodiscard]] bool is_needed(const PartId& id, std::uint32_t step) const {
    const std::vector<PartId> needed = needs(step);
    return std::find(needed.begin(), needed.end(), id) != needed.end();
  }
  [[nodiscard]] bool is_my_turn() const;
  void try_to_work();
  void say_hello();

  Membership membership_;
  std::uint32_t step_ = 0;  ///< asked for, and not begun
  bool has_begun_ = false;
  bool heard_go_ = false;
  std::map<std::uint32_t, bool> heard_;  ///< other workers
  Inbox inbox_;
  Tally tally_;
  std::shared_ptr<Publisher<Part>> publisher_;
  std::shared_ptr<SubscriptionBase> parts_;
  std::shared_ptr<SubscriptionBase> go_subscription_;
  std::shared_ptr<TimerBase> hello_;
};

template <typename Base>
void Worker<Base>::join() {
  PublisherOptions out;
  SubscriptionOptions in;
  in.ignore_local_publications = true;
  if constexpr (!std::is_same_v<Base, Node>) {
    out = this->output_options();
    in.device = this->input_options().device;
  }
  publisher_ = this->template create_publisher<Part>("parts", QoS(membership_.history), out);
  if (reads_parts()) {
    parts_ = this->template create_subscription<Part>(
        "parts", parts_qos(), [this](Sample<Part> sample) { came(std::move(sample)); }, in);
  }
  go_subscription_ = this->template create_subscription<Go>(
      "go", QoS(5), [this](const Go& go) { asked(go.data); });
  hello_ = this->create_wall_timer(std::chrono::milliseconds(10), [this] { say_hello(); });
}

template <typename Base>
std::vector<PartId> Worker<Base>::needs(std::uint32_t step) const {
  std::vector<PartId> needed;
  const std::uint32_t own = membership_.plan.group_of(membership_.worker);
  for (std::uint32_t worker = 0; worker < membership_.plan.workers(); ++worker) {
    const std::uint32_t group = membership_.plan.group_of(worker);
    if (group < own) {
      needed.push_back({worker, step});
    } else if (group == own && worker != membership_.worker && step > 1) {
      needed.push_back({worker, step - 1});
    }
  }
  return needed;
}

/// Who is there, how many others it has heard or need not hear, and whether it hears the scheduler.
template <typename Base>
void Worker<Base>::say_hello() {
  if (auto loan = lend(0, 0)) {
    loan->get().set_height(parts_ == nullptr ? membership_.plan.workers() - 1
                                             : static_cast<std::uint32_t>(heard_.size()));
    loan->get().set_width(heard_go_ ? 1 : 0);
    publisher_->publish(std::move(*loan));
  }
}

template <typename Base>
void Worker<Base>::came(Sample<Part>&& sample) {
  const auto id = id_of(sample);
  if (!id || id->worker >= membership_.plan.workers()) {
    this->report_error("a message on 'parts' is of no worker of this plan");
    return;
  }
  if (id->step == 0) {
    heard_[id->worker] = true;
    return;
  }
  tally_.came(sample.is_copy());
  auto part = std::make_shared<const Sample<Part>>(std::move(sample));
  if (!is_needed(*id, id->step) && !is_needed(*id, id->step + 1)) {
    part = nullptr;  // now, not when the callback is over: it may work for long
  }
  inbox_.add(*id, std::move(part));
  try_to_work();
}

template <typename Base>
void Worker<Base>::asked(std::uint32_t step) {
  heard_go_ = true;
  if (step == 0) {
    return;
  }
  if (!has_begun_) {
    has_begun_ = true;
    hello_->cancel();
  }
  step_ = step;
  try_to_work();
}

/// The group before has done the step.
template <typename Base>
bool Worker<Base>::is_my_turn() const {
  const Plan& plan = membership_.plan;
  const std::uint32_t own = plan.group_of(membership_.worker);
  for (std::uint32_t worker = 0; worker < membership_.worker; ++worker) {
    if (plan.group_of(worker) + 1 == own && !inbox_.has({worker, step_})) {
      return false;
    }
  }
  return true;
}

/// `go` and the parts come on two topics, in either order.
template <typename Base>
void Worker<Base>::try_to_work() {
  if (step_ == 0 || !is_my_turn()) {
    return;
  }
  Parts parts;
  const std::vector<PartId> needed = needs(step_);
  for (const PartId& id : needed) {
    parts.push_back(inbox_.find(id));
    if (parts.back() == nullptr) {
      return;
    }
  }
  for (const PartId& id : needed) {
    if (!is_needed(id, step_ + 1)) {
      inbox_.let_go(id);
    }
  }
  work(std::exchange(step_, 0), parts);
}

using CpuWorker = Worker<Node>;
#if __has_include(<ligament/gpu_node.hpp>)
/// Its destructor has to call drain(). Link `ligament::gpu`.
using GpuWorker = Worker<gpu::KernelNode>;
#endif

}  // namespace ligament::nodes::parallel
