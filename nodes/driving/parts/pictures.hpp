// SPDX-License-Identifier: Apache-2.0
/// \file Colour pictures in messages, as the driving nodes take them.
#pragma once

#include <cstddef>
#include <functional>
#include <ligament/ligament.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"
#include "kernels/colour.hpp"

namespace ligament::nodes::driving {

using sensor_msgs::msg::Image;
using sensor_msgs::msg::ImageView;

/// A picture over the message's own bytes: nothing is copied.
struct Picture {
  cv::Mat pixels;  ///< CV_8UC3
  ColourOrder order = ColourOrder::rgb;
};

[[nodiscard]] inline expected<Picture, image::ImageError> picture_of(const ImageView& view) {
  auto pixels = image::image_of(view);
  if (!pixels) return unexpected<image::ImageError>(pixels.error());
  if (view.encoding() == "rgb8") return Picture{*pixels, ColourOrder::rgb};
  if (view.encoding() == "bgr8" || view.encoding() == "8UC3") {
    return Picture{*pixels, ColourOrder::bgr};
  }
  return unexpected<image::ImageError>(image::ImageError::unknown_encoding);
}

/// A subscription that hands out pictures, and says once what is wrong with others.
class PictureInput {
 public:
  using Use = std::function<void(const ImageView&, const Picture&)>;
  using Take = std::function<void(Sample<Image>)>;

  PictureInput(Node& node, const std::string& topic, const Use& use)
      : PictureInput(node, topic, QoS(5),
                     [this, use](const Sample<Image>& sample) { this->use(sample.view(), use); }) {}
  /// Hands out the images themselves, of which the node keeps some: `max_held` at most, the one
  /// in the callback included. Later, use() makes pictures of them.
  PictureInput(Node& node, const std::string& topic, std::size_t max_held, Take take)
      : PictureInput(node, topic, QoS(5).max_held(max_held), std::move(take)) {}

  /// The picture in an image, if it is one.
  void use(const ImageView& view, const Use& use) {
    const auto picture = picture_of(view);
    if (picture) return use(view, *picture);
    refuse(view, picture.error(),
           picture.error() == image::ImageError::unknown_encoding
               ? "this node reads colours; send rgb8 or bgr8 (a camera's `encoding`)"
               : to_string(picture.error()));
  }
  /// Says once that an image is refused, and why.
  void refuse(const ImageView& view, image::ImageError error, const std::string& why) {
    if (!told_(error)) return;
    node_.report_error("an image on '" + subscription_->get_topic_name() + "' (" +
                       std::to_string(view.width()) + "x" + std::to_string(view.height()) + " '" +
                       std::string(view.encoding()) + "') cannot be used: " + why);
  }

 private:
  PictureInput(Node& node, const std::string& topic, const QoS& qos, Take take) : node_(node) {
    subscription_ = node.create_subscription<Image>(
        topic, qos, [take = std::move(take)](Sample<Image> sample) { take(std::move(sample)); });
  }

  Node& node_;
  image::ToldOnce<image::ImageError> told_;
  std::shared_ptr<Subscription<Image>> subscription_;
};

}  // namespace ligament::nodes::driving
