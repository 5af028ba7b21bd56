// SPDX-License-Identifier: Apache-2.0
// Lane Planner on the CPU: which pixels are yellow or white paint (kernels/stripes.hpp), and these
// classes as seen from above.
#include "kernels/stripes.hpp"
#include "parts/ground_node.hpp"

namespace ligament::nodes::driving {

class LanePlanner : public GroundNode {
 public:
  explicit LanePlanner(const NodeOptions& options)
      : GroundNode(options, {"lane_planner", "lane_mask"}), colours_(stripe_colours(*this)) {
    start();
  }

 private:
  Format format_of(const ImageView& /*image*/) override { return {"mono8", CV_8UC1}; }

  void compute(const Picture& picture, cv::Mat& result) override {
    classes_.create(picture.pixels.size(), CV_8UC1);
    const auto width = static_cast<std::size_t>(classes_.cols);
    for (int row = 0; row < classes_.rows; ++row) {
      classify(colours_, picture.order, picture.pixels.ptr<std::uint8_t>(row),
               {classes_.ptr<std::uint8_t>(row), width});
    }
    view().warp_nearest(classes_, result);
  }

  StripeColours colours_;
  cv::Mat classes_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::LanePlanner)
