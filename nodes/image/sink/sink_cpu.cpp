// SPDX-License-Identifier: Apache-2.0
// The sink node: is every frame there, in order, and which pixels did it have?
//
// The measured chain ends when the sink has taken the image. The image is hashed in the same
// callback and from the sample's own memory, which stays untouched as long as the sample is held.
// Only then does `done` go out: with one frame in flight, nothing is done for a frame beside the
// next one. Lines are kept in memory and written some hundred at a time.
#include <cstdlib>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int64.hpp>
#include <opencv2/imgcodecs.hpp>

#include "common/image_messages.hpp"
#include "common/node_parts.hpp"
#include "common/record.hpp"
#include "sink/frame_check.hpp"

namespace ligament::nodes::image {

class Sink : public Node {
 public:
  explicit Sink(const NodeOptions& options) : Node("sink", options) {
    declare_all();
    if (!errors().empty() || !open_record()) return;
    done_ = create_publisher<Done>("done", QoS(10));
    images_ = create_subscription<Image>("image", QoS(5),
                                         [this](const Sample<Image>& s) { on_image(s.view()); });
  }

 private:
  using Image = sensor_msgs::msg::Image;
  using Done = std_msgs::msg::UInt64;

  void declare_all();
  bool open_record();
  void on_image(const sensor_msgs::msg::ImageView& view);
  void acknowledge(std::int64_t stamp_ns);
  void tell(const FrameCheck::Verdict& verdict, const sensor_msgs::msg::ImageView& view);
  void keep(const FrameCheck::Verdict& verdict, const sensor_msgs::msg::ImageView& view,
            const cv::Mat& pixels);
  void save(std::uint64_t index, std::string_view encoding, const cv::Mat& pixels);
  void finish_if_done();
  [[nodiscard]] std::filesystem::path file(const std::string& ending) const;

  std::uint64_t frames_ = 0;
  bool record_frames_ = true;
  std::vector<std::int64_t> save_frames_;
  std::string output_dir_;
  FrameCheck check_;
  RecordFile record_;
  ToldOnce<FrameCheck::Kind> told_;
  ToldOnce<ImageError> told_image_;
  bool told_format_ = false;
  std::shared_ptr<Publisher<Done>> done_;
  std::shared_ptr<Subscription<Image>> images_;
};

void Sink::declare_all() {
  ParameterDescriptor fixed;
  fixed.read_only = true;
  frames_ = static_cast<std::uint64_t>(
      integer_parameter(*this, "frames", 0, {0, std::int64_t{1} << 40, 1}));
  record_frames_ = declare_parameter<bool>("record", true, fixed);
  output_dir_ = declare_parameter("output_dir", "", fixed);
  save_frames_ = declare_parameter<std::vector<std::int64_t>>("save_frames", {}, fixed);
  const double rate_hz = double_parameter(*this, "rate_hz", 0, {0, 1e6, 0});
  FrameCheck::Expected expected;
  expected.period_ns = rate_hz == 0 ? 0 : std::llround(1e9 / rate_hz);
  expected.gaps = declare_parameter<bool>("check_gaps", true, fixed);
  expected.width = static_cast<std::uint32_t>(integer_parameter(*this, "width", 0, {0, 65535, 1}));
  expected.height =
      static_cast<std::uint32_t>(integer_parameter(*this, "height", 0, {0, 65535, 1}));
  expected.encoding = declare_parameter("encoding", "", fixed);
  check_ = FrameCheck(std::move(expected));
  if (!output_dir_.empty()) return;
  const char* run = std::getenv("LIGAMENT_OUTPUT_DIR");  // set by `ligament run` for this run
  output_dir_ = run == nullptr ? "outputs" : run;
}

/// `outputs/sink.jsonl` for /sink, `outputs/left.sink.jsonl` for /left/sink.
std::filesystem::path Sink::file(const std::string& ending) const {
  std::string name = get_fully_qualified_name().substr(1);
  std::replace(name.begin(), name.end(), '/', '.');
  return std::filesystem::path(output_dir_) / (name + ending);
}

bool Sink::open_record() {
  if (!record_frames_ || record_.open(file(".jsonl"))) return true;
  report_error("the record '" + file(".jsonl").string() +
               "' cannot be written; set `output_dir` to a folder that can, or `record` to false");
  return false;
}

void Sink::acknowledge(std::int64_t stamp_ns) {
  auto loan = done_->borrow_loaned_message({});
  if (!loan) return;  // counted and reported by the publisher
  loan->get().set_data(static_cast<std::uint64_t>(stamp_ns));
  done_->publish(std::move(*loan));
}

void Sink::on_image(const sensor_msgs::msg::ImageView& view) {
  const auto verdict =
      check_.on_frame(stamp_of(view), {view.width(), view.height(), view.encoding()});
  tell(verdict, view);
  using Kind = FrameCheck::Kind;
  if (verdict.kind != Kind::duplicate && verdict.kind != Kind::backwards) {
    const auto pixels = image_of(view);
    if (pixels) {
      keep(verdict, view, *pixels);
    } else if (told_image_(pixels.error())) {
      report_error("frame " + std::to_string(verdict.index) +
                   " is no image that can be recorded: " + to_string(pixels.error()));
    }
  }
  acknowledge(stamp_of(view));
  finish_if_done();
}

void Sink::keep(const FrameCheck::Verdict& verdict, const sensor_msgs::msg::ImageView& view,
                const cv::Mat& pixels) {
  if (record_frames_) {
    record_.add({verdict.index, stamp_of(view), pixels.cols, pixels.rows, view.encoding(),
                 image_hash(pixels, view.encoding())});
  }
  const auto index = static_cast<std::int64_t>(verdict.index);
  if (std::find(save_frames_.begin(), save_frames_.end(), index) != save_frames_.end()) {
    save(verdict.index, view.encoding(), pixels);
  }
}

void Sink::tell(const FrameCheck::Verdict& verdict, const sensor_msgs::msg::ImageView& view) {
  if (verdict.format_changed && !told_format_) {
    told_format_ = true;
    report_error("frame " + std::to_string(verdict.index) + " is " + std::to_string(view.width()) +
                 "x" + std::to_string(view.height()) + " '" + std::string(view.encoding()) +
                 "', not of the expected size and encoding");
  }
  using Kind = FrameCheck::Kind;
  if (verdict.kind == Kind::gap && told_(verdict.kind)) {
    report_error(std::to_string(verdict.missing) + " frames are missing before frame " +
                 std::to_string(verdict.index) +
                 "; slow the camera down (`rate_hz`), or deepen the queue of the topic that drops");
  }
  if (verdict.kind == Kind::backwards && told_(verdict.kind)) {
    report_error("a frame arrived after a newer one: two publishers on '" +
                 images_->get_topic_name() + "'?");
  }
}

void Sink::save(std::uint64_t index, std::string_view encoding, const cv::Mat& pixels) {
  const std::string path = file("_" + std::to_string(index) + ".png").string();
  const char* order = pixels.channels() == 1 ? "mono8" : pixels.channels() == 3 ? "bgr8" : "bgra8";
  const auto image = pixels.depth() == CV_8U ? convert_encoding(pixels, encoding, order)
                                             : expected<cv::Mat, ImageError>(pixels);
  bool written = false;
  try {  // imwrite reports an unwritable file by exception
    written = image && cv::imwrite(path, *image);
  } catch (const cv::Exception&) {
    written = false;
  }
  if (!written)
    report_error("frame " + std::to_string(index) + " cannot be saved as '" + path + "'");
}

void Sink::finish_if_done() {
  if (frames_ == 0 || is_finished() || check_.frames() + check_.missing() < frames_) return;
  if (!record_.flush()) {
    report_error("the record '" + file(".jsonl").string() + "' is incomplete: is the disk full?");
  }
  LIGAMENT_INFO(get_logger(),
                "{} frames: {} missing, {} out of order, {} of another format, {} repeated",
                check_.frames(), check_.missing(), check_.backwards(), check_.wrong_format(),
                check_.duplicates());
  finish();
}

}  // namespace ligament::nodes::image

LIGAMENT_REGISTER_NODE(ligament::nodes::image::Sink)
