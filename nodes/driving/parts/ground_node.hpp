// SPDX-License-Identifier: Apache-2.0
/// \file A node that answers each picture with the ground as it is seen from above.
///
///   class Projection : public GroundNode {
///    public:
///     explicit Projection(const NodeOptions& options)
///         : GroundNode(options, {"image_projection", "image_projected"}) { start(); }
///    private:
///     void compute(const Picture&, cv::Mat& result) override { ... view().warp(...); }
///   };
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class GroundNode : public Node {
 protected:
  struct Words {
    std::string name;
    std::string output;
  };
  struct Format {
    std::string_view encoding;
    int type;  ///< of its cv::Mat
  };

  GroundNode(const NodeOptions& options, Words words)
      : Node(words.name, options),
        words_(std::move(words)),
        camera_(mounted_camera(*this)),
        rectangle_(ground_rectangle(*this)) {
    image::apply_threads_parameter(*this);
  }

  /// The last that a constructor does: images may come from then on.
  void start() {
    if (!errors().empty() || !lay_out({camera_.width, camera_.height})) return;
    publisher_ = create_publisher<Image>(words_.output, QoS(5));
    input_.emplace(*this, "image", [this](const ImageView& image, const Picture& picture) {
      answer(image, picture);
    });
  }
  [[nodiscard]] const GroundView& view() const { return *view_; }

 private:
  virtual Format format_of(const ImageView& image) { return {image.encoding(), CV_8UC3}; }
  virtual void compute(const Picture& picture, cv::Mat& result) = 0;

  /// The map belongs to a size of picture: it is made anew when that changes.
  bool lay_out(cv::Size size) {
    if (view_ && view_->picture_size() == size) return true;
    MountedCamera camera = camera_;
    camera.width = size.width;
    camera.height = size.height;
    auto made = GroundView::create(camera, rectangle_);
    if (!made) {
      report_error("the ground cannot be shown: " + made.error());
      return false;
    }
    view_ = *std::move(made);
    return true;
  }

  void answer(const ImageView& image, const Picture& picture) {
    if (!lay_out(picture.pixels.size())) return;
    const Format format = format_of(image);
    image::ImageHeader header = image::header_like(image);
    header.encoding = format.encoding;
    auto out = image::loan_image(*publisher_, header, view_->size(), format.type);
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, words_.name.c_str());
      compute(picture, out->pixels);
    }
    publisher_->publish(std::move(out->loan));
  }

  Words words_;
  MountedCamera camera_;
  GroundRectangle rectangle_;
  std::optional<GroundView> view_;
  std::shared_ptr<Publisher<Image>> publisher_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving
