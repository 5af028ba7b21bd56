// SPDX-License-Identifier: Apache-2.0
// Lane Following on the CPU: the lane's middle in a band of rows, kernels/lane_centre.hpp.
#include "kernels/lane_centre.hpp"
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
        look_ahead_q32_(to_fixed(image::double_parameter(*this, "look_ahead", 0.23, {0.01, 100, 0}), 32)),
        band_q32_(to_fixed(image::double_parameter(*this, "band", 0.06, {0.001, 100, 0}), 32)) {
    if (errors().empty() && !is_in_view()) {
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
  /// What depends on the picture's size.
  struct Search {
    cv::Size size;
    GroundScale scale;
    LaneFinder finder;
    int first_row;
    int last_row;  ///< one behind
    std::vector<std::uint8_t> classes;
  };

  [[nodiscard]] bool is_in_view() const {
    return twice_near() >= 2 * to_fixed(edges_.near_edge, 32) &&
           twice_far() <= 2 * to_fixed(edges_.far_edge, 32);
  }

  /// Twice the distance of the band's edges, Q32 m.
  [[nodiscard]] std::int64_t twice_near() const { return 2 * look_ahead_q32_ - band_q32_; }
  [[nodiscard]] std::int64_t twice_far() const { return 2 * look_ahead_q32_ + band_q32_; }

  Search& search_in(cv::Size size) {
    if (search_ && search_->size == size) return *search_;
    GroundRectangle rectangle = edges_;
    rectangle.columns = size.width;
    rectangle.rows = size.height;
    const GroundScale scale(rectangle);
    const int first = std::max(0, scale.row_of(twice_far()));
    const int last = std::clamp(scale.row_of(twice_near()), first + 1, size.height);
    return search_.emplace(Search{size, scale, LaneFinder(lane_shape(metres_, scale), size.width),
                                  first, last,
                                  std::vector<std::uint8_t>(static_cast<std::size_t>(size.width))});
  }

  void answer(const ImageView& view, const Picture& picture) {
    Search& search = search_in(picture.pixels.size());
    std::optional<GroundPoint> middle;
    {
      const trace::Span span(*this, "lane_following");
      middle = find(search, picture);
    }
    if (middle) {
      publish_lane(*publisher_, image::stamp_of(view), {&*middle, 1});
    } else {
      publish_lane(*publisher_, image::stamp_of(view), {});
    }
  }

  std::optional<GroundPoint> find(Search& search, const Picture& picture) const {
    search.finder.begin(search.last_row - search.first_row);
    for (int row = search.first_row; row < search.last_row; ++row) {
      classify(colours_, picture.order, picture.pixels.ptr<std::uint8_t>(row), search.classes);
      search.finder.add_row(search.classes);
    }
    const auto centre = search.finder.finish();
    if (!centre) return std::nullopt;
    const std::int64_t twice_row = search.first_row + search.last_row - 1;
    return search.scale.point(centre->column_q8 * 256, twice_row << 15);
  }

  GroundRectangle edges_;
  LaneMetres metres_;
  StripeColours colours_;
  std::int64_t look_ahead_q32_;
  std::int64_t band_q32_;
  std::optional<Search> search_;
  std::shared_ptr<Publisher<PolygonStamped>> publisher_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::LaneFollowing)
