// SPDX-License-Identifier: Apache-2.0
// Image Compensation on the CPU: kernels/compensation.hpp from the sample's bytes into the loan's.
#include "kernels/compensation.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class Compensation : public Node {
 public:
  explicit Compensation(const NodeOptions& options) : Node("image_compensation", options) {
    options_.clip_permille = static_cast<std::uint32_t>(int_parameter(
        *this, "clip_permille", static_cast<std::int64_t>(options_.clip_permille), 0, 499));
    options_.minimum_spread =
        int_parameter(*this, "minimum_spread", options_.minimum_spread, 1, 256);
    image::apply_threads_parameter(*this);
    publisher_ = create_publisher<Image>("image_compensated", QoS(5));
    input_.emplace(*this, "image", [this](const ImageView& view, const Picture& picture) {
      answer(view, picture);
    });
  }

 private:
  void answer(const ImageView& view, const Picture& picture) {
    auto out = image::loan_image(*publisher_, image::header_like(view), picture.pixels.size(),
                                 picture.pixels.type());
    if (!out) return;  // counted and reported by the publisher
    {
      const trace::Span span(*this, "image_compensation");
      compensate(picture.pixels, picture.order, options_, out->pixels);
    }
    publisher_->publish(std::move(out->loan));
  }

  CompensationOptions options_;
  std::shared_ptr<Publisher<Image>> publisher_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::Compensation)
