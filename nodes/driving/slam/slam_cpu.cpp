// SPDX-License-Identifier: Apache-2.0
// SLAM on the CPU, slam.hpp: pictures and odometry in, pose and points out.
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <ligament/geometry_msgs/msg/pose_stamped.hpp>
#include <ligament/ligament.hpp>
#include <ligament/nav_msgs/msg/odometry.hpp>
#include <ligament/sensor_msgs/msg/point_cloud2.hpp>
#include <opencv2/imgproc.hpp>

#include "parts/parameters.hpp"
#include "parts/pictures.hpp"
#include "slam/slam.hpp"
#include "slam/slam_file.hpp"
#include "slam/slam_messages.hpp"

namespace ligament::nodes::driving {

class SlamNode : public Node {
 public:
  explicit SlamNode(const NodeOptions& options) : Node("slam", options) {
    options_.features = int_parameter(*this, "features", options_.features, 100, 4000);
    options_.keyframe_distance = image::double_parameter(
        *this, "keyframe_distance", options_.keyframe_distance, {0.005, 10, 0});
    options_.window = int_parameter(*this, "window", options_.window, 2, 50);
    camera_ = mounted_camera(*this);
    image::apply_threads_parameter(*this);
    read_map();
    if (!errors().empty()) return;
    pose_ = create_publisher<PoseStamped>("pose", QoS(5));
    points_ = create_publisher<PointCloud2>("points", QoS(1));
    keyframes_ = create_publisher<Path>("keyframes", QoS(1));
    status_ = create_publisher<DiagnosticArray>("status", QoS(10));
    odom_ = create_subscription<Odometry>(
        "odom", QoS(20), [this](const Sample<Odometry>& sample) { on_odometry(sample.view()); });
    input_.emplace(*this, "image", [this](const ImageView& view, const Picture& picture) {
      on_picture(view, picture);
    });
  }

  ~SlamNode() override {
    if (save_to_.empty() || !slam_) return;
    if (const auto saved = slam::save_map(save_to_, slam_->map(), size_); !saved) {
      report_error(saved.error());
    }
  }
  SlamNode(const SlamNode&) = delete;
  SlamNode& operator=(const SlamNode&) = delete;

 private:
  using PoseStamped = geometry_msgs::msg::PoseStamped;
  using Odometry = nav_msgs::msg::Odometry;
  using OdometryView = nav_msgs::msg::OdometryView;
  using PointCloud2 = sensor_msgs::msg::PointCloud2;
  using Path = nav_msgs::msg::Path;
  using DiagnosticArray = diagnostic_msgs::msg::DiagnosticArray;

  struct Wheels {
    std::int64_t stamp_ns;
    slam::PlanarPose pose;
  };
  struct Waiting {
    std::int64_t stamp_ns;
    cv::Mat grey;
  };
  static constexpr std::size_t kKept = 100;   // of odometry
  static constexpr std::size_t kPatient = 4;  // pictures that wait for odometry
  static constexpr int kTellEach = 30;        // pictures, where nothing else is to be told

  void read_map() {
    ParameterDescriptor fixed;
    fixed.read_only = true;
    const std::string from = declare_parameter("map", "", fixed);
    save_to_ = declare_parameter("save_map", "", fixed);
    if (const char* run = std::getenv("LIGAMENT_OUTPUT_DIR"); run != nullptr && !save_to_.empty()) {
      save_to_ = (std::filesystem::path(run) / save_to_).string();  // an absolute one stays
    }
    if (from.empty()) return;
    if (auto loaded = slam::load_map(from)) {
      loaded_ = std::move(*loaded);
    } else {
      report_error(loaded.error() + ": `map` is a file that `save_map` made");
    }
  }

  void on_odometry(const OdometryView& view) {
    const auto& at = view.pose().pose().position();
    const auto& turn = view.pose().pose().orientation();
    const double heading = std::atan2(2 * (turn.w() * turn.z() + turn.x() * turn.y()),
                                      1 - 2 * (turn.y() * turn.y() + turn.z() * turn.z()));
    const slam::PlanarPose pose{at.x(), at.y(), heading};
    if (!std::isfinite(pose.x) || !std::isfinite(pose.y) || !std::isfinite(pose.heading)) {
      if (!std::exchange(told_odometry_, true)) {
        report_error("a message on '" + odom_->get_topic_name() + "' has a pose that is no number");
      }
      return;
    }
    const std::int64_t stamp_ns = image::stamp_of(view);
    if (!wheels_.empty() && stamp_ns <= wheels_.back().stamp_ns) return;  // repeated, or too late
    wheels_.push_back({stamp_ns, pose});
    if (wheels_.size() > kKept) wheels_.pop_front();
    while (!waiting_.empty() && waiting_.front().stamp_ns <= stamp_ns) answer_first();
  }

  void on_picture(const ImageView& view, const Picture& picture) {
    const std::int64_t stamp_ns = image::stamp_of(view);
    if (stamp_ns <= last_ns_) return;  // sent twice, or out of order
    if (slam_ && picture.pixels.size() != size_) {
      if (!std::exchange(told_size_, true)) {
        report_error("an image has another size than the first one; it is left out");
      }
      return;
    }
    last_ns_ = stamp_ns;
    Waiting one{stamp_ns, {}};
    cv::cvtColor(picture.pixels, one.grey,
                 picture.order == ColourOrder::rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
    waiting_.push_back(std::move(one));
    const bool known = !wheels_.empty() && wheels_.back().stamp_ns >= stamp_ns;
    // Without odometry for long there is none: then the robot is where it was last told to be.
    if (known || waiting_.size() > kPatient) answer_first();
  }

  /// Where the wheels had the robot at that time: between two messages, by their times.
  [[nodiscard]] slam::PlanarPose wheels_at(std::int64_t stamp_ns) const {
    if (wheels_.empty()) return {};
    std::size_t after = 0;
    while (after < wheels_.size() && wheels_[after].stamp_ns < stamp_ns) ++after;
    if (after == wheels_.size()) return wheels_.back().pose;
    if (after == 0) return wheels_.front().pose;
    const auto& one = wheels_[after - 1];
    const auto& other = wheels_[after];
    const double share = static_cast<double>(stamp_ns - one.stamp_ns) /
                         static_cast<double>(other.stamp_ns - one.stamp_ns);
    const auto step = slam::between(one.pose, other.pose);
    return slam::composed(one.pose, {share * step.x, share * step.y, share * step.heading});
  }

  void answer_first() {
    const Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    if (!slam_) {
      size_ = one.grey.size();
      const slam::RobotCamera camera(size_, camera_.above_ground, camera_.ahead, camera_.pitch_down,
                                     camera_.horizontal_fov);
      begin(camera);
    }
    slam::SlamStep step;
    {
      const trace::Span span(*this, "slam");
      step = slam_->step(one.grey, wheels_at(one.stamp_ns));
    }
    if (step.keyframe) stamps_ns_.push_back(one.stamp_ns);
    publish_map(one.stamp_ns, step);
    if (step.located) publish_pose(one.stamp_ns, step.pose);  // last: then the map is there already
  }

  /// With the map that was read, if it is one of such pictures.
  void begin(const slam::RobotCamera& camera) {
    if (loaded_ && loaded_->size != size_) {
      report_error("the map that was read is of pictures of another size; it begins anew");
      loaded_.reset();
    }
    stamps_ns_.assign(loaded_ ? loaded_->map.keyframes.size() : 0, 0);
    if (loaded_) {
      slam_.emplace(camera, options_, std::move(loaded_->map));
      loaded_.reset();
    } else {
      slam_.emplace(camera, options_);
    }
  }

  void publish_map(std::int64_t stamp_ns, const slam::SlamStep& step) {
    const bool is_due = ++silent_ >= kTellEach;
    if (step.keyframe || step.located != located_ || step.tracked != tracked_ || is_due) {
      status_->publish(slam::figures_of(*slam_, step, stamp_ns));
      silent_ = 0;
    }
    tracked_ = step.tracked;
    located_ = step.located;
    if (!step.keyframe) return;
    publish_points(stamp_ns);
    keyframes_->publish(slam::path_of(slam_->map(), stamps_ns_, stamp_ns));
  }

  void publish_pose(std::int64_t stamp_ns, const slam::PlanarPose& pose) {
    geometry_msgs::msg::PoseStampedShape shape;
    shape.header.frame_id = kFrame.size();
    auto loan = pose_->borrow_loaned_message(shape);
    if (!loan) return;  // counted and reported by the publisher
    auto& message = loan->get();
    image::set_stamp(message, stamp_ns);
    message.header().set_frame_id(kFrame);
    message.pose().position().set_x(pose.x);
    message.pose().position().set_y(pose.y);
    message.pose().orientation().set_z(std::sin(pose.heading / 2));
    message.pose().orientation().set_w(std::cos(pose.heading / 2));
    pose_->publish(std::move(*loan));
  }

  void publish_points(std::int64_t stamp_ns) {
    static constexpr std::array<std::string_view, 3> kNames{"x", "y", "z"};
    static constexpr std::uint32_t kStep = kNames.size() * sizeof(float);
    const auto count = static_cast<std::uint32_t>(slam_->map().living());
    sensor_msgs::msg::PointCloud2Shape shape;
    shape.header.frame_id = kFrame.size();
    for (const auto name : kNames) shape.fields.push_back({.name = name.size()});
    shape.data = std::size_t{count} * kStep;
    auto loan = points_->borrow_loaned_message(shape);
    if (!loan) return;  // counted and reported by the publisher
    auto& message = loan->get();
    image::set_stamp(message, stamp_ns);
    message.header().set_frame_id(kFrame);
    message.set_height(1);
    message.set_width(count);
    name_fields(message, kNames);
    message.set_point_step(kStep);
    message.set_row_step(count * kStep);
    message.set_is_dense(true);
    write_points(message.data());
    points_->publish(std::move(*loan));
  }

  template <typename MessageT, std::size_t Count>
  static void name_fields(MessageT& message, const std::array<std::string_view, Count>& names) {
    std::uint32_t offset = 0;
    for (const auto name : names) {
      auto& field = message.fields().next();
      field.set_name(name);
      field.set_offset(offset);
      field.set_datatype(sensor_msgs::msg::PointField::FLOAT32);
      field.set_count(1);
      offset += sizeof(float);
    }
  }

  void write_points(std::span<std::uint8_t> bytes) const {
    for (const auto& point : slam_->map().points) {
      if (point.gone) continue;
      const std::array<float, 3> place{static_cast<float>(point.place.x),
                                       static_cast<float>(point.place.y),
                                       static_cast<float>(point.place.z)};
      std::memcpy(bytes.data(), place.data(), sizeof(place));
      bytes = bytes.subspan(sizeof(place));
    }
  }

  static constexpr std::string_view kFrame = slam::kMapFrame;

  slam::SlamOptions options_;
  MountedCamera camera_;
  cv::Size size_;
  std::optional<slam::Slam> slam_;
  std::deque<Wheels> wheels_;
  std::deque<Waiting> waiting_;
  std::vector<std::int64_t> stamps_ns_;  // of the keyframes
  int silent_ = 0;                       // pictures since figures were told
  bool tracked_ = true;
  bool located_ = true;
  std::string save_to_;
  std::optional<slam::SavedMap> loaded_;
  std::int64_t last_ns_ = std::numeric_limits<std::int64_t>::min();
  bool told_odometry_ = false;
  bool told_size_ = false;
  std::shared_ptr<Publisher<PoseStamped>> pose_;
  std::shared_ptr<Publisher<PointCloud2>> points_;
  std::shared_ptr<Publisher<Path>> keyframes_;
  std::shared_ptr<Publisher<DiagnosticArray>> status_;
  std::shared_ptr<Subscription<Odometry>> odom_;
  std::optional<PictureInput> input_;
};

}  // namespace ligament::nodes::driving

LIGAMENT_REGISTER_NODE(ligament::nodes::driving::SlamNode)
