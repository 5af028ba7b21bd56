// SPDX-License-Identifier: Apache-2.0
#include "camera/frame_store.hpp"

namespace ligament::nodes::image {
namespace {

std::uint64_t bytes_of(const Frame& frame) { return frame.image.total() * frame.image.elemSize(); }

std::string describe(const Frame& frame) {
  return std::to_string(frame.image.cols) + "x" + std::to_string(frame.image.rows) + " " +
         frame.encoding;
}

}  // namespace

expected<FrameStore, SourceError> FrameStore::create(std::unique_ptr<FrameSource> source,
                                                     const FrameStoreOptions& options) {
  FrameStore store(std::move(source), options);
  if (auto loaded = store.load(); !loaded) return unexpected<SourceError>(loaded.error());
  return store;
}

void FrameStore::note_stamp(std::int64_t stamp_ns) {
  step_ns_ = stamp_ns - last_stamp_ns_;
  last_stamp_ns_ = stamp_ns;
}

expected<std::optional<Frame>, SourceError> FrameStore::next_checked() {
  auto frame = source_->next();
  if (!frame || !*frame || first_.image.empty()) return frame;
  if ((*frame)->image.size() != first_.image.size() || (*frame)->encoding != first_.encoding) {
    return source_error(SourceErrorCode::size_mismatch,
                        "the frames of a source must be alike, but the first is " +
                            describe(first_) + " and a later one is " + describe(**frame) +
                            "; remove the odd ones, or choose with a pattern (folder/left*.jpg)");
  }
  return frame;
}

expected<void, SourceError> FrameStore::load() {
  std::uint64_t bytes = 0;
  while (options_.frames == 0 || frames_.size() < options_.frames) {
    auto frame = next_checked();
    if (!frame) return unexpected<SourceError>(frame.error());
    if (!*frame) break;
    if (frames_.empty()) first_ = **frame;
    bytes += bytes_of(**frame);
    note_stamp((*frame)->stamp_ns);
    frames_.push_back(std::move(**frame));
    if (!options_.preload || bytes > options_.preload_limit_bytes) {
      frames_.clear();
      step_ns_ = last_stamp_ns_ = 0;
      return source_->rewind();
    }
  }
  if (frames_.empty()) {
    return source_error(SourceErrorCode::no_frames, "the source has no frames; set `source`");
  }
  preloaded_ = true;
  loop_ns_ = last_stamp_ns_ - first_.stamp_ns + (frames_.size() > 1 ? step_ns_ : 0);
  return {};
}

expected<void, SourceError> FrameStore::stream_one() {
  auto frame = next_checked();
  if (!frame) return unexpected<SourceError>(frame.error());
  if (!*frame) {
    // `loop_ns_` counts all loops so far; the next begins one step after the last frame.
    loop_ns_ = last_stamp_ns_ + step_ns_ - first_.stamp_ns;
    if (auto rewound = source_->rewind(); !rewound) return rewound;
    frame = next_checked();
    if (!frame) return unexpected<SourceError>(frame.error());
    if (!*frame) {
      return source_error(SourceErrorCode::no_frames,
                          "the source lost its frames while it was read");
    }
  }
  (*frame)->stamp_ns += loop_ns_;
  note_stamp((*frame)->stamp_ns);
  frames_.push_back(std::move(**frame));
  if (frames_.size() > options_.window) frames_.pop_front();
  ++streamed_;
  return {};
}

expected<const Frame*, SourceError> FrameStore::at(std::uint64_t index) {
  if (preloaded_) {
    const auto loop = static_cast<std::int64_t>(index / frames_.size());
    const Frame& frame = frames_[index % frames_.size()];
    if (loop == 0 || loop_ns_ == 0) return &frame;
    looped_.image = frame.image;  // shares the pixels
    looped_.encoding = frame.encoding;
    looped_.frame_id = frame.frame_id;
    looped_.stamp_ns = frame.stamp_ns + loop * loop_ns_;
    return &looped_;
  }
  while (streamed_ <= index) {
    if (auto streamed = stream_one(); !streamed) return unexpected<SourceError>(streamed.error());
  }
  const std::uint64_t oldest = streamed_ - frames_.size();
  return &frames_[static_cast<std::size_t>(index < oldest ? 0 : index - oldest)];
}

}  // namespace ligament::nodes::image
