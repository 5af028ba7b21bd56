// SPDX-License-Identifier: Apache-2.0
// The threshold node on the CPU: cv::threshold.
#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "common/image_filter.hpp"

namespace ligament::nodes::image {

/// In the order of cv::ThresholdTypes.
inline const std::vector<std::string> threshold_types{"binary", "binary_inverted", "truncate",
                                                      "to_zero", "to_zero_inverted"};

class Threshold : public ImageFilter {
 public:
  explicit Threshold(const NodeOptions& options)
      : ImageFilter(options, {"threshold", "image_thresholded",
                              "cannot be compared with a level of 8 bits"}),
        level_(static_cast<double>(integer_parameter(*this, "threshold", 127, {0, 255, 1}))),
        maximum_(static_cast<double>(integer_parameter(*this, "maximum", 255, {0, 255, 1}))) {
    const std::string type = choice_parameter(*this, "type", threshold_types);
    type_ = static_cast<int>(std::find(threshold_types.begin(), threshold_types.end(), type) -
                             threshold_types.begin());
    start();
  }

 private:
  expected<Format, ImageError> format_of(const ImageView& view, const cv::Mat& pixels) override {
    if (pixels.depth() != CV_8U) return unexpected(ImageError::unknown_encoding);
    return Format{view.encoding(), pixels.type()};
  }

  void compute(const ImageView& /*view*/, const cv::Mat& pixels, cv::Mat& result) override {
    cv::threshold(pixels, result, level_, maximum_, type_);
  }

  double level_;
  double maximum_;
  int type_ = 0;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Threshold)
