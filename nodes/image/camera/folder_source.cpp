// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <opencv2/imgcodecs.hpp>

#include "camera/sources.hpp"
#include "common/image_format.hpp"

namespace ligament::nodes::image {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const fs::path& path) {
  static constexpr std::array<std::string_view, 12> extensions = {".jpg", ".jpeg", ".png",  ".bmp",
                                                                  ".tif", ".tiff", ".ppm",  ".pgm",
                                                                  ".pbm", ".pnm",  ".webp", ".jp2"};
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

class FolderSource final : public FrameSource {
 public:
  explicit FolderSource(std::vector<fs::path> files) : files_(std::move(files)) {}

  expected<std::optional<Frame>, SourceError> next() override {
    if (next_ >= files_.size()) return std::optional<Frame>();
    const std::string path = files_[next_].string();
    Frame frame;
    // imread reports some broken files by exception, others by an empty image.
    try {
      frame.image = cv::imread(path, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    } catch (const cv::Exception&) {
      frame.image = cv::Mat();
    }
    frame.encoding = frame.image.empty() ? "" : encoding_of(frame.image.type());
    if (frame.encoding.empty()) {
      return source_error(
          SourceErrorCode::not_readable,
          "image '" + path + "' cannot be decoded; remove it from the folder or repair it");
    }
    ++next_;
    return std::optional<Frame>(std::move(frame));
  }

  expected<void, SourceError> rewind() override {
    next_ = 0;
    return {};
  }

 private:
  std::vector<fs::path> files_;
  std::size_t next_ = 0;
};

std::vector<fs::path> list_images(const fs::path& folder, const std::string& pattern) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool wanted = pattern.empty()
                            ? is_image_name(entry.path())
                            : matches_pattern(entry.path().filename().string(), pattern);
    if (wanted && entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool matches_pattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return matches_pattern(name, pattern.substr(1)) ||
           (!name.empty() && matches_pattern(name.substr(1), pattern));
  }
  if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front())) return false;
  return matches_pattern(name.substr(1), pattern.substr(1));
}

SourceResult open_folder(const fs::path& folder, const std::string& pattern) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return source_error(SourceErrorCode::not_found, "there is no folder '" + folder.string() +
                                                        "'; set `source` to a folder of images");
  }
  auto files = list_images(folder, pattern);
  if (files.empty()) {
    return source_error(SourceErrorCode::no_frames,
                        "folder '" + folder.string() + "' holds no " +
                            (pattern.empty() ? "image (jpg, png, bmp, tiff, pnm, webp)"
                                             : "file that matches '" + pattern + "'") +
                            "; set `source` to a folder with images");
  }
  return std::make_unique<FolderSource>(std::move(files));
}

expected<SamplePhotographs, SourceError> sample_photographs() {
  const std::array<fs::path, 3> folders = {
      "/usr/share/doc/opencv-doc/examples/data",      // Debian, Ubuntu
      "/usr/share/doc/opencv-doc/examples/cpp/data",  // older releases
      "/usr/share/opencv4/samples/data"};             // OpenCV's own install, other distributions
  for (const fs::path& folder : folders) {
    // Debian gzips plain-text documentation above 4 kB; cv::FileStorage reads both.
    for (const char* name : {"left_intrinsics.yml", "left_intrinsics.yml.gz"}) {
      std::error_code error;
      if (fs::is_regular_file(folder / name, error) && !list_images(folder, "left??.jpg").empty()) {
        return SamplePhotographs{folder, "left??.jpg", folder / name};
      }
    }
  }
  return source_error(SourceErrorCode::not_found,
                      "the calibration photographs of the package opencv-doc are not installed; "
                      "run `apt-get install opencv-doc`, or set `source` to images of your own");
}

}  // namespace ligament::nodes::image
