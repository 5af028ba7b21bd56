// SPDX-License-Identifier: Apache-2.0
/// \file A node that answers each image with one of the same size, computed from the sample's bytes
/// straight into the loan's bytes.
///
///   class Blur : public ImageFilter {
///    public:
///     explicit Blur(const NodeOptions& options)
///         : ImageFilter(options, {"blur", "image_blurred", "cannot be smoothed"}) { start(); }
///    private:
///     void compute(const ImageView&, const cv::Mat& pixels, cv::Mat& result) override { ... }
///   };
#pragma once

#include <ligament/ligament.hpp>
#include <memory>
#include <string>
#include <utility>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {

/// A filter's name, its topic, and what it says of an image that it has no answer to.
struct FilterWords {
  std::string name;
  std::string output;
  std::string refusal;
};

class ImageFilter : public Node {
 protected:
  using ImageView = sensor_msgs::msg::ImageView;

  /// What the result is, beside its size.
  struct Format {
    std::string_view encoding;
    int type;  ///< of its cv::Mat
  };

  ImageFilter(const NodeOptions& options, FilterWords words)
      : Node(words.name, options), words_(std::move(words)) {}

  /// The last that a constructor does: images may come from then on.
  void start() {
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>(words_.output, QoS(5));
    subscription_ = create_subscription<sensor_msgs::msg::Image>(
        "image", QoS(5),
        [this](const Sample<sensor_msgs::msg::Image>& sample) { answer(sample.view()); });
  }

 private:
  /// What the result will be, or why there is none; left out: what the image is.
  virtual expected<Format, ImageError> format_of(const ImageView& view, const cv::Mat& pixels) {
    return Format{view.encoding(), pixels.type()};
  }
  virtual void compute(const ImageView& view, const cv::Mat& pixels, cv::Mat& result) = 0;

  void answer(const ImageView& view) {
    const auto pixels = image_of(view);
    if (!pixels) return refuse(view, pixels.error());
    const auto format = format_of(view, *pixels);
    if (!format) return refuse(view, format.error());
    ImageHeader header = header_like(view);
    header.encoding = format->encoding;
    auto out = loan_image(*publisher_, header, pixels->size(), format->type);
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, words_.name.c_str());
      compute(view, *pixels, out->pixels);
    }
    publisher_->publish(std::move(out->loan));
  }

  void refuse(const ImageView& view, ImageError error) {
    if (told_(error)) {
      report_error("an image on '" + subscription_->get_topic_name() + "' (encoding '" +
                   std::string(view.encoding()) + "') " + words_.refusal + ": " + to_string(error));
    }
  }

  FilterWords words_;
  ToldOnce<ImageError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::shared_ptr<Subscription<sensor_msgs::msg::Image>> subscription_;
};

}  // namespace ligament::nodes::image
