// SPDX-License-Identifier: Apache-2.0
/// \file The loop around the agent. One thread sleeps on the links, and one per ROS domain on the
/// pool, because no system call of the kernels that we support sleeps on both. One mutex makes them
/// one loop: whoever wakes does the work there and then, and nobody wakes anybody else.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "agent/agent.hpp"
#include "agent/pool_bus.hpp"
#include "agent/transport.hpp"

namespace ligament::xrce {

struct ServerOptions {
  AgentOptions agent;
  PoolBus::Options bus;  ///< `on_samples` is the server's
  std::string profiles;  ///< the text of the file; empty: there is none
  /// A link through memory, or of UDP, is looked at for so long after its last message, instead of
  /// slept on.
  std::int64_t spin_ns = 0;
};

class Server {
 public:
  [[nodiscard]] static expected<std::unique_ptr<Server>, std::string> make(ServerOptions options);
  ~Server();

  /// Serves until `stop_fd` can be read.
  void serve(Transport& transport, int stop_fd);
  [[nodiscard]] std::vector<ClientFigures> clients();

 private:
  explicit Server(ServerOptions options, Profiles profiles);
  void flush();
  /// Returns whether something came.
  bool work(Transport& transport);
  /// By the pool's thread: nobody rings for what comes meanwhile, neither publishers nor the core.
  void spin();
  bool work_locked(Transport& transport);
  /// What is due; returns for how long to sleep, in milliseconds.
  [[nodiscard]] int tick();

  std::int64_t spin_ns_;
  std::mutex mutex_;           ///< guards the agent and all below it
  Transport* spun_ = nullptr;  ///< what is served, where it may be spun on
  std::uint64_t moved_ = 0;    ///< of it, as of the last look
  Profiles profiles_;
  PoolBus bus_;
  Agent agent_;
};

}  // namespace ligament::xrce
