// SPDX-License-Identifier: Apache-2.0
/// \file The kinds of frame source; open_source() chooses among them.
#pragma once

#include <filesystem>

#include "camera/frame_source.hpp"

namespace ligament::nodes::image {

using SourceResult = expected<std::unique_ptr<FrameSource>, SourceError>;

/// Images of one folder in the order of their names. `pattern` may hold `*` and `?`.
[[nodiscard]] SourceResult open_folder(const std::filesystem::path& folder,
                                       const std::string& pattern);
/// Any video that OpenCV's FFmpeg back-end decodes. Frames are bgr8.
[[nodiscard]] SourceResult open_video(const std::filesystem::path& path);
/// A rosbag2 folder, a .db3 file or a .mcap file.
[[nodiscard]] SourceResult open_bag(const std::filesystem::path& path,
                                    const SourceOptions& options);

/// Whether a folder is a rosbag2 recording rather than a folder of images.
[[nodiscard]] bool is_bag_folder(const std::filesystem::path& folder);
/// `left*.jpg` matches `left01.jpg`.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

/// The calibration photographs of Debian's opencv-doc package, or why they are not there.
struct SamplePhotographs {
  std::filesystem::path folder;
  std::string pattern;
  std::filesystem::path calibration;
};
[[nodiscard]] expected<SamplePhotographs, SourceError> sample_photographs();

}  // namespace ligament::nodes::image
