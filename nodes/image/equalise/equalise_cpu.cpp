// SPDX-License-Identifier: Apache-2.0
// The node for histogram compensation on the CPU: cv::equalizeHist.
#include <opencv2/imgproc.hpp>

#include "common/image_filter.hpp"

namespace ligament::nodes::image {

class Equalise : public ImageFilter {
 public:
  explicit Equalise(const NodeOptions& options)
      : ImageFilter(options,
                    {"equalise", "image_equalised", "has no histogram of one channel of 8 bits"}) {
    start();
  }

 private:
  expected<Format, ImageError> format_of(const ImageView& view, const cv::Mat& pixels) override {
    if (pixels.type() != CV_8UC1) return unexpected(ImageError::unknown_encoding);
    return Format{view.encoding(), CV_8UC1};
  }

  void compute(const ImageView& /*view*/, const cv::Mat& pixels, cv::Mat& result) override {
    cv::equalizeHist(pixels, result);
  }
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Equalise)
