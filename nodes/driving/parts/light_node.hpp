// SPDX-License-Identifier: Apache-2.0
/// \file The two traffic light detectors: a colour, and who begins (kernels/light_watch.hpp).
///
/// An event is the place of the disc in the picture: its centre in pixels, `z` its radius, with the
/// stamp of the frame.
#pragma once

#include <ligament/geometry_msgs/msg/point_stamped.hpp>
#include <memory>
#include <optional>
#include <string>

#include "kernels/light.hpp"
#include "kernels/light_watch.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

/// What makes a detector the red or the green one.
struct LightKind {
  std::string name;
  std::string own;    ///< port of its events
  std::string other;  ///< port of the other's
  ColourRange colour;
  int diameter_from;  ///< pixels
  bool begins;
};

class LightNode : public Node {
 protected:
  using PointStamped = geometry_msgs::msg::PointStamped;

  LightNode(const NodeOptions& options, const LightKind& kind) : Node(kind.name, options) {
    options_.colour = colour_range(*this, "", kind.colour);
    options_.diameter_from = kind.diameter_from;
    options_.rows_permille = int_parameter(*this, "rows_permille", options_.rows_permille, 1, 1000);
    options_.diameter_from = int_parameter(*this, "diameter_from", options_.diameter_from, 2, 4096);
    options_.diameter_to = int_parameter(*this, "diameter_to", options_.diameter_to, 2, 4096);
    watch_options_.begins = kind.begins;
    watch_options_.confirm = int_parameter(*this, "confirm", watch_options_.confirm, 1, 8);
    if (kind.begins) {
      ParameterDescriptor fixed;
      fixed.read_only = true;
      watch_options_.alternates = declare_parameter<bool>("alternates", false, fixed);
    }
    watch_options_.repeats = kind.begins;
    image::apply_threads_parameter(*this);
    if (!errors().empty()) return;
    watch_.emplace(watch_options_);
    publisher_ = create_publisher<PointStamped>(kind.own, QoS(5));
    other_ = create_subscription<PointStamped>(
        kind.other, QoS(5), [this](const Sample<PointStamped>& event) {
          if (const auto again = watch_->on_other(image::stamp_of(event.view()))) announce(*again);
        });
    input_.emplace(*this, "image", [this](const ImageView& view, const Picture& picture) {
      on_picture(view, picture);
    });
  }

 private:
  void on_picture(const ImageView& view, const Picture& picture) {
    const auto event = watch_->on_frame(image::stamp_of(view), [&] {
      const trace::Span span(*this, "find_disc");
      const auto disc = find_disc(picture.pixels, picture.order, options_);
      if (!disc) return false;
      disc_ = *disc;
      frame_id_ = view.header().frame_id();
      return true;
    });
    if (event) announce(*event);
  }

  void announce(std::int64_t stamp_ns) {
    geometry_msgs::msg::PointStampedShape shape;
    shape.header.frame_id = frame_id_.size();
    auto loan = publisher_->borrow_loaned_message(shape);
    if (!loan) return;  // counted and reported by the publisher
    auto& event = loan->get();
    image::set_stamp(event, stamp_ns);
    event.header().set_frame_id(frame_id_);
    event.point().set_x(disc_.twice_x / 2.0);
    event.point().set_y(disc_.twice_y / 2.0);
    event.point().set_z(disc_.four_radii / 4.0);
    publisher_->publish(std::move(*loan));
  }

  LightOptions options_;
  WatchOptions watch_options_;
  std::optional<LightWatch> watch_;
  Disc disc_;  ///< the last that was seen
  std::string frame_id_;
  std::shared_ptr<Publisher<PointStamped>> publisher_;
  std::shared_ptr<Subscription<PointStamped>> other_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving
