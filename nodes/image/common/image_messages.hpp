// SPDX-License-Identifier: Apache-2.0
/// \file Images in messages, as cv::Mat headers over the message's own bytes: nothing is copied.
///
///   const auto raw = image_of(sample.view());
///   auto out = loan_image(*publisher, sample.view(), size, raw->type());
///   cv::resize(*raw, out->pixels, size);
///   publisher->publish(std::move(out->loan));
#pragma once

#include <ligament/publisher.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <optional>

#include "common/image_format.hpp"

namespace ligament::nodes::image {

[[nodiscard]] inline expected<cv::Mat, ImageError> image_of(
    const sensor_msgs::msg::ImageView& view) {
  return image_over(
      {view.height(), view.width(), view.step(), view.encoding(), view.is_bigendian() != 0},
      view.data());
}

/// Nanoseconds of a header's stamp.
template <typename ViewT>
[[nodiscard]] std::int64_t stamp_of(const ViewT& view) {
  return std::int64_t{view.header().stamp().sec()} * 1'000'000'000 +
         view.header().stamp().nanosec();
}

template <typename BuilderT>
void set_stamp(BuilderT& builder, std::int64_t stamp_ns) {
  builder.header().stamp().set_sec(static_cast<std::int32_t>(stamp_ns / 1'000'000'000));
  builder.header().stamp().set_nanosec(static_cast<std::uint32_t>(stamp_ns % 1'000'000'000));
}

struct OutgoingImage {
  LoanedMessage<sensor_msgs::msg::Image> loan;
  cv::Mat pixels;  ///< over the loan's data, tightly packed
};

/// What an image message needs besides its pixels.
struct ImageHeader {
  std::int64_t stamp_ns = 0;
  std::string_view frame_id;
  std::string_view encoding;
};

/// Memory for an image, all fields but the pixels filled in. Nothing, where no memory was lent
/// (which the publisher has counted and reported).
[[nodiscard]] inline std::optional<OutgoingImage> loan_image(
    Publisher<sensor_msgs::msg::Image>& publisher, const ImageHeader& header, cv::Size size,
    int cv_type) {
  const std::size_t step = static_cast<std::size_t>(size.width) * pixel_bytes(cv_type);
  sensor_msgs::msg::ImageShape shape;
  shape.header.frame_id = header.frame_id.size();
  shape.encoding = header.encoding.size();
  shape.data = step * static_cast<std::size_t>(size.height);
  auto loan = publisher.borrow_loaned_message(shape);
  if (!loan) return std::nullopt;
  auto& image = loan->get();
  set_stamp(image, header.stamp_ns);
  image.header().set_frame_id(header.frame_id);
  image.set_height(static_cast<std::uint32_t>(size.height));
  image.set_width(static_cast<std::uint32_t>(size.width));
  image.set_encoding(header.encoding);
  image.set_is_bigendian(0);
  image.set_step(static_cast<std::uint32_t>(step));
  auto pixels = image_into(size, cv_type, image.data());
  if (!pixels) return std::nullopt;
  return OutgoingImage{std::move(*loan), *pixels};
}

/// The header of an image made from another.
[[nodiscard]] inline ImageHeader header_like(const sensor_msgs::msg::ImageView& view) {
  return {stamp_of(view), view.header().frame_id(), view.encoding()};
}

}  // namespace ligament::nodes::image
