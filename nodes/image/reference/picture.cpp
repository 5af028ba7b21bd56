// SPDX-License-Identifier: Apache-2.0
#include "reference/picture.hpp"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace ligament::nodes::image {

cv::Mat side_by_side(const std::vector<Panel>& panels) {
  constexpr int kMargin = 12;
  constexpr int kLabel = 28;
  int width = kMargin;
  int height = 0;
  for (const Panel& panel : panels) {
    width += panel.image.cols + kMargin;
    height = std::max(height, panel.image.rows);
  }
  cv::Mat picture(height + kLabel + 2 * kMargin, width, CV_8UC3, cv::Scalar::all(255));
  int left = kMargin;
  for (const Panel& panel : panels) {
    cv::putText(picture, panel.label, {left, kLabel}, cv::FONT_HERSHEY_SIMPLEX, 0.6,
                cv::Scalar::all(32), 1, cv::LINE_AA);
    const cv::Rect place(left, kLabel + kMargin, panel.image.cols, panel.image.rows);
    panel.image.copyTo(picture(place));
    left += panel.image.cols + kMargin;
  }
  return picture;
}

}  // namespace ligament::nodes::image
