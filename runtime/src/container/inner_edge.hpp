// SPDX-License-Identifier: Apache-2.0
/// \file An edge within a container: a shared object of its own, so that containers without one
/// carry no DDS engine (spec/wire/dds.md, section 9).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "container/status_channel.hpp"

namespace ligament::container {

/// Origin of what an edge within a container has to say, in place of a node's id.
inline constexpr const char* inner_edge_origin = "/_edge";

/// A started edge; it ends when it is destroyed.
class InnerEdge {
 public:
  InnerEdge() = default;
  InnerEdge(const InnerEdge&) = delete;
  InnerEdge& operator=(const InnerEdge&) = delete;
  virtual ~InnerEdge() = default;
  /// Writes its figures and problems, if they are new.
  virtual void tell() = 0;
};

struct InnerEdgeRequest {
  std::string graph;  ///< name of the pool
  std::string run_id;
  std::uint32_t domain_id = 0;
  bool humble = false;
  StatusChannel* channel = nullptr;
};

/// What the shared object holds under `inner_edge_symbol`.
struct InnerEdgeEntry {
  std::size_t request_bytes = sizeof(InnerEdgeRequest);  ///< another size: another version
  expected<std::unique_ptr<InnerEdge>, std::string> (*start)(const InnerEdgeRequest&) = nullptr;
};
inline constexpr const char* inner_edge_symbol = "ligament_inner_edge";

/// Loads the shared object, once and for all. Errors are sentences.
[[nodiscard]] expected<const InnerEdgeEntry*, std::string> load_inner_edge(const std::string& path);
/// Beside the container's program.
[[nodiscard]] std::string inner_edge_path();

/// Keeps an edge running: a thread that starts it, again after a while if it cannot be started, and
/// lets it speak once a second. The nodes do not wait for it, and go on without it.
class InnerEdgeKeeper {
 public:
  InnerEdgeKeeper(const InnerEdgeEntry& entry, InnerEdgeRequest request);
  /// Ends the edge, whose last figures are told.
  ~InnerEdgeKeeper();
  InnerEdgeKeeper(const InnerEdgeKeeper&) = delete;
  InnerEdgeKeeper& operator=(const InnerEdgeKeeper&) = delete;

 private:
  void run();
  [[nodiscard]] std::unique_ptr<InnerEdge> start();
  [[nodiscard]] bool pause(std::chrono::milliseconds time);

  const InnerEdgeEntry& entry_;
  const InnerEdgeRequest request_;
  std::set<std::string> told_;  ///< why it could not be started
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;  ///< guarded by mutex_
  std::thread thread_;
};

}  // namespace ligament::container
