// SPDX-License-Identifier: Apache-2.0
/// \file The picture that shows what the perception graph does.
#pragma once

#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

namespace ligament::nodes::image {

struct Panel {
  std::string label;
  cv::Mat image;  ///< bgr8
};

/// The panels side by side at their own sizes, each under its label.
[[nodiscard]] cv::Mat side_by_side(const std::vector<Panel>& panels);

}  // namespace ligament::nodes::image
