// SPDX-License-Identifier: Apache-2.0
// The camera node: frames of a source, at the pace that was asked for, as `image_raw` and
// `camera_info` with equal stamps. All decoding is done before the first frame; per frame it copies
// the pixels into the loan (that copy stands for the driver's DMA) and publishes.
#include <cmath>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/camera_info.hpp>
#include <ligament/std_msgs/msg/u_int64.hpp>
#include <vector>

#include "camera/frame_store.hpp"
#include "camera/pacer.hpp"
#include "common/camera_info_message.hpp"
#include "common/image_messages.hpp"
#include "common/node_parts.hpp"

namespace ligament::nodes::image {
namespace {

using sensor_msgs::msg::CameraInfo;
using sensor_msgs::msg::Image;
using std_msgs::msg::UInt64;

constexpr std::int64_t kSecond = 1'000'000'000;
/// The first frame waits so long for somebody who acknowledges frames, then goes out without.
constexpr std::int64_t kPatienceForSink = kSecond / 4;
/// After this time without anybody who acknowledges frames, a camera that needs it says so.
constexpr std::int64_t kWarnWithoutSink = 3 * kSecond;
/// How often an acknowledged camera looks for overdue frames and for the graph to be complete.
constexpr std::chrono::milliseconds kHousekeeping{20};

std::int64_t steady_now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

enum class StampMode : std::uint8_t { replay, now, source };

}  // namespace

class Camera : public Node {
 public:
  explicit Camera(const NodeOptions& options) : Node("camera", options) {
    declare_all();
    if (!errors().empty() || !open()) return;
    image_publisher_ = create_publisher<Image>("image_raw", QoS(5));
    info_publisher_ = create_publisher<CameraInfo>("camera_info", QoS(5));
    done_subscription_ = create_subscription<UInt64>(
        "done", QoS(10), [this](const Sample<UInt64>& done) { on_done(done.view().data()); });
    timer_ = create_wall_timer(tick_, [this] { on_tick(); });
  }

 private:
  struct InFlight {
    std::int64_t stamp_ns;
    std::uint64_t index;
  };

  void declare_all();
  void declare_source();
  void declare_pacing();
  bool open();
  [[nodiscard]] bool graph_is_complete(std::int64_t now_ns);
  void on_tick();
  void on_done(std::uint64_t stamp_ns);
  void send_due(std::int64_t now_ns);
  [[nodiscard]] bool send(std::uint64_t index, bool again);
  [[nodiscard]] bool publish(const Frame& frame, std::int64_t stamp_ns);
  [[nodiscard]] bool publish_info(std::int64_t stamp_ns, std::string_view frame_id);
  [[nodiscard]] std::int64_t stamp_for(std::uint64_t index, const Frame& frame) const;
  void finish_if_done();

  SourceOptions source_;
  FrameStoreOptions store_options_;
  PacerOptions pacer_options_;
  std::string frame_id_;
  StampMode stamp_mode_ = StampMode::replay;
  std::int64_t start_ns_ = kSecond;
  std::int64_t period_ns_ = 0;
  std::int64_t wanted_subscribers_ = 1;
  std::chrono::nanoseconds tick_{};

  std::optional<FrameStore> store_;
  std::optional<Pacer> pacer_;
  Calibration calibration_;
  std::vector<InFlight> in_flight_;  ///< as many as the pacer allows; no heap once it is full
  std::int64_t connected_ns_ = 0;    ///< since when image_raw has its subscribers
  bool started_ = false;
  bool told_lonely_ = false;

  std::shared_ptr<Publisher<Image>> image_publisher_;
  std::shared_ptr<Publisher<CameraInfo>> info_publisher_;
  std::shared_ptr<Subscription<UInt64>> done_subscription_;
  std::shared_ptr<TimerBase> timer_;
};

void Camera::declare_source() {
  ParameterDescriptor fixed;
  fixed.read_only = true;
  source_.path = declare_parameter("source", "", fixed);
  source_.calibration = declare_parameter("calibration", "", fixed);
  source_.encoding = choice_parameter(
      *this, "encoding", {"rgb8", "bgr8", "mono8", "rgba8", "bgra8", "mono16", "source"});
  source_.image_topic = declare_parameter("image_topic", "", fixed);
  source_.camera_info_topic = declare_parameter("camera_info_topic", "", fixed);
  frame_id_ = declare_parameter("frame_id", "", fixed);
  store_options_.preload = declare_parameter<bool>("preload", true, fixed);
  store_options_.preload_limit_bytes = static_cast<std::uint64_t>(integer_parameter(
                                           *this, "preload_limit_mb", 2048, {1, 1 << 20, 1}))
                                       << 20;
}

void Camera::declare_pacing() {
  const std::string pacing = choice_parameter(*this, "pacing", {"ack", "rate", "free"});
  const double rate_hz = double_parameter(*this, "rate_hz", 30, {0.001, 1e6, 0});
  period_ns_ = std::llround(kSecond / rate_hz);
  pacer_options_.pacing = pacing == "ack" ? Pacing::ack : Pacing::asked;
  pacer_options_.in_flight =
      static_cast<std::uint64_t>(integer_parameter(*this, "in_flight", 1, {1, 64, 1}));
  pacer_options_.frames = static_cast<std::uint64_t>(
      integer_parameter(*this, "frames", 0, {0, std::int64_t{1} << 40, 1}));
  pacer_options_.ack_timeout_ns =
      integer_parameter(*this, "ack_timeout_ms", 500, {1, 3'600'000, 1}) * 1'000'000;
  const double most_hz = double_parameter(*this, "max_rate_hz", 0, {0, 1e6, 0});
  wanted_subscribers_ = integer_parameter(*this, "wait_for_subscribers", 1, {0, 64, 1});
  if (pacing == "ack") tick_ = kHousekeeping;
  if (pacing == "ack" && most_hz > 0) {
    pacer_options_.period_ns = std::llround(kSecond / std::max(most_hz, 0.001));
    tick_ = std::min(tick_, std::chrono::nanoseconds(pacer_options_.period_ns));
  }
  if (pacing == "rate") tick_ = std::chrono::nanoseconds(period_ns_);
  if (pacing == "free") tick_ = std::chrono::nanoseconds(1);
}

void Camera::declare_all() {
  declare_source();
  declare_pacing();
  const std::string stamp = choice_parameter(*this, "stamp", {"replay", "now", "source"});
  if (stamp == "now") stamp_mode_ = StampMode::now;
  if (stamp == "source") stamp_mode_ = StampMode::source;
  start_ns_ = integer_parameter(*this, "start_ns", kSecond, {0, std::int64_t{1} << 60, 1});
  store_options_.window = pacer_options_.in_flight;
  store_options_.frames = pacer_options_.frames;
}

/// Opens the source and its calibration; what is wrong stops the container with the sentence.
bool Camera::open() {
  auto source = open_source(source_);
  if (!source) {
    report_error(source.error().text);
    return false;
  }
  auto store = FrameStore::create(*std::move(source), store_options_);
  if (!store) {
    report_error(store.error().text);
    return false;
  }
  store_ = *std::move(store);
  auto calibration = calibration_for(source_, store_->source(), store_->first().image.size());
  if (!calibration) {
    report_error(calibration.error().text);
    return false;
  }
  calibration_ = *std::move(calibration);
  if (frame_id_.empty())
    frame_id_ = store_->first().frame_id.empty() ? "camera" : store_->first().frame_id;
  if (stamp_mode_ == StampMode::source && store_->first().stamp_ns == 0 &&
      store_->in_memory() > 1 && store_->preloaded() && (*store_->at(1))->stamp_ns == 0) {
    report_error(
        "`stamp: source` needs a source with times of its own (a video or a recording); "
        "use `stamp: replay`");
    return false;
  }
  pacer_.emplace(pacer_options_);
  in_flight_.reserve(64);
  const std::string memory = store_->preloaded()
                                 ? std::to_string(store_->in_memory()) + " frames in memory"
                                 : "frames are decoded while they are sent";
  LIGAMENT_INFO(get_logger(), "{}x{} {}, {}, {}", calibration_.width, calibration_.height,
                store_->first().encoding, memory,
                is_calibrated(calibration_) ? "calibrated" : "without calibration");
  return true;
}

bool Camera::graph_is_complete(std::int64_t now_ns) {
  if (started_) return true;
  if (image_publisher_->get_subscription_count() < static_cast<std::size_t>(wanted_subscribers_)) {
    return false;
  }
  if (connected_ns_ == 0) connected_ns_ = now_ns;
  const bool sink = done_subscription_->get_publisher_count() > 0;
  const bool waited = now_ns - connected_ns_ >= kPatienceForSink;
  started_ = sink || (waited && pacer_options_.pacing != Pacing::ack) || wanted_subscribers_ == 0;
  if (!started_ && !told_lonely_ && now_ns - connected_ns_ >= kWarnWithoutSink) {
    told_lonely_ = true;
    LIGAMENT_WARN(get_logger(),
                  "waiting: `pacing: ack` needs a node that publishes '{}' (a sink); else set "
                  "`pacing` to rate or free",
                  done_subscription_->get_topic_name());
  }
  return started_;
}

void Camera::on_tick() {
  const std::int64_t now_ns = steady_now_ns();
  if (!graph_is_complete(now_ns)) return;
  if (pacer_options_.pacing == Pacing::asked && pacer_->acknowledged() == 0) {
    pacer_->set_acknowledged(done_subscription_->get_publisher_count() > 0);
  }
  send_due(now_ns);
}

void Camera::on_done(std::uint64_t stamp_ns) {
  const auto found = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& frame) {
    return frame.stamp_ns == static_cast<std::int64_t>(stamp_ns);
  });
  if (found == in_flight_.end()) return;  // a duplicate, or not ours
  const std::int64_t now_ns = steady_now_ns();
  pacer_->on_done(found->index, now_ns);
  in_flight_.erase(in_flight_.begin(), found + 1);
  if (pacer_options_.pacing == Pacing::ack) send_due(now_ns);
  finish_if_done();
}

void Camera::send_due(std::int64_t now_ns) {
  // Asked once per tick, unless acknowledgements are the pace.
  do {
    const auto frame = pacer_->due(now_ns);
    if (!frame || !send(frame->index, frame->again)) break;
  } while (pacer_options_.pacing == Pacing::ack);
  finish_if_done();
}

bool Camera::send(std::uint64_t index, bool again) {
  if (again && pacer_->acknowledged() > 0) {
    LIGAMENT_WARN(get_logger(), "frame {} was not acknowledged; sending it again", index);
  }
  const auto frame = store_->at(index);
  if (!frame) {
    report_error(frame.error().text);
    timer_->cancel();
    finish();
    return false;
  }
  const std::int64_t stamp_ns = stamp_for(index, **frame);
  if (!again || stamp_mode_ == StampMode::now) {
    if (in_flight_.size() == in_flight_.capacity()) in_flight_.erase(in_flight_.begin());
    in_flight_.push_back({stamp_ns, index});
  }
  return publish(**frame, stamp_ns);
}

std::int64_t Camera::stamp_for(std::uint64_t index, const Frame& frame) const {
  switch (stamp_mode_) {
    case StampMode::now:
      return now().nanoseconds();
    case StampMode::source:
      return frame.stamp_ns;
    case StampMode::replay:
      break;
  }
  return start_ns_ + static_cast<std::int64_t>(index) * period_ns_;
}

/// The image is filled first and the camera_info goes out just before it: a subscriber of both then
/// has the camera_info when the image arrives, and never waits for it.
bool Camera::publish(const Frame& frame, std::int64_t stamp_ns) {
  auto out = loan_image(*image_publisher_, {stamp_ns, frame_id_, frame.encoding},
                        frame.image.size(), frame.image.type());
  if (!out) return false;
  frame.image.copyTo(out->pixels);
  return publish_info(stamp_ns, frame_id_) &&
         image_publisher_->publish(std::move(out->loan)).has_value();
}

bool Camera::publish_info(std::int64_t stamp_ns, std::string_view frame_id) {
  auto loan = info_publisher_->borrow_loaned_message(shape_for(calibration_, frame_id));
  if (!loan) return false;
  set_stamp(loan->get(), stamp_ns);
  loan->get().header().set_frame_id(frame_id);
  fill(loan->get(), calibration_);
  return info_publisher_->publish(std::move(*loan)).has_value();
}

void Camera::finish_if_done() {
  if (is_finished() || !pacer_->finished()) return;
  LIGAMENT_INFO(get_logger(), "{} frames sent ({} sent again)", pacer_->sent(),
                pacer_->sent_again());
  timer_->cancel();
  finish();
}

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Camera)
