// SPDX-License-Identifier: Apache-2.0
/// \file The input side of nodes that rectify: pairs images with calibrations, keeps the map.
///
///   input_.emplace(*this, [this](const RectifyInput::Work& work) { ... });
///
/// The map is computed when a camera_info says something new about the lens, not per image.
#pragma once

#include <functional>
#include <ligament/node.hpp>
#include <ligament/sensor_msgs/msg/camera_info.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>

#include "common/camera_info_message.hpp"
#include "common/image_messages.hpp"
#include "common/node_parts.hpp"
#include "rectify/pairing.hpp"
#include "rectify/rectify_map.hpp"

namespace ligament::nodes::image {

/// A calibration and what was computed from it.
struct Lens {
  Calibration calibration;
  expected<RectifyMap, RectifyError> map;
};

class RectifyInput {
 public:
  using Image = sensor_msgs::msg::Image;
  using CameraInfo = sensor_msgs::msg::CameraInfo;

  /// One image that is ready: its pixels, and the lens that it was taken with.
  struct Work {
    const sensor_msgs::msg::ImageView& message;
    const cv::Mat& pixels;
    const Lens& lens;
  };

  using OnWork = std::function<void(const Work&)>;
  using OnInfo = std::function<void(const sensor_msgs::msg::CameraInfoView&)>;

  /// Declares `queue_size` and `pairing`, and subscribes to `camera_info` and `image`. `on_info` is
  /// called for each camera_info, after the images that it completes.
  RectifyInput(Node& node, OnWork on_work, OnInfo on_info = {})
      : node_(node), on_work_(std::move(on_work)), on_info_(std::move(on_info)) {
    const auto queue_size =
        static_cast<std::size_t>(integer_parameter(node, "queue_size", 5, {1, 60, 1}));
    const auto mode = choice_parameter(node, "pairing", {"exact", "latest"}) == "exact"
                          ? PairingMode::exact
                          : PairingMode::latest;
    pairing_.emplace(mode, queue_size);
    // In this order: an executor serves the camera_info of an image before the image.
    info_ = node.create_subscription<CameraInfo>(
        "camera_info", QoS(queue_size),
        [this](const Sample<CameraInfo>& info) { on_camera_info(info); });
    // Waiting images are held, and one more is in the callback.
    image_ = node.create_subscription<Image>(
        "image", QoS(queue_size).max_held(queue_size + 2), [this](Sample<Image> sample) {
          const std::int64_t stamp_ns = stamp_of(sample.view());
          pairing_->on_image(stamp_ns, std::move(sample), emit_);
        });
  }

  [[nodiscard]] const std::string& camera_info_topic() const { return info_->get_topic_name(); }

 private:
  void on_camera_info(const Sample<CameraInfo>& info) {
    if (lens_ == nullptr || !same_calibration(info.view(), lens_->calibration)) {
      const Calibration calibration = calibration_of(info.view());
      lens_ = std::make_shared<const Lens>(Lens{calibration, RectifyMap::create(calibration)});
    }
    pairing_->on_camera_info(stamp_of(info.view()), lens_, emit_);
    if (on_info_) on_info_(info.view());
  }

  void work_on(const Sample<Image>& sample, const Lens& lens) {
    const auto pixels = image_of(sample.view());
    if (!pixels) {
      if (told_(pixels.error())) {
        node_.report_error("an image on '" + image_->get_topic_name() + "' (encoding '" +
                           std::string(sample.view().encoding()) +
                           "') cannot be rectified: " + to_string(pixels.error()));
      }
      return;
    }
    on_work_({sample.view(), *pixels, lens});
  }

  struct Emit {
    RectifyInput* input;
    void operator()(Sample<Image>&& sample, const Lens& lens) const {
      input->work_on(sample, lens);
    }
  };

  Node& node_;
  OnWork on_work_;
  OnInfo on_info_;
  std::optional<Pairing<Sample<Image>, Lens>> pairing_;
  std::shared_ptr<const Lens> lens_;
  Emit emit_{this};
  ToldOnce<ImageError> told_;
  std::shared_ptr<Subscription<CameraInfo>> info_;
  std::shared_ptr<Subscription<Image>> image_;
};

/// Whether this image and this lens go together; asked before memory is loaned.
[[nodiscard]] inline expected<void, RectifyError> check_rectify(const RectifyInput::Work& work) {
  if (!work.lens.map) return unexpected<RectifyError>(work.lens.map.error());
  if (has_distortion(work.lens.calibration) && work.pixels.size() != work.lens.map->size()) {
    return unexpected<RectifyError>(RectifyError::size_mismatch);
  }
  return {};
}

/// Declares `interpolation`: OpenCV's code for remap.
[[nodiscard]] inline int rectify_interpolation(Node& node) {
  const auto code = static_cast<int>(integer_parameter(node, "interpolation", 1, {0, 4, 1}));
  if (code == 3) node.report_error(to_string(RectifyError::interpolation));
  return code;
}

/// The sentence for an image that cannot be rectified.
[[nodiscard]] inline std::string rectify_sentence(RectifyError error, const RectifyInput& input,
                                                  const RectifyInput::Work& work) {
  std::string text =
      "an image cannot be rectified with '" + input.camera_info_topic() + "': " + to_string(error);
  if (error == RectifyError::size_mismatch) {
    const Calibration& c = work.lens.calibration;
    text += " (image " + std::to_string(work.pixels.cols) + "x" + std::to_string(work.pixels.rows) +
            ", calibration " + std::to_string(c.width) + "x" + std::to_string(c.height) + ")";
  }
  return text;
}

}  // namespace ligament::nodes::image
