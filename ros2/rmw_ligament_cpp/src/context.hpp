// SPDX-License-Identifier: Apache-2.0
/// \file What belongs to one rmw context: its place in the pool, its waiting threads and its view
/// of the graph.
#pragma once

#include <rmw/init.h>
#include <rmw/types.h>

#include <atomic>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "callbacks.hpp"
#include "domain_edge.hpp"
#include "problems.hpp"
#include "waits.hpp"

namespace rmw_ligament_cpp {

/// One that `rmw_wait` may wait for.
struct GuardCondition {
  std::atomic<bool> is_triggered{false};
  Waits* waits = nullptr;
  void trigger() {
    is_triggered.store(true);
    waits->wake();
  }
};

class Context {
 public:
  using Endpoints = std::vector<ligament::pool::EndpointInfo>;

  Context(std::shared_ptr<ligament::pool::Domain> domain,
          std::unique_ptr<ligament::pool::Waiter> waiter, std::string enclave, DomainEdge edge);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  [[nodiscard]] ligament::pool::Domain& domain() { return *domain_; }
  [[nodiscard]] Waits& waits() { return waits_; }
  [[nodiscard]] Callbacks& callbacks() { return callbacks_; }
  [[nodiscard]] const std::string& enclave() const { return enclave_; }

  /// Everything in the domain, as of its newest change.
  [[nodiscard]] std::shared_ptr<const Endpoints> graph();
  /// The graph guard conditions of the context's nodes: triggered by each change of the graph.
  void add(GuardCondition& condition);
  void remove(GuardCondition& condition);

  /// Writers of this process, by the first 8 bytes of their gid; 0 before the first.
  std::atomic<std::uint64_t> process{0};
  std::atomic<bool> is_shut_down{false};

 private:
  void trigger_graph();
  void ensure_edge() noexcept;
  void tell_problems() noexcept;

  const std::shared_ptr<ligament::pool::Domain> domain_;
  const std::string enclave_;
  DomainEdge edge_;    ///< under `watching_`
  Problems problems_;  ///< under `watching_`
  Waits waits_;
  std::mutex mutex_;  ///< guards what follows
  std::set<GuardCondition*> graph_conditions_;
  std::shared_ptr<const Endpoints> graph_;
  std::uint64_t graph_version_ = 0;
  Callbacks callbacks_{waits_};
  /// Ends before all that it looks at: held by the watcher while it runs.
  std::shared_ptr<std::mutex> watching_ = std::make_shared<std::mutex>();
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
  std::shared_ptr<void> watch_;
};

/// Of a context that was initialised and not finalised; null, with an error, where it is not.
[[nodiscard]] Context* context_of(rmw_context_t* context);

}  // namespace rmw_ligament_cpp

struct rmw_context_impl_s : rmw_ligament_cpp::Context {
  using Context::Context;
};
