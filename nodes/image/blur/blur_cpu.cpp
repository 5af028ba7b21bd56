// SPDX-License-Identifier: Apache-2.0
// The blur node on the CPU: cv::GaussianBlur.
#include <opencv2/imgproc.hpp>

#include "common/image_filter.hpp"

namespace ligament::nodes::image {

class Blur : public ImageFilter {
 public:
  explicit Blur(const NodeOptions& options)
      : ImageFilter(options, {"blur", "image_blurred", "cannot be smoothed"}),
        size_(static_cast<int>(integer_parameter(*this, "size", 5, {3, 7, 2}))) {
    start();
  }

 private:
  void compute(const ImageView& /*view*/, const cv::Mat& pixels, cv::Mat& result) override {
    cv::GaussianBlur(pixels, result, {size_, size_}, 0);
  }

  int size_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Blur)
