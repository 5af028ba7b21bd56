// SPDX-License-Identifier: Apache-2.0
/// \file What a core is inside: its emulator, the agent beside it, and the thread of both.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/agent.hpp"
#include "agent/rpmsg.hpp"
#include "ligament/mcu_node.hpp"
#include "mcu/core_counts.hpp"
#include "mcu/core_trace.hpp"
#include "mcu/emulator.hpp"
#include "mcu/member_bus.hpp"
#include "mcu/restart_pause.hpp"

namespace ligament::mcu {

class Core::Implementation {
 public:
  explicit Implementation(ImagePlan plan);
  ~Implementation();
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  std::string join(Node& node, std::vector<Input> inputs, std::vector<Output> outputs,
                   std::vector<std::function<void()>> offers);
  void leave(const Node& node);
  void take(const Node& node, std::size_t input, Arrival&& arrival);
  void latch(const Node& node, std::size_t input, std::vector<std::byte> stored);
  [[nodiscard]] detail::CoreFigures figures() const;

 private:
  std::string start();
  void stop();
  void run();
  bool begin();
  [[nodiscard]] bool is_silent(std::int64_t now);
  void begin_counts(const rpmsg::Map& map);
  [[nodiscard]] bool follow_counts();
  void begin_trace(const rpmsg::Map& map);
  void follow_trace(std::int64_t now);
  void end_stopped();
  void end(const std::string& what);
  void work();
  void note_running();
  void note_start();
  void note_end(const std::string& why);
  [[nodiscard]] int sleep_ms(std::int64_t now);
  void report(const std::string& text);
  void say(const std::string& text) const {
    fmt::print("[{}] {}\n", plan_.device, text);
    std::fflush(stdout);
  }

  const ImagePlan plan_;
  std::mutex mutex_;  ///< guards all below it but the emulator, which is the thread's
  std::condition_variable changed_;
  xrce::Profiles profiles_;
  std::unique_ptr<CoreCounts> counts_;
  std::unique_ptr<CoreTrace> trace_;  ///< null: nothing is recorded
  MemberBus bus_;
  xrce::Agent agent_;
  std::unique_ptr<xrce::RpmsgTransport> transport_;
  rpmsg::Bell* bell_ = nullptr;  ///< the transport's
  std::vector<std::function<void()>> offers_;
  Node* speaker_ = nullptr;            ///< whose errors the core's are
  std::string failure_;                ///< at the start
  std::atomic<bool> is_ready_{false};  ///< all entities were there once
  int early_ends_ = 0;                 ///< of the core, before that
  bool has_told_loss_ = false;
  bool has_told_wrong_ = false;
  bool is_up_ = false;  ///< this start of it has made all its entities
  RestartPause pause_;

  /// What is told of it. A mutex of its own: who asks has a node's lock, which the thread takes,
  /// too.
  mutable std::mutex figures_mutex_;
  detail::CoreFigures figures_;

  int stop_;
  std::unique_ptr<Emulator> emulator_;
  std::int64_t start_at_ns_ = 0;
  std::int64_t began_at_ns_ = 0;
  std::int64_t heard_at_ns_ = 0;  ///< the client, or the start
  std::thread thread_;
};

}  // namespace ligament::mcu
