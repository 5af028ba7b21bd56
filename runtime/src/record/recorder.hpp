// SPDX-License-Identifier: Apache-2.0
/// \file Records a running graph: a subscription per topic, and a file that its samples are written
/// to from where they lie in the pool.
///
///   auto recorder = Recorder::start({.target = *find_target("perception"), .out = "run"});
///   while ((*recorder)->work(pool::monotonic_now_ns() + 50'000'000)) {}
///   auto figures = (*recorder)->finish();
///
/// The graph does not wait for the recorder unless `waits` says so: what a publisher overwrites
/// before it was taken is lost, and counted.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "record/background_writer.hpp"
#include "record/listening.hpp"
#include "record/running.hpp"
#include "record/selection.hpp"
#include "record/types.hpp"

namespace ligament::record {

struct RecordOptions {
  Target target;
  std::filesystem::path out;  ///< a folder that is not there yet
  Selection selection;
  Types types;
  bool waits = false;       ///< keep-all publishers wait until the recorder has room
  std::uint32_t held = 16;  ///< samples of a topic that may wait for the disk beyond the ring
};

struct TopicFigures {
  std::string topic;
  std::string type;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;
};
struct RecordFigures {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of payloads
  std::uint64_t lost = 0;
  std::uint64_t file_bytes = 0;
  std::vector<TopicFigures> topics;
};

class Recorder {
 public:
  [[nodiscard]] static expected<std::unique_ptr<Recorder>, std::string> start(
      RecordOptions options);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Takes what is there, or waits for it until the deadline. False: there is nothing more to come,
  /// since the graph has ended or the disk has failed.
  [[nodiscard]] bool work(std::int64_t deadline_ns);
  /// Takes what is left, writes the file's end and metadata.yaml.
  [[nodiscard]] expected<RecordFigures, std::string> finish();

  [[nodiscard]] RecordFigures figures() const;
  /// What a person should know, once each: types without a definition, topics with two types.
  [[nodiscard]] std::vector<std::string> take_notes() { return listening_->take_notes(); }
  [[nodiscard]] bool has_ended() const { return listening_->has_ended(); }

 private:
  /// What is known of a topic beside its subscriptions.
  struct Kept {
    std::uint16_t channel = 0;  ///< 0: nothing has come yet
    TopicFigures figures;
  };

  explicit Recorder(RecordOptions options) : options_(std::move(options)) {}
  [[nodiscard]] expected<void, std::string> join();
  [[nodiscard]] bool take_all();
  [[nodiscard]] bool take_from(HeardTopic& topic, ListeningKind kind, pool::Reader& reader);
  void keep(const HeardTopic& topic, pool::HeldSample&& sample);
  [[nodiscard]] std::uint16_t add_channel(const HeardTopic& topic);
  [[nodiscard]] std::uint16_t schema_of(const HeardTopic& topic);
  [[nodiscard]] std::uint64_t log_time_of(const pool::SampleInfo& info) const;
  void flush();
  [[nodiscard]] std::string file_name() const;

  const RecordOptions options_;
  std::shared_ptr<pool::Domain> domain_;
  std::shared_ptr<pool::Waiter> waiter_;
  std::unique_ptr<BackgroundWriter> writer_;
  std::unique_ptr<Listening> listening_;
  std::map<std::string, Kept> kept_;  ///< by topic
  std::map<std::pair<std::string, TypeHash>, std::uint16_t> schemas_;
  std::uint16_t channels_ = 0;
  Chunk chunk_;
  std::int64_t chunk_since_ns_ = 0;
  std::int64_t realtime_offset_ns_ = 0;  ///< of the start: steps of the clock move no message
  std::int64_t started_ns_ = 0;
};

}  // namespace ligament::record
