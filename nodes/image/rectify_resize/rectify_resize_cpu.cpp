// SPDX-License-Identifier: Apache-2.0
// Rectify and resize fused by hand: the rectified image goes into a private buffer that stays in
// the cache, not into a message. Same kernels with the same arguments, so the output is
// bit-identical with that of the two nodes.
#include <ligament/ligament.hpp>

#include "rectify/rectify_input.hpp"
#include "resize/resize_parts.hpp"

namespace ligament::nodes::image {

class RectifyResize : public Node {
 public:
  explicit RectifyResize(const NodeOptions& options)
      : Node("rectify_resize", options),
        interpolation_(rectify_interpolation(*this)),
        request_(resize_parameters(*this, "resize_interpolation")),
        resized_info_(request_) {
    apply_threads_parameter(*this);
    image_publisher_ = create_publisher<sensor_msgs::msg::Image>("resize/image_raw", QoS(5));
    info_publisher_ = create_publisher<sensor_msgs::msg::CameraInfo>("resize/camera_info", QoS(5));
    input_.emplace(
        *this, [this](const RectifyInput::Work& work) { process(work); },
        [this](const sensor_msgs::msg::CameraInfoView& info) {
          const Calibration* resized = resized_info_.of(info);
          if (resized != nullptr) publish_resized_info(*info_publisher_, info, *resized);
        });
  }

 private:
  void process(const RectifyInput::Work& work) {
    if (auto checked = check_rectify(work); !checked) {
      if (told_rectify_(checked.error())) {
        report_error(rectify_sentence(checked.error(), *input_, work));
      }
      return;
    }
    const auto size = resized_size(request_, work.pixels.size());
    if (!size) {
      if (told_resize_(size.error())) {
        report_error(std::string("an image cannot be resized: ") + to_string(size.error()));
      }
      return;
    }
    auto out = loan_image(*image_publisher_, header_like(work.message), *size, work.pixels.type());
    if (!out) return;  // counted and reported by the publisher
    resize(rectified(work), out->pixels);
    image_publisher_->publish(std::move(out->loan));
  }

  const cv::Mat& rectified(const RectifyInput::Work& work) {
    if (!has_distortion(work.lens.calibration)) return work.pixels;
    rectified_.create(work.pixels.size(), work.pixels.type());  // allocates when those change
    const trace::Span span(*this, "remap");
    (void)work.lens.map->remap(work.pixels, rectified_, interpolation_);  // checked before
    return rectified_;
  }

  void resize(const cv::Mat& image, cv::Mat& resized) {
    const trace::Span span(*this, "resize");
    (void)resize_into(image, resized, request_);  // size and type are as it wants them
  }

  int interpolation_;
  ResizeRequest request_;
  ResizedInfo resized_info_;
  cv::Mat rectified_;
  ToldOnce<RectifyError> told_rectify_;
  ToldOnce<ResizeError> told_resize_;
  std::shared_ptr<Publisher<sensor_msgs::msg::Image>> image_publisher_;
  std::shared_ptr<Publisher<sensor_msgs::msg::CameraInfo>> info_publisher_;
  std::optional<RectifyInput> input_;
};

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::RectifyResize)
