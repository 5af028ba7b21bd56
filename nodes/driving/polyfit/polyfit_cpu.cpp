// SPDX-License-Identifier: Apache-2.0
// Polyfit on the CPU: the lane's middle as points of a least-squares curve, kernels/lane_curve.hpp.
#include "kernels/lane_curve.hpp"
#include "parts/lane_message.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class Polyfit : public Node {
 public:
  explicit Polyfit(const NodeOptions& options)
      : Node("polyfit", options), edges_(ground_edges(*this)), metres_(lane_metres(*this)) {
    points_ = int_parameter(*this, "points", points_, 1, 64);
    if (errors().empty() && edges_.far_edge <= edges_.near_edge) {
      report_error("`far_edge` must be farther ahead than `near_edge`");
    }
    if (!errors().empty()) return;
    publisher_ = create_publisher<PolygonStamped>("lane", QoS(5));
    subscription_ = create_subscription<Image>(
        "image", QoS(5), [this](const Sample<Image>& sample) { answer(sample.view()); });
  }

 private:
  LaneCurveFinder& finder_for(cv::Size size) {
    if (finder_ && size_ == size) return *finder_;
    GroundRectangle rectangle = edges_;
    rectangle.columns = size.width;
    rectangle.rows = size.height;
    size_ = size;
    return finder_.emplace(curve_options(metres_, rectangle, points_), rectangle);
  }

  void answer(const ImageView& view) {
    if (view.encoding() != "mono8") {
      return refuse("it is no mono8 image of stripe classes, as driving/lane_planner sends them");
    }
    const auto classes = image::image_of(view);
    if (!classes) return refuse(to_string(classes.error()));
    LaneCurveFinder& finder = finder_for(classes->size());
    std::span<const GroundPoint> found;
    {
      const trace::Span span(*this, "polyfit");
      found = finder.find(*classes);
    }
    publish_lane(*publisher_, image::stamp_of(view), found);
  }

  void refuse(const std::string& why) {
    if (std::exchange(told_, true)) return;
    report_error("an image on '" + subscription_->get_topic_name() + "' cannot be used: " + why);
  }

  GroundRectangle edges_;
  LaneMetres metres_;
  int points_ = CurveOptions{}.points;
  cv::Size size_;
  bool told_ = false;
  std::optional<LaneCurveFinder> finder_;
  std::shared_ptr<Publisher<PolygonStamped>> publisher_;
  std::shared_ptr<Subscription<Image>> subscription_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::Polyfit)
