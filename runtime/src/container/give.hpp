// SPDX-License-Identifier: Apache-2.0
/// \file The old side of a move: gives a node to the container that takes its place
/// (spec/run/moving.md). Asked for over the control socket (`--control-fd`).
#pragma once

#include <atomic>
#include <ligament/context.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "container/move_channel.hpp"
#include "container/node_holder.hpp"

namespace ligament::container {

/// Listens on the control socket; one move at a time, on a thread of its own.
class Giver {
 public:
  /// Takes over the descriptor. Holder and context must outlive it.
  Giver(int control, NodeHolder& holder, Context& context);
  /// A move that is in progress ends, and its node stays here.
  ~Giver();
  Giver(const Giver&) = delete;
  Giver& operator=(const Giver&) = delete;

 private:
  void run();
  void give(const nlohmann::json& request, int descriptor);
  [[nodiscard]] bool is_ending() const;

  int control_;
  NodeHolder& holder_;
  Context& context_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace ligament::container
