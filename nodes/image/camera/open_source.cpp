// SPDX-License-Identifier: Apache-2.0
#include "camera/sources.hpp"
#include "common/image_format.hpp"

namespace ligament::nodes::image {
namespace {

namespace fs = std::filesystem;

/// Brings the frames of another source into one encoding.
class ConvertedSource final : public FrameSource {
 public:
  ConvertedSource(std::unique_ptr<FrameSource> inner, std::string encoding)
      : inner_(std::move(inner)), encoding_(std::move(encoding)) {}

  expected<std::optional<Frame>, SourceError> next() override {
    auto frame = inner_->next();
    if (!frame || !*frame) return frame;
    auto image = convert_encoding((*frame)->image, (*frame)->encoding, encoding_);
    if (!image) {
      return source_error(SourceErrorCode::encoding, "a frame of encoding '" + (*frame)->encoding +
                                                         "' cannot become '" + encoding_ +
                                                         "': " + to_string(image.error()));
    }
    (*frame)->image = *image;
    (*frame)->encoding = encoding_;
    return frame;
  }
  expected<void, SourceError> rewind() override { return inner_->rewind(); }
  std::optional<Calibration> calibration() const override { return inner_->calibration(); }

 private:
  std::unique_ptr<FrameSource> inner_;
  std::string encoding_;
};

SourceResult open_sample() {
  const auto sample = sample_photographs();
  if (!sample) return unexpected<SourceError>(sample.error());
  return open_folder(sample->folder, sample->pattern);
}

SourceResult open_path(const SourceOptions& options) {
  if (options.path.empty()) return open_sample();
  const fs::path path(options.path);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return is_bag_folder(path) ? open_bag(path, options) : open_folder(path, "");
  }
  if (fs::is_regular_file(path, error)) {
    const auto extension = path.extension();
    if (extension == ".mcap" || extension == ".db3") return open_bag(path, options);
    return open_video(path);
  }
  if (path.filename().string().find_first_of("*?") != std::string::npos) {
    return open_folder(path.has_parent_path() ? path.parent_path() : ".", path.filename().string());
  }
  return source_error(SourceErrorCode::not_found,
                      "there is no '" + options.path +
                          "'; set `source` to a folder of images, a video or a recording");
}

expected<Calibration, SourceError> chosen_calibration(const SourceOptions& options,
                                                      const FrameSource& source, cv::Size size) {
  std::string path = options.calibration;
  if (path.empty()) {
    if (auto own = source.calibration()) return *std::move(own);
    if (!options.path.empty()) {
      return uncalibrated(static_cast<std::uint32_t>(size.width),
                          static_cast<std::uint32_t>(size.height));
    }
    const auto sample = sample_photographs();
    if (!sample) return unexpected<SourceError>(sample.error());
    path = sample->calibration.string();
  }
  auto calibration = read_calibration(path);
  if (!calibration) return source_error(SourceErrorCode::calibration, calibration.error().text);
  return *std::move(calibration);
}

std::string in_words(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

}  // namespace

SourceResult open_source(const SourceOptions& options) {
  if (!options.encoding.empty() && options.encoding != "source" && !cv_type_of(options.encoding)) {
    return source_error(SourceErrorCode::encoding, "`encoding` '" + options.encoding + "': " +
                                                       to_string(ImageError::unknown_encoding));
  }
  auto source = open_path(options);
  if (!source || options.encoding.empty() || options.encoding == "source") return source;
  return std::make_unique<ConvertedSource>(*std::move(source), options.encoding);
}

expected<Calibration, SourceError> calibration_for(const SourceOptions& options,
                                                   const FrameSource& source, cv::Size size) {
  auto calibration = chosen_calibration(options, source, size);
  if (!calibration) return calibration;
  if (static_cast<int>(calibration->width) != size.width ||
      static_cast<int>(calibration->height) != size.height) {
    return source_error(SourceErrorCode::size_mismatch,
                        "the calibration is for images of " +
                            in_words(calibration->width, calibration->height) +
                            ", but the frames are " + in_words(size.width, size.height) +
                            "; set `calibration` to one of this resolution");
  }
  return calibration;
}

}  // namespace ligament::nodes::image
