// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <opencv2/videoio.hpp>

#include "camera/sources.hpp"

namespace ligament::nodes::image {
namespace {

class VideoSource final : public FrameSource {
 public:
  explicit VideoSource(std::string path) : path_(std::move(path)) {}

  /// Opens the file; also the way back to the first frame, as seeking is inexact in many formats.
  expected<void, SourceError> rewind() override {
    seen_ = 0;
    bool opened = false;
    try {
      opened = capture_.open(path_, cv::CAP_FFMPEG);
    } catch (const cv::Exception&) {
      opened = false;
    }
    if (opened) return {};
    return source_error(SourceErrorCode::not_readable,
                        "'" + path_ +
                            "' is no image folder, recording or video that FFmpeg can open; "
                            "check the file, or set `source` to another");
  }

  expected<std::optional<Frame>, SourceError> next() override {
    cv::Mat image;
    const double position_ms = capture_.get(cv::CAP_PROP_POS_MSEC);
    try {
      if (!capture_.read(image)) return std::optional<Frame>();
    } catch (const cv::Exception& error) {
      return source_error(SourceErrorCode::not_readable, "frame " + std::to_string(seen_) +
                                                             " of video '" + path_ +
                                                             "' cannot be decoded: " + error.err);
    }
    ++seen_;
    Frame frame;
    frame.image = image.clone();  // the decoder reuses its buffer
    frame.encoding = image.channels() == 1 ? "mono8" : "bgr8";
    frame.stamp_ns = std::llround(position_ms * 1e6);
    return std::optional<Frame>(std::move(frame));
  }

 private:
  std::string path_;
  cv::VideoCapture capture_;
  std::uint64_t seen_ = 0;
};

}  // namespace

SourceResult open_video(const std::filesystem::path& path) {
  auto source = std::make_unique<VideoSource>(path.string());
  if (auto opened = source->rewind(); !opened) return unexpected<SourceError>(opened.error());
  const auto first = source->next();
  if (!first) return unexpected<SourceError>(first.error());
  if (!*first) {
    return source_error(SourceErrorCode::no_frames,
                        "video '" + path.string() + "' has no frames; set `source` to another");
  }
  if (auto opened = source->rewind(); !opened) return unexpected<SourceError>(opened.error());
  return source;
}

}  // namespace ligament::nodes::image
