// SPDX-License-Identifier: Apache-2.0
/// \file Where the camera's frames come from: a folder of images, a video, or a ROS 2 recording.
///
///   auto source = open_source({.path = "recording.mcap", .encoding = "rgb8"});
///   if (!source) stop(source.error().text);
///   while (auto frame = *(*source)->next()) use(frame->image);
///
/// Adding a kind of source: one file that implements FrameSource, one row in open_source.
#pragma once

#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/calibration.hpp"

namespace ligament::nodes::image {

enum class SourceErrorCode : std::uint8_t {
  not_found,      ///< no such file or folder
  no_frames,      ///< it exists, and holds no frame
  not_readable,   ///< a frame or the file cannot be decoded
  corrupt,        ///< the recording contradicts its own format
  topic_absent,   ///< the recording has no such topic
  unsupported,    ///< a form that is not read (said which)
  encoding,       ///< a frame cannot be brought into the wanted encoding
  calibration,    ///< the calibration cannot be read
  size_mismatch,  ///< the calibration is of another size than the frames
};

struct SourceError {
  SourceErrorCode code;
  std::string text;  ///< what, where, what to do
};

inline unexpected<SourceError> source_error(SourceErrorCode code, std::string text) {
  return unexpected<SourceError>(SourceError{code, std::move(text)});
}

/// One image with what its source knows about it.
struct Frame {
  cv::Mat image;
  std::string encoding;
  std::int64_t stamp_ns = 0;  ///< as recorded; 0 where the source has no times
  std::string frame_id;       ///< as recorded; may be empty
};

/// Gives one after the other.
template <typename Item>
class Replay {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  virtual ~Replay() = default;

  /// The next one, or nothing at the end.
  [[nodiscard]] virtual expected<std::optional<Item>, SourceError> next() = 0;
  /// Start again with the first one.
  [[nodiscard]] virtual expected<void, SourceError> rewind() = 0;
};

class FrameSource : public Replay<Frame> {
 public:
  /// A calibration that the source itself holds (a recorded camera_info). Known once the source is
  /// opened.
  [[nodiscard]] virtual std::optional<Calibration> calibration() const { return std::nullopt; }
};

struct SourceOptions {
  std::string path{};               ///< file, folder, folder/pattern*.jpg, or empty: opencv-doc's
  std::string encoding{};           ///< wanted encoding; empty or "source": as it comes
  std::string image_topic{};        ///< of a recording; empty: the first
  std::string camera_info_topic{};  ///< of a recording; empty: beside the image topic, or the first
  std::string calibration{};        ///< file; empty: what the source brings along
};

/// Open any source; the kind follows from what lies at the path. Frames come in the wanted
/// encoding.
[[nodiscard]] expected<std::unique_ptr<FrameSource>, SourceError> open_source(
    const SourceOptions& options);

/// The calibration to publish with frames of this size: the file's, else the source's, else none.
/// A calibration of another size is an error that names both.
[[nodiscard]] expected<Calibration, SourceError> calibration_for(const SourceOptions& options,
                                                                 const FrameSource& source,
                                                                 cv::Size size);

}  // namespace ligament::nodes::image
