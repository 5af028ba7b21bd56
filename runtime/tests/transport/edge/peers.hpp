// SPDX-License-Identifier: Apache-2.0
/// \file Other implementations of DDS, in processes of their own, where they are installed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "child.hpp"
#include "graph_and_edge.hpp"

namespace ligament::edge {

/// A program and what it is given before all else; empty: it is not installed.
using PeerCommand = std::vector<std::string>;

#ifdef FASTDDS_PEER
inline const PeerCommand fast_peer{FASTDDS_PEER};
#else
inline const PeerCommand fast_peer;
#endif
#ifdef CYCLONE_PYTHON
inline const PeerCommand python_peer{CYCLONE_PYTHON, CYCLONE_PYTHON_PEER};
#else
inline const PeerCommand python_peer;
#endif

class GraphAndPeers : public GraphAndEdge {
 protected:
  /// In the edge's DDS domain. What it does is said in words.
  template <typename... Words>
  [[nodiscard]] std::unique_ptr<Child> peer(PeerCommand command, const Words&... words) const {
    command.push_back(std::to_string(domain_id_));
    (command.push_back(words), ...);
    return std::make_unique<Child>(std::move(command));
  }
};

/// Of one implementation; without it the tests are skipped, and `lack` says so.
class GraphAndPeer : public GraphAndPeers {
 protected:
  GraphAndPeer(PeerCommand command, const char* lack) : command_(std::move(command)), lack_(lack) {}
  void SetUp() override {
    if (command_.empty()) {
      GTEST_SKIP() << lack_;
    }
    GraphAndPeers::SetUp();
  }
  template <typename... Words>
  [[nodiscard]] std::unique_ptr<Child> peer(const Words&... words) const {
    return GraphAndPeers::peer(command_, words...);
  }

 private:
  const PeerCommand command_;
  const char* lack_;
};

}  // namespace ligament::edge
