// SPDX-License-Identifier: Apache-2.0
// The rectify node on the CPU: cv::remap from the sample's bytes straight into the loan's bytes.
// Topics, parameters and behaviour follow image_pipeline's RectifyNode.
#include <ligament/ligament.hpp>

#include "rectify/rectify_input.hpp"

namespace ligament::nodes::image {

class Rectify : public Node {
 public:
  explicit Rectify(const NodeOptions& options)
      : Node("rectify", options), interpolation_(rectify_interpolation(*this)) {
    apply_threads_parameter(*this);
    publisher_ = create_publisher<sensor_msgs::msg::Image>("image_rect", QoS(5));
    input_.emplace(*this, [this](const RectifyInput::Work& work) { rectify(work); });
  }

 private:
  void rectify(const RectifyInput::Work& work) {
    if (auto checked = check_rectify(work); !checked) {
      if (told_(checked.error())) report_error(rectify_sentence(checked.error(), *input_, work));
      return;
    }
    auto out =
        loan_image(*publisher_, header_like(work.message), work.pixels.size(), work.pixels.type());
    if (!out) return;  // counted and reported by the publisher
    if (has_distortion(work.lens.calibration)) {
      const trace::Span span(*this, "remap");
      (void)work.lens.map->remap(work.pixels, out->pixels, interpolation_);  // checked above
    } else {
      const trace::Span span(*this, "pass on", trace::Category::copy);
      work.pixels.copyTo(out->pixels);
    }
    publisher_->publish(std::move(out->loan));
  }

  int interpolation_;
  ToldOnce<RectifyError> told_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> publisher_;
  std::optional<RectifyInput> input_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Rectify)
