// SPDX-License-Identifier: Apache-2.0
/// \file The frames of a source by number, in a loop to any length.
///
///   auto store = FrameStore::create(std::move(source), {.preload = true});
///   auto frame = store->at(7);          // frame 7, or 7 modulo the number of frames
///
/// Preloaded, all frames lie decoded in memory and at() costs a division, so that a replay measures
/// the graph and not the decoder. Streaming, each frame is decoded when it is asked for the first
/// time; the last `window` stay available, because an unacknowledged frame is sent again.
#pragma once

#include <deque>
#include <memory>

#include "camera/frame_source.hpp"

namespace ligament::nodes::image {

struct FrameStoreOptions {
  bool preload = true;
  std::uint64_t preload_limit_bytes = 2ULL << 30;  ///< more: frames are streamed instead
  std::uint64_t window = 1;
  std::uint64_t frames = 0;  ///< no more than these are needed; 0: all
};

class FrameStore {
 public:
  /// Reads the first frame, or all of them. All must have the size and encoding of the first.
  [[nodiscard]] static expected<FrameStore, SourceError> create(std::unique_ptr<FrameSource> source,
                                                                const FrameStoreOptions& options);

  /// Frame `index` of the endless loop. Streaming: the next new one, or one of the last `window`.
  /// Stamps go on growing from loop to loop.
  [[nodiscard]] expected<const Frame*, SourceError> at(std::uint64_t index);

  [[nodiscard]] const Frame& first() const { return first_; }
  [[nodiscard]] const FrameSource& source() const { return *source_; }
  [[nodiscard]] bool preloaded() const { return preloaded_; }
  /// Frames in memory; the length of the loop when preloaded.
  [[nodiscard]] std::size_t in_memory() const { return frames_.size(); }

 private:
  FrameStore(std::unique_ptr<FrameSource> source, const FrameStoreOptions& options)
      : source_(std::move(source)), options_(options) {}

  [[nodiscard]] expected<void, SourceError> load();
  [[nodiscard]] expected<std::optional<Frame>, SourceError> next_checked();
  [[nodiscard]] expected<void, SourceError> stream_one();
  void note_stamp(std::int64_t stamp_ns);

  std::unique_ptr<FrameSource> source_;
  FrameStoreOptions options_;
  bool preloaded_ = false;
  Frame first_;
  Frame looped_;              ///< what at() returns for later loops when preloaded
  std::deque<Frame> frames_;  ///< all, or the last `window`
  std::uint64_t streamed_ = 0;
  std::int64_t last_stamp_ns_ = 0;
  std::int64_t step_ns_ = 0;  ///< between the last two frames of a loop
  std::int64_t loop_ns_ = 0;  ///< what a loop adds to stamps
};

}  // namespace ligament::nodes::image
