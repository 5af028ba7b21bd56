// SPDX-License-Identifier: Apache-2.0
// Image Projection on the CPU: one cv::remap with the map of kernels/ground_view.hpp, which warps
// and resizes at once, so that each pixel is interpolated once.
#include "parts/ground_node.hpp"

namespace ligament::nodes::driving {

class Projection : public GroundNode {
 public:
  explicit Projection(const NodeOptions& options)
      : GroundNode(options, {"image_projection", "image_projected"}) {
    start();
  }

 private:
  void compute(const Picture& picture, cv::Mat& result) override {
    view().warp(picture.pixels, result);
  }
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::Projection)
