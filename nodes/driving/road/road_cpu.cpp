// SPDX-License-Identifier: Apache-2.0
// A road without a simulator: draws what the camera of a robot on the lane sees, and moves the
// robot as the commands say; or stands still. All drawing is kernels/road_scene.hpp.
//
// With `lock_step` the next frame is drawn when the command for the last one came, or for that
// which is `in_flight` frames before it: then time is the frames' own, and each run is equal. Else
// frames come at `rate_hz` of the node's clock.
#include <ligament/geometry_msgs/msg/twist.hpp>
#include <ligament/ligament.hpp>
#include <ligament/rosgraph_msgs/msg/clock.hpp>

#include "kernels/road_scene.hpp"
#include "parts/parameters.hpp"
#include "parts/pictures.hpp"

namespace ligament::nodes::driving {

class Road : public Node {
 public:
  explicit Road(const NodeOptions& options)
      : Node("road", options), camera_(mounted_camera(*this)) {
    declare_all();
    if (!errors().empty()) return;
    publisher_ = create_publisher<Image>("image_raw", QoS(5));
    clock_ = create_publisher<Clock>("clock", QoS(5));
    commands_ = create_subscription<Twist>(
        "cmd_vel", QoS(5), [this](const Sample<Twist>& twist) { on_command(twist.view()); });
    const auto period = std::chrono::nanoseconds(lock_step_ ? kLook : period_ns_);
    timer_ = create_wall_timer(period, [this] { on_tick(); });
  }

 private:
  using Clock = rosgraph_msgs::msg::Clock;
  using Twist = geometry_msgs::msg::Twist;
  static constexpr std::int64_t kLook = 20'000'000;

  void declare_all();
  void on_tick();
  void on_command(const geometry_msgs::msg::TwistView& twist);
  void step();
  [[nodiscard]] Lamp lamp() const;
  void draw_and_send();

  MountedCamera camera_;
  Track track_;
  Pose pose_;
  bool still_ = false;
  bool lock_step_ = true;
  std::int64_t period_ns_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t in_flight_ = 1;
  std::int64_t red_frames_ = 0;
  std::int64_t red_from_ = 0;
  double speed_ = 0;
  double turn_ = 0;
  std::uint64_t sent_ = 0;
  /// In lock step: looks without a command, and after how many the robot goes on with the last one.
  /// A command may be lost, and the first frame is: nobody listens yet.
  std::int64_t looks_ = 0;
  std::int64_t patience_ = 0;
  std::shared_ptr<Publisher<Image>> publisher_;
  std::shared_ptr<Publisher<Clock>> clock_;
  std::shared_ptr<Subscription<Twist>> commands_;
  std::shared_ptr<TimerBase> timer_;
};

void Road::declare_all() {
  ParameterDescriptor fixed;
  fixed.read_only = true;
  camera_.width = int_parameter(*this, "width", 640, 16, 4096);
  camera_.height = int_parameter(*this, "height", 480, 16, 4096);
  still_ = declare_parameter<bool>("still", false, fixed);
  lock_step_ = declare_parameter<bool>("lock_step", true, fixed);
  const double rate_hz = image::double_parameter(*this, "rate_hz", 30, {0.1, 1000, 0});
  period_ns_ = std::llround(1e9 / rate_hz);
  const double patience_s = image::double_parameter(*this, "patience_s", 0.5, {0.02, 3600, 0});
  patience_ = std::llround(patience_s * 1e9 / kLook);
  frames_ = static_cast<std::uint64_t>(int_parameter(*this, "frames", 0, 0, 1 << 30));
  in_flight_ = static_cast<std::uint64_t>(int_parameter(*this, "in_flight", 1, 1, 1024));
  red_from_ = int_parameter(*this, "red_from", 0, 0, 1 << 30);
  red_frames_ = int_parameter(*this, "red_frames", 0, 0, 1 << 30);
  track_.yellow = declare_parameter<bool>("yellow", true, fixed);
  track_.white = declare_parameter<bool>("white", true, fixed);
  const double start = image::double_parameter(*this, "start", 0.2, {-1000, 1000, 0});
  const double offset = image::double_parameter(*this, "offset", 0.0, {-1, 1, 0});
  pose_ = pose_at(track_, start);
  pose_.x -= offset * std::sin(pose_.heading);
  pose_.y += offset * std::cos(pose_.heading);
}

void Road::on_tick() {
  if (is_finished() || publisher_->get_subscription_count() == 0) return;
  if (!lock_step_) return step();
  if (sent_ < in_flight_ || ++looks_ >= patience_) step();
}

void Road::on_command(const geometry_msgs::msg::TwistView& twist) {
  const double speed = twist.linear().x();
  const double turn = twist.angular().z();
  if (!std::isfinite(speed) || !std::isfinite(turn)) return;
  speed_ = std::clamp(speed, -1.0, 1.0);
  turn_ = std::clamp(turn, -10.0, 10.0);
  if (lock_step_ && sent_ > 0 && !is_finished()) step();
}

/// Moves the robot by one period, and sends what it sees then.
void Road::step() {
  looks_ = 0;
  if (frames_ != 0 && sent_ == frames_) {
    LIGAMENT_INFO(
        get_logger(), "{} frames; at {:.2f} m along the track, {:+.1f} cm beside its middle", sent_,
        distance_along(track_, pose_.x, pose_.y), 100 * lateral_offset(track_, pose_.x, pose_.y));
    timer_->cancel();
    return finish();
  }
  if (!still_ && sent_ > 0)
    pose_ = moved(pose_, speed_, turn_, static_cast<double>(period_ns_) * 1e-9);
  draw_and_send();
}

Lamp Road::lamp() const {
  const auto frame = static_cast<std::int64_t>(sent_);
  if (red_frames_ == 0 || frame < red_from_) return Lamp::off;
  return frame < red_from_ + red_frames_ ? Lamp::red : Lamp::green;
}

void Road::draw_and_send() {
  const std::int64_t stamp_ns = 1'000'000'000 + static_cast<std::int64_t>(sent_) * period_ns_;
  auto out = image::loan_image(*publisher_, {stamp_ns, "camera", "rgb8"},
                               {camera_.width, camera_.height}, CV_8UC3);
  if (!out) return;  // counted and reported by the publisher
  draw_road(track_, camera_, pose_, lamp(), out->pixels);
  ++sent_;
  if (auto clock = clock_->borrow_loaned_message({})) {
    clock->get().clock().set_sec(static_cast<std::int32_t>(stamp_ns / 1'000'000'000));
    clock->get().clock().set_nanosec(static_cast<std::uint32_t>(stamp_ns % 1'000'000'000));
    clock_->publish(std::move(*clock));
  }
  publisher_->publish(std::move(out->loan));
}

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::Road)
