// SPDX-License-Identifier: Apache-2.0
/// \file What the processes of the fault tests do all day. Each role is a function for a `Worker`.
#pragma once

#include <array>
#include <string>

#include "faults/ends.hpp"
#include "faults/figures.hpp"

namespace ligament::pool::test {

/// The topics, by their index in `Figures`.
enum Topic : std::size_t {
  topic_main,   ///< keep-last; the steady publisher and victims publish
  topic_up,     ///< keep-last; victims publish, everybody reads
  topic_aside,  ///< the bystanders': a ring so long that nothing is ever lost
  topic_grow,   ///< a writer that comes, grows and goes
  topic_late,   ///< transient-local
  topic_all,    ///< keep-all; victims publish and subscribe, too
  topic_kept,   ///< keep-all among those that stay: nothing is lost
  topic_big,    ///< a megabyte, among those that stay
  topic_count
};
static_assert(topic_count <= max_topics);

/// Publishes on `topic_main` and `topic_aside` at a pace, and on `topic_grow` from writers that
/// come and go; measures when a dead subscriber's blocks are back.
void steady_publisher(Figures& figures, const std::string& domain);
/// Takes from all topics and sleeps between.
void steady_subscriber(Figures& figures, const std::string& domain);

struct Life {
  bool writes = true;
  bool reads = true;
  unsigned steps = 24;    ///< publishes and looks, from joining to leaving
  unsigned pause_us = 0;  ///< between lives
  std::string run = "run";
};
/// Joins, works, closes and opens ends, leaves, and begins again.
void many_lives(Figures& figures, const std::string& domain, const Life& life);
/// Joins and leaves, and nothing else; another run may have the name.
void contender(Figures& figures, const std::string& domain, const std::string& run);

}  // namespace ligament::pool::test
