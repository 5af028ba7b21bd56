// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <ligament/sensor_msgs/msg/camera_info.hpp>
#include <ligament/sensor_msgs/msg/compressed_image.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <map>
#include <opencv2/imgcodecs.hpp>

#include "camera/bag_reader.hpp"
#include "camera/sources.hpp"
#include "common/camera_info_message.hpp"
#include "common/image_format.hpp"

namespace ligament::nodes::image {
namespace {

namespace fs = std::filesystem;
using sensor_msgs::msg::CameraInfoView;
using sensor_msgs::msg::CompressedImageView;
using sensor_msgs::msg::ImageView;

constexpr std::string_view kImage = "sensor_msgs/msg/Image";
constexpr std::string_view kCompressed = "sensor_msgs/msg/CompressedImage";
constexpr std::string_view kCameraInfo = "sensor_msgs/msg/CameraInfo";

bool is_image(const BagTopic& topic) { return topic.type == kImage || topic.type == kCompressed; }

template <typename ViewT>
std::int64_t stamp_of(const ViewT& view) {
  return std::int64_t{view.header().stamp().sec()} * 1'000'000'000 +
         view.header().stamp().nanosec();
}

/// `/camera/image_raw/compressed` -> `/camera/camera_info`, as image_transport pairs them.
std::string camera_info_beside(std::string topic) {
  constexpr std::string_view suffix = "/compressed";
  if (topic.ends_with(suffix)) topic.resize(topic.size() - suffix.size());
  const auto slash = topic.rfind('/');
  return (slash == std::string::npos ? "" : topic.substr(0, slash)) + "/camera_info";
}

/// The files of one recording, read as one.
class BagFiles {
 public:
  BagFiles(std::vector<fs::path> files, bool message_zstd)
      : files_(std::move(files)), message_zstd_(message_zstd) {}

  [[nodiscard]] expected<std::optional<BagMessage>, SourceError> next() {
    while (true) {
      if (!reader_) {
        if (index_ == files_.size()) return std::optional<BagMessage>();
        auto opened = files_[index_].extension() == ".mcap"
                          ? open_mcap(files_[index_], message_zstd_)
                          : open_sqlite_bag(files_[index_], message_zstd_);
        if (!opened) return unexpected<SourceError>(opened.error());
        reader_ = *std::move(opened);
        ++index_;
      }
      auto message = reader_->next();
      if (!message || *message) return message;
      for (auto& topic : reader_->topics()) topics_[topic.name] = topic.type;
      reader_.reset();
    }
  }
  void rewind() {
    reader_.reset();
    index_ = 0;
  }
  /// Name and type, complete after a whole pass.
  [[nodiscard]] const std::map<std::string, std::string>& topics() const { return topics_; }

 private:
  std::vector<fs::path> files_;
  bool message_zstd_;
  std::size_t index_ = 0;
  std::unique_ptr<BagReader> reader_;
  std::map<std::string, std::string> topics_;
};

class BagSource final : public FrameSource {
 public:
  BagSource(std::string name, BagFiles files) : name_(std::move(name)), files_(std::move(files)) {}

  /// Find the topics, and the calibration before the first frame is asked for.
  expected<void, SourceError> open(const SourceOptions& options);

  expected<std::optional<Frame>, SourceError> next() override {
    while (true) {
      const auto message = files_.next();
      if (!message) return unexpected<SourceError>(message.error());
      if (!*message) return std::optional<Frame>();
      if ((*message)->topic->name != topic_ || !is_image(*(*message)->topic)) continue;
      auto frame = (*message)->topic->type == kImage ? decode_image((*message)->data)
                                                     : decode_compressed((*message)->data);
      if (!frame) return unexpected<SourceError>(frame.error());
      return std::optional<Frame>(*std::move(frame));
    }
  }
  expected<void, SourceError> rewind() override {
    files_.rewind();
    return {};
  }
  std::optional<Calibration> calibration() const override { return calibration_; }

 private:
  [[nodiscard]] bool is_found(const SourceOptions& options) const;
  [[nodiscard]] expected<void, SourceError> note(const BagMessage& message,
                                                 const SourceOptions& options);
  [[nodiscard]] expected<void, SourceError> check_topics(const SourceOptions& options) const;
  [[nodiscard]] expected<Frame, SourceError> decode_image(std::span<const std::byte> data) const;
  [[nodiscard]] expected<Frame, SourceError> decode_compressed(
      std::span<const std::byte> data) const;
  [[nodiscard]] unexpected<SourceError> bad_message(std::string_view type,
                                                    std::string_view why) const;
  [[nodiscard]] std::string topics_in_words() const;

  std::string name_;
  BagFiles files_;
  std::string topic_;
  std::map<std::string, Calibration> calibrations_;  ///< the first of each camera_info topic
  std::string info_topic_;
  std::optional<Calibration> calibration_;
};

unexpected<SourceError> BagSource::bad_message(std::string_view type, std::string_view why) const {
  return source_error(SourceErrorCode::corrupt, "a " + std::string(type) + " on topic '" + topic_ +
                                                    "' of recording '" + name_ +
                                                    "' cannot be read: " + std::string(why));
}

std::string BagSource::topics_in_words() const {
  std::string text;
  for (const auto& [name, type] : files_.topics()) {
    text += (text.empty() ? "" : ", ") + name + " (" + type + ")";
  }
  return text.empty() ? "nothing" : text;
}

expected<Frame, SourceError> BagSource::decode_image(std::span<const std::byte> data) const {
  const auto view = ImageView::parse(data);
  if (!view) return bad_message(kImage, to_string(view.error()));
  const auto image = image_over(
      {view->height(), view->width(), view->step(), view->encoding(), view->is_bigendian() != 0},
      view->data());
  if (!image) {
    return bad_message(
        kImage, "encoding '" + std::string(view->encoding()) + "': " + to_string(image.error()));
  }
  return Frame{image->clone(), std::string(view->encoding()), stamp_of(*view),
               std::string(view->header().frame_id())};
}

expected<Frame, SourceError> BagSource::decode_compressed(std::span<const std::byte> data) const {
  const auto view = CompressedImageView::parse(data);
  if (!view) return bad_message(kCompressed, to_string(view.error()));
  const auto bytes = view->data();
  cv::Mat image;
  try {  // imdecode reports some broken images by exception, others by an empty image
    if (!bytes.empty()) {
      image = cv::imdecode(cv::Mat(1, static_cast<int>(bytes.size()), CV_8UC1,
                                   const_cast<std::uint8_t*>(bytes.data())),
                           cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    }
  } catch (const cv::Exception&) {
    image = cv::Mat();
  }
  if (image.empty() || encoding_of(image.type()).empty()) {
    return bad_message(kCompressed, "its format '" + std::string(view->format()) +
                                        "' cannot be decoded by OpenCV");
  }
  return Frame{image, std::string(encoding_of(image.type())), stamp_of(*view),
               std::string(view->header().frame_id())};
}

bool BagSource::is_found(const SourceOptions& options) const {
  return !topic_.empty() && (!options.calibration.empty() || calibrations_.contains(info_topic_));
}

expected<void, SourceError> BagSource::note(const BagMessage& message,
                                            const SourceOptions& options) {
  const BagTopic& topic = *message.topic;
  const bool wanted =
      options.image_topic.empty() ? topic_.empty() : topic.name == options.image_topic;
  if (wanted && is_image(topic)) {
    if (topic.encoding != "cdr") {
      return source_error(SourceErrorCode::unsupported,
                          "recording '" + name_ + "' holds messages serialised as '" +
                              topic.encoding +
                              "', not ROS 2's cdr; convert it (ROS 1: `rosbags-convert`)");
    }
    topic_ = topic.name;
    info_topic_ =
        options.camera_info_topic.empty() ? camera_info_beside(topic_) : options.camera_info_topic;
  }
  if (topic.type == kCameraInfo && !calibrations_.contains(topic.name)) {
    const auto view = CameraInfoView::parse(message.data);
    if (!view) return bad_message(kCameraInfo, to_string(view.error()));
    calibrations_[topic.name] = calibration_of(*view);
  }
  return {};
}

expected<void, SourceError> BagSource::check_topics(const SourceOptions& options) const {
  if (topic_.empty()) {
    const std::string what = options.image_topic.empty()
                                 ? "no images (sensor_msgs/msg/Image or CompressedImage)"
                                 : "no images on a topic '" + options.image_topic + "'";
    return source_error(
        options.image_topic.empty() ? SourceErrorCode::no_frames : SourceErrorCode::topic_absent,
        "recording '" + name_ + "' has " + what + "; it has " + topics_in_words() +
            "; set `image_topic` to one of them");
  }
  if (!options.camera_info_topic.empty() && !calibrations_.contains(options.camera_info_topic)) {
    return source_error(SourceErrorCode::topic_absent,
                        "recording '" + name_ + "' has no sensor_msgs/msg/CameraInfo on a topic '" +
                            options.camera_info_topic + "'; it has " + topics_in_words() +
                            "; set `camera_info_topic` to one of them, or `calibration` to a file");
  }
  return {};
}

expected<void, SourceError> BagSource::open(const SourceOptions& options) {
  while (!is_found(options)) {
    const auto message = files_.next();
    if (!message) return unexpected<SourceError>(message.error());
    if (!*message) break;
    if (auto noted = note(**message, options); !noted) return noted;
  }
  if (auto checked = check_topics(options); !checked) return checked;
  auto chosen = calibrations_.find(info_topic_);
  if (chosen == calibrations_.end()) chosen = calibrations_.begin();
  if (chosen != calibrations_.end()) calibration_ = chosen->second;
  files_.rewind();
  return {};
}

struct BagDescription {
  std::vector<fs::path> files;
  bool message_zstd = false;
};

/// What rosbag2's metadata.yaml says; the file decides, as splits may be renamed or removed.
expected<BagDescription, SourceError> read_metadata(const fs::path& folder) {
  BagDescription bag;
  const fs::path path = folder / "metadata.yaml";
  try {  // yaml-cpp reports by exception; this is its only boundary with us
    const YAML::Node info = YAML::LoadFile(path.string())["rosbag2_bagfile_information"];
    for (const auto& file : info["relative_file_paths"]) {
      bag.files.push_back(folder / file.as<std::string>());
    }
    const auto mode = info["compression_mode"].as<std::string>("");
    bag.message_zstd = mode == "MESSAGE" || mode == "message";
  } catch (const YAML::Exception& error) {
    return source_error(SourceErrorCode::corrupt,
                        "'" + path.string() + "' is no metadata of rosbag2 (" + error.what() +
                            "); give the recording's .db3 or .mcap file instead");
  }
  return bag;
}

expected<BagDescription, SourceError> describe(const fs::path& path) {
  std::error_code error;
  BagDescription bag;
  if (!fs::is_directory(path, error)) {
    bag.files.push_back(path);
    return bag;
  }
  if (fs::is_regular_file(path / "metadata.yaml", error)) return read_metadata(path);
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto extension = entry.path().extension();
    if (extension == ".mcap" || extension == ".db3") bag.files.push_back(entry.path());
  }
  std::sort(bag.files.begin(), bag.files.end());
  return bag;
}

expected<void, SourceError> check_files(const BagDescription& bag) {
  std::error_code error;
  for (const fs::path& file : bag.files) {
    const auto extension = file.extension();
    if (extension == ".zstd" || extension == ".zst") {
      return source_error(SourceErrorCode::unsupported,
                          "recording file '" + file.string() +
                              "' is compressed as a whole; decompress it (`zstd -d`) and give the "
                              "resulting file as `source`");
    }
    if (extension != ".mcap" && extension != ".db3") {
      return source_error(SourceErrorCode::unsupported,
                          "recording file '" + file.string() + "' is neither .db3 nor .mcap");
    }
    if (!fs::is_regular_file(file, error)) {
      return source_error(SourceErrorCode::not_found,
                          "recording file '" + file.string() +
                              "' is missing; its metadata.yaml names it; copy the whole folder");
    }
  }
  return {};
}

}  // namespace

bool is_bag_folder(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto extension = entry.path().extension();
    if (entry.path().filename() == "metadata.yaml" || extension == ".mcap" || extension == ".db3") {
      return true;
    }
  }
  return false;
}

SourceResult open_bag(const fs::path& path, const SourceOptions& options) {
  auto bag = describe(path);
  if (!bag) return unexpected<SourceError>(bag.error());
  if (auto checked = check_files(*bag); !checked) return unexpected<SourceError>(checked.error());
  auto source = std::make_unique<BagSource>(path.string(),
                                            BagFiles(std::move(bag->files), bag->message_zstd));
  if (auto opened = source->open(options); !opened) {
    return unexpected<SourceError>(opened.error());
  }
  return source;
}

}  // namespace ligament::nodes::image
