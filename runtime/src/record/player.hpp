// SPDX-License-Identifier: Apache-2.0
/// \file Plays a recording: publishes its messages into the pool of a graph, with the recorded
/// spacing and QoS.
///
///   auto player = Player::open({.file = "run", .target = {"perception", "run-17"}});
///   while ((*player)->step(on_wait).value()) {}
///
/// The whole file is read once before anything is published: a broken one publishes nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "record/mcap_reader.hpp"
#include "record/running.hpp"
#include "record/selection.hpp"
#include "record/types.hpp"

namespace ligament::record {

inline constexpr const char* player_node = "/ligament_play";

struct PlayOptions {
  std::filesystem::path file;  ///< an .mcap, or the folder of a recording
  Target target;
  double rate = 1.0;
  Selection selection;
  Types types;  ///< hashes of types, for files that say none
};

struct PlayFigures {
  std::uint64_t in_file = 0;  ///< messages of the selected topics
  std::int64_t duration_ns = 0;
  std::uint64_t published = 0;
  std::uint64_t bytes = 0;
  std::uint64_t refused = 0;   ///< the pool had no block for them
  std::int64_t latest_ns = 0;  ///< most that a message was published after its time
};

/// The .mcap files of what the user names; a sentence if there is none.
[[nodiscard]] expected<std::vector<std::filesystem::path>, std::string> files_of(
    const std::filesystem::path& named);

class Player {
 public:
  [[nodiscard]] static expected<std::unique_ptr<Player>, std::string> open(PlayOptions options);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  /// Joins the graph, makes the publishers, and waits until those who listen are matched.
  [[nodiscard]] expected<void, std::string> start();
  /// Publishes the next message when it is due. `wait_until` waits until then (CLOCK_MONOTONIC,
  /// ns); if it says false, nothing is published. False: there are no more.
  using WaitUntil = std::function<bool(std::int64_t)>;
  [[nodiscard]] expected<bool, std::string> step(const WaitUntil& wait_until);
  /// From the beginning again, from now on.
  void rewind();

  [[nodiscard]] const PlayFigures& figures() const { return figures_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Output {
    pool::EndpointDescription description;
    std::unique_ptr<pool::Writer> writer;
  };
  struct File {
    std::unique_ptr<McapReader> reader;
    std::map<std::uint16_t, Output*> outputs;  ///< by channel; null: not played
  };

  explicit Player(PlayOptions options) : options_(std::move(options)) {}
  [[nodiscard]] expected<void, std::string> survey(File& file);
  [[nodiscard]] Output* output_of(const File& file, const Channel& channel);
  [[nodiscard]] bool describe(const File& file, const Channel& channel,
                              pool::EndpointDescription& description);
  void wait_for_matches();
  [[nodiscard]] expected<bool, std::string> publish(const File& file, const StoredMessage& message);

  const PlayOptions options_;
  std::vector<File> files_;
  std::map<std::string, Output> outputs_;  ///< by topic
  std::shared_ptr<pool::Domain> domain_;
  std::size_t file_ = 0;
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();  ///< log time in the files
  std::int64_t last_ns_ = 0;
  std::int64_t started_ns_ = 0;
  PlayFigures figures_;
  std::vector<std::string> notes_;
};

}  // namespace ligament::record
