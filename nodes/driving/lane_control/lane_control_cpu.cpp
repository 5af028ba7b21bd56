// SPDX-License-Identifier: Apache-2.0
// Lane Control on the CPU: drive commands from the lane and the light, kernels/drive.hpp.
#include <deque>
#include <ligament/geometry_msgs/msg/twist.hpp>
#include <ligament/ligament.hpp>

#include "kernels/drive.hpp"
#include "parts/lane_message.hpp"
#include "parts/light_message.hpp"
#include "parts/parameters.hpp"

namespace ligament::nodes::driving {

class LaneControl : public Node {
 public:
  explicit LaneControl(const NodeOptions& options)
      : Node("lane_control", options), drive_(declared()) {
    const auto period_ms = image::integer_parameter(*this, "watchdog_period_ms", 50, {1, 1000, 1});
    if (!errors().empty()) return;
    publisher_ = create_publisher<Twist>("cmd_vel", QoS(10));
    lane_ = create_subscription<
        PolygonStamped>("lane", QoS(5), [this](const Sample<PolygonStamped>& lane) {
      on_lane(lane.view(), {lane.info().publisher_id(), lane.info().publication_sequence_number()});
    });
    red_ = light("red", Light::red);
    green_ = light("green", Light::green);
    timer_ = create_timer(std::chrono::milliseconds(period_ms), [this] {
      if (const auto command = drive_.on_tick(now().nanoseconds())) publish(*command);
    });
  }

 private:
  using Twist = geometry_msgs::msg::Twist;
  /// A frame's lane, which waits for what the detectors say of the frames before.
  struct Lane {
    std::int64_t stamp_ns;
    trace::MessageIdentity message;  ///< so that its command is known as its answer
    std::vector<GroundPoint> points;
  };
  static constexpr std::size_t kMostWaiting = 8;

  [[nodiscard]] std::int64_t fixed_parameter(const std::string& name, std::int64_t value,
                                             double to) {
    return to_fixed(image::double_parameter(*this, name, from_fixed(value), {0, to, 0}));
  }
  DriveOptions declared() {
    DriveOptions o;
    o.cruise = fixed_parameter("cruise", o.cruise, 10);
    o.look_ahead = fixed_parameter("look_ahead", o.look_ahead, 10);
    o.slow_in_curves = fixed_parameter("slow_in_curves", o.slow_in_curves, 10);
    o.acceleration = fixed_parameter("acceleration", o.acceleration, 100);
    o.deceleration = fixed_parameter("deceleration", o.deceleration, 100);
    o.turn_limit = fixed_parameter("turn_limit", o.turn_limit, 100);
    constexpr std::int64_t kMillisecond = 1'000'000;
    o.slow_after_ns =
        kMillisecond * image::integer_parameter(*this, "slow_after_ms",
                                                o.slow_after_ns / kMillisecond, {1, 60'000, 1});
    o.stop_after_ns =
        kMillisecond * image::integer_parameter(*this, "stop_after_ms",
                                                o.stop_after_ns / kMillisecond, {1, 60'000, 1});
    o.light_delay_ns =
        kMillisecond * image::integer_parameter(*this, "light_delay_ms",
                                                o.light_delay_ns / kMillisecond, {0, 60'000, 1});
    if (errors().empty() && o.stop_after_ns <= o.slow_after_ns) {
      report_error("`stop_after_ms` must be longer than `slow_after_ms`");
    }
    return o;
  }

  std::shared_ptr<Subscription<PointStamped>> light(const std::string& topic, Light which) {
    SubscriptionOptions options;
    options.event_callbacks.liveliness_callback = [this,
                                                   which](const QOSLivelinessChangedInfo& info) {
      if (info.alive_count_change < 0) drive_.on_light_gone(which);
      if (which == Light::red) on_detectors(info.alive_count);
      answer();
    };
    return create_subscription<PointStamped>(
        topic, light_qos(),
        [this, which](const Sample<PointStamped>& message) {
          const std::int64_t stamp_ns = image::stamp_of(message.view());
          if (says_light(message.view())) {
            drive_.on_light(which, stamp_ns);
          } else {
            drive_.on_light_done(which, stamp_ns);
          }
          answer();
        },
        options);
  }

  /// A graph may have no detector of red lights at all: only one that has gone is missed.
  void on_detectors(std::uint64_t alive) {
    const bool gone = alive == 0 && was_watched_;
    was_watched_ = was_watched_ || alive > 0;
    if (std::exchange(is_blind_, gone) == gone) return;
    drive_.on_detector(!gone);
    if (gone) {
      LIGAMENT_WARN(get_logger(),
                    "nobody looks for red lights any more (liveliness of '{}' lost): "
                    "stopping until somebody does",
                    red_->get_topic_name());
    } else {
      LIGAMENT_INFO(get_logger(), "somebody looks for red lights again: driving");
    }
  }

  void on_lane(const PolygonStampedView& view, const trace::MessageIdentity& message) {
    Lane lane{image::stamp_of(view), message, {}};
    if (!read_lane(view, lane.points)) {
      if (!std::exchange(told_, true)) {
        report_error("a lane on '" + lane_->get_topic_name() +
                     "' has a point that is no number or over 1000 m away; it counts as none seen");
      }
      lane.points.clear();
    }
    std::erase_if(waiting_, [&](const Lane& waiting) {
      return begins_anew(waiting.stamp_ns, lane.stamp_ns);
    });
    waiting_.push_back(std::move(lane));
    if (waiting_.size() > kMostWaiting) drop_first();
    answer();
  }

  /// Answers the frames for which all is known that counts. Where a detector hangs, none is: then
  /// the watchdog stops the robot.
  void answer() {
    while (!waiting_.empty() && drive_.is_due(waiting_.front().stamp_ns)) {
      const Lane lane = std::move(waiting_.front());
      waiting_.pop_front();
      answer(lane);
    }
  }

  void answer(const Lane& lane) {
    std::optional<Command> command;
    {
      const trace::Span span(*this, "lane_control", trace::Category::compute, lane.message);
      command = drive_.on_lane(lane.stamp_ns, now().nanoseconds(), lane.points);
    }
    if (command) publish(*command);
    if (drive_.is_red() == was_red_) return;
    was_red_ = drive_.is_red();
    LIGAMENT_INFO(get_logger(), "{}", was_red_ ? "red: stopping" : "green: driving");
  }

  void drop_first() {
    waiting_.pop_front();
    if (dropped_++ > 0) return;
    LIGAMENT_WARN(get_logger(),
                  "the detectors of '{}' and '{}' are over {} frames behind the lane: frames are "
                  "left out, without a command; give the detectors more time, or fewer frames",
                  red_->get_topic_name(), green_->get_topic_name(), kMostWaiting);
  }

  void publish(const Command& command) {
    auto loan = publisher_->borrow_loaned_message({});
    if (!loan) return;  // counted and reported by the publisher
    loan->get().linear().set_x(from_fixed(command.speed));
    loan->get().angular().set_z(from_fixed(command.turn));
    publisher_->publish(std::move(*loan));
  }

  Drive drive_;
  bool was_red_ = false;
  bool was_watched_ = false;
  bool is_blind_ = false;
  bool told_ = false;
  std::deque<Lane> waiting_;  ///< the oldest first
  std::uint64_t dropped_ = 0;
  std::shared_ptr<Publisher<Twist>> publisher_;
  std::shared_ptr<Subscription<PolygonStamped>> lane_;
  std::shared_ptr<Subscription<PointStamped>> red_;
  std::shared_ptr<Subscription<PointStamped>> green_;
  std::shared_ptr<TimerBase> timer_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::LaneControl)
