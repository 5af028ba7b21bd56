// SPDX-License-Identifier: Apache-2.0
// Lane Following on the CPU: the lane's middle in a band of rows, kernels/lane_search.hpp.
#include "kernels/lane_search.hpp"
#include "parts/lane_message.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class LaneFollowing : public Node {
 public:
  explicit LaneFollowing(const NodeOptions& options)
      : Node("lane_following", options),
        edges_(ground_edges(*this)),
        metres_(lane_metres(*this)),
        colours_(stripe_colours(*this)),
        band_(image::double_parameter(*this, "look_ahead", 0.23, {0.01, 100, 0}),
              image::double_parameter(*this, "band", 0.06, {0.001, 100, 0})) {
    if (errors().empty() && !band_.lies_in(edges_)) {
      report_error(
          "the band of `band` m at `look_ahead` m lies outside of `near_edge` ... "
          "`far_edge`; move it");
    }
    if (!errors().empty()) return;
    publisher_ = create_publisher<PolygonStamped>("lane", QoS(5));
    input_.emplace(*this, "image", [this](const ImageView& view, const Picture& picture) {
      answer(view, picture);
    });
  }

 private:
  LaneSearch& search_in(cv::Size size) {
    if (search_ && search_->size() == size) return *search_;
    GroundRectangle rectangle = edges_;
    rectangle.columns = size.width;
    rectangle.rows = size.height;
    return search_.emplace(rectangle, metres_, band_);
  }

  void answer(const ImageView& view, const Picture& picture) {
    LaneSearch& search = search_in(picture.pixels.size());
    std::optional<GroundPoint> middle;
    {
      const trace::Span span(*this, "lane_following");
      middle = search.find(picture.pixels, picture.order, colours_);
    }
    if (middle) {
      publish_lane(*publisher_, image::stamp_of(view), {&*middle, 1});
    } else {
      publish_lane(*publisher_, image::stamp_of(view), {});
    }
  }

  GroundRectangle edges_;
  LaneMetres metres_;
  StripeColours colours_;
  LaneBand band_;
  std::optional<LaneSearch> search_;
  std::shared_ptr<Publisher<PolygonStamped>> publisher_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::LaneFollowing)
