// SPDX-License-Identifier: Apache-2.0
/// \file The two traffic light detectors: a colour, and who begins (kernels/light_watch.hpp).
///
/// An event is the place of the disc in the picture: its centre in pixels, `z` its radius, with the
/// stamp of the frame. Each frame's last message says that the detector is done with it: the event
/// of that frame, or `z` = -1.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/light.hpp"
#include "kernels/light_watch.hpp"
#include "parts/light_message.hpp"
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
    publisher_ = create_publisher<PointStamped>(kind.own, light_qos());
    SubscriptionOptions options_of_other;
    options_of_other.event_callbacks.liveliness_callback =
        [this](const QOSLivelinessChangedInfo& info) {
          if (info.alive_count_change < 0) watch_->on_other_gone();
          look();
        };
    other_ = create_subscription<PointStamped>(
        kind.other, light_qos(),
        [this](const Sample<PointStamped>& event) { on_other(event.view()); }, options_of_other);
    input_.emplace(*this, "image", kMostHeld, [this](Sample<Image> sample) {
      const std::int64_t stamp_ns = image::stamp_of(sample.view());
      std::erase_if(held_, [&](const Sample<Image>& held) {
        return begins_anew(image::stamp_of(held.view()), stamp_ns);
      });
      if (held_.size() + 1 == kMostHeld) look_at_first();  // it waits no longer
      held_.push_back(std::move(sample));
      look();
    });
  }

 private:
  /// As many wait as may come while the other is behind, and one is in the callback.
  static constexpr std::size_t kMostHeld = 6;

  void on_other(const PointStampedView& view) {
    const std::int64_t stamp_ns = image::stamp_of(view);
    if (says_light(view)) {
      watch_->on_other(stamp_ns);
    } else {
      watch_->on_other_done(stamp_ns);
    }
    look();
  }

  /// Looks at the frames whose turn it is.
  void look() {
    while (!held_.empty()) {
      const std::int64_t stamp_ns = image::stamp_of(held_.front().view());
      if (const auto lost = watch_->lost_before(stamp_ns)) announce(*lost, std::nullopt);
      if (!watch_->is_due(stamp_ns)) return;
      look_at_first();
    }
  }

  void look_at_first() {
    const Sample<Image> sample = std::move(held_.front());
    held_.pop_front();
    const trace::MessageIdentity message{sample.info().publisher_id(),
                                         sample.info().publication_sequence_number()};
    input_->use(sample.view(), [&](const ImageView& view, const Picture& picture) {
      on_picture(view, picture, message);
    });
  }

  void on_picture(const ImageView& view, const Picture& picture,
                  const trace::MessageIdentity& message) {
    const std::int64_t stamp_ns = image::stamp_of(view);
    const auto event = watch_->on_frame(stamp_ns, [&] {
      const trace::Span span(*this, "find_disc", trace::Category::compute, message);
      const auto disc = find_disc(picture.pixels, picture.order, options_);
      if (!disc) return false;
      disc_ = *disc;
      frame_id_ = view.header().frame_id();
      return true;
    });
    if (event) announce(*event, disc_);
    if (event != stamp_ns) announce(stamp_ns, std::nullopt);
  }

  /// Without a disc: this detector is done with that frame.
  void announce(std::int64_t stamp_ns, const std::optional<Disc>& disc) {
    geometry_msgs::msg::PointStampedShape shape;
    shape.header.frame_id = frame_id_.size();
    auto loan = publisher_->borrow_loaned_message(shape);
    if (!loan) return;  // counted and reported by the publisher
    auto& event = loan->get();
    image::set_stamp(event, stamp_ns);
    event.header().set_frame_id(frame_id_);
    event.point().set_x(disc ? disc->twice_x / 2.0 : 0);
    event.point().set_y(disc ? disc->twice_y / 2.0 : 0);
    event.point().set_z(disc ? disc->four_radii / 4.0 : kNoLight);
    publisher_->publish(std::move(*loan));
  }

  LightOptions options_;
  WatchOptions watch_options_;
  std::optional<LightWatch> watch_;
  Disc disc_;                       ///< the last that was seen
  std::deque<Sample<Image>> held_;  ///< frames that wait for the other detector, the oldest first
  std::string frame_id_;
  std::shared_ptr<Publisher<PointStamped>> publisher_;
  std::shared_ptr<Subscription<PointStamped>> other_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving
