// SPDX-License-Identifier: Apache-2.0
// The convert node on the CPU: cv::cvtColor.
#include "common/image_filter.hpp"

namespace ligament::nodes::image {

class Convert : public ImageFilter {
 public:
  explicit Convert(const NodeOptions& options)
      : ImageFilter(options, {"convert", "image_converted", "cannot be converted"}),
        encoding_(choice_parameter(*this, "encoding", {"mono8", "rgb8", "bgr8", "rgba8", "bgra8"})),
        type_(*cv_type_of(encoding_)) {
    start();
  }

 private:
  expected<Format, ImageError> format_of(const ImageView& view,
                                         const cv::Mat& /*pixels*/) override {
    if (!can_convert(view.encoding(), encoding_)) {
      return unexpected(ImageError::conversion_unknown);
    }
    return Format{encoding_, type_};
  }

  void compute(const ImageView& view, const cv::Mat& pixels, cv::Mat& result) override {
    (void)convert_into(pixels, view.encoding(), encoding_, result);  // checked before
  }

  std::string encoding_;
  int type_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Convert)
