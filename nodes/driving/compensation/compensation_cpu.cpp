// SPDX-License-Identifier: Apache-2.0
// Image Compensation on the CPU: kernels/compensation.hpp from the sample's bytes into the loan's.
#include "common/image_filter.hpp"
#include "kernels/compensation.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class Compensation : public image::ImageFilter {
 public:
  explicit Compensation(const NodeOptions& options)
      : ImageFilter(options, {"image_compensation", "image_compensated",
                              "has no brightness to compensate (use rgb8 or bgr8)"}) {
    options_.clip_permille = static_cast<std::uint32_t>(int_parameter(
        *this, "clip_permille", static_cast<std::int64_t>(options_.clip_permille), 0, 499));
    options_.minimum_spread =
        int_parameter(*this, "minimum_spread", options_.minimum_spread, 1, 256);
    start();
  }

 private:
  expected<Format, image::ImageError> format_of(const ImageView& view,
                                                const cv::Mat& pixels) override {
    if (!picture_of(view)) return unexpected(image::ImageError::unknown_encoding);
    return Format{view.encoding(), pixels.type()};
  }

  void compute(const ImageView& view, const cv::Mat& pixels, cv::Mat& result) override {
    const auto order = view.encoding() == "rgb8" ? ColourOrder::rgb : ColourOrder::bgr;
    compensate(pixels, order, options_, result);
  }

  CompensationOptions options_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::Compensation)
