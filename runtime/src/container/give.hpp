// SPDX-License-Identifier: Apache-2.0
/// \file Moves that a running container takes part in (spec/run/moving.md): it gives a node to the
/// container that takes its place, or takes one in. Asked for over the control socket
/// (`--control-fd`).
#pragma once

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "container/control.hpp"
#include "container/make_node.hpp"
#include "container/move_channel.hpp"
#include "container/node_holder.hpp"

namespace ligament::container {

/// Listens on the control socket; one move at a time, on a thread of its own.
class Giver {
 public:
  /// Takes over the descriptor. All else must outlive it.
  Giver(int descriptor, NodeHolder& holder, Control& control, const Surroundings& around);
  /// A move that is in progress ends, and its node stays here.
  ~Giver();
  Giver(const Giver&) = delete;
  Giver& operator=(const Giver&) = delete;

 private:
  void run();
  void give(const nlohmann::json& request, MoveChannel& channel);
  [[nodiscard]] bool is_ending() const;

  int descriptor_;
  NodeHolder& holder_;
  Control& control_;
  const Surroundings& around_;
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace ligament::container
