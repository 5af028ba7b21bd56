// SPDX-License-Identifier: Apache-2.0
/// \file The perception chain in a test: what it must record, by OpenCV alone, and what it records.
#pragma once

#include <opencv2/calib3d.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "common/image_format.hpp"
#include "common/record.hpp"
#include "tests/graph_run.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {

constexpr int kWidth = 160;
constexpr int kHeight = 120;
constexpr int kImages = 3;

/// One setting of everything that changes pixels.
struct ChainCase {
  std::string encoding = "rgb8";
  int rectify_interpolation = cv::INTER_LINEAR;
  int resize_interpolation = cv::INTER_LINEAR;
  bool use_scale = true;
  double scale_height = 0.5;
  double scale_width = 0.5;
  int height = -1;
  int width = -1;
  int frames = 5;  ///< more than there are images: the camera loops
  std::string pairing = "exact";
  int queue_size = 5;
  int threads = 1;
  int in_flight = 1;
};

/// Images and a calibration file on disk.
class ChainInput {
 public:
  ChainInput() {
    for (int i = 0; i < kImages; ++i) {
      cv::imwrite((folder_.path() / ("f" + std::to_string(i) + ".png")).string(), image(i));
    }
    const Calibration c = calibration();
    cv::FileStorage file((folder_.path() / "calibration.yml").string(), cv::FileStorage::WRITE);
    file << "image_width" << kWidth << "image_height" << kHeight;
    file << "camera_matrix" << cv::Mat(3, 3, CV_64F, const_cast<double*>(c.k.data()));
    file << "distortion_coefficients" << cv::Mat(c.d);
  }
  static cv::Mat image(int index) {
    return noise_image(kWidth, kHeight, CV_8UC3, static_cast<std::uint64_t>(index) + 1);
  }
  static Calibration calibration() { return test_calibration(kWidth, kHeight); }
  [[nodiscard]] std::string source() const { return (folder_.path() / "f*.png").string(); }
  [[nodiscard]] std::string calibration_file() const {
    return (folder_.path() / "calibration.yml").string();
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// The lines that the sink must record: OpenCV called directly, none of our kernels.
inline std::vector<std::string> expected_lines(const ChainCase& c, const TemporaryFolder& folder) {
  const Calibration calibration = ChainInput::calibration();
  cv::Mat xy;
  cv::Mat fraction;
  const cv::Mat k(3, 3, CV_64F, const_cast<double*>(calibration.k.data()));
  cv::initUndistortRectifyMap(k, calibration.d, cv::Mat(), k, {kWidth, kHeight}, CV_16SC2, xy,
                              fraction);
  const auto path = folder.path() / "expected.jsonl";
  {
    RecordFile record;
    if (!record.open(path)) return {};
    for (int i = 0; i < c.frames; ++i) {
      const auto raw = convert_encoding(ChainInput::image(i % kImages), "bgr8", c.encoding);
      cv::Mat rectified;
      cv::Mat out;
      cv::remap(*raw, rectified, xy, fraction, c.rectify_interpolation);
      if (c.use_scale) {
        cv::resize(rectified, out, {}, c.scale_width, c.scale_height, c.resize_interpolation);
      } else {
        const cv::Size size(c.width == -1 ? kWidth : c.width, c.height == -1 ? kHeight : c.height);
        cv::resize(rectified, out, size, 0, 0, c.resize_interpolation);
      }
      record.add({static_cast<std::uint64_t>(i), 1'000'000'000 + i * 33'333'333LL, out.cols,
                  out.rows, c.encoding, image_hash(out, c.encoding)});
    }
  }
  return lines_of(path);
}

enum class Form : std::uint8_t { chain, fused };

inline void add_middle(GraphRun& graph, const ChainCase& c, Form form) {
  GraphRun::Parameters rectify = {{"interpolation", c.rectify_interpolation},
                                  {"pairing", c.pairing},
                                  {"queue_size", c.queue_size},
                                  {"threads", c.threads}};
  GraphRun::Parameters resize = {{"use_scale", c.use_scale},
                                 {"scale_height", c.scale_height},
                                 {"scale_width", c.scale_width},
                                 {"height", c.height},
                                 {"width", c.width}};
  if (form == Form::fused) {
    rectify.insert(rectify.end(), resize.begin(), resize.end());
    rectify.emplace_back("resize_interpolation", c.resize_interpolation);
    graph.add("rectify_resize", rectify, {{"image", "image_raw"}});
    return;
  }
  resize.emplace_back("interpolation", c.resize_interpolation);
  resize.emplace_back("queue_size", c.queue_size);
  resize.emplace_back("threads", c.threads);
  graph.add("rectify", rectify, {{"image", "image_raw"}});
  graph.add("resize", resize,
            {{"image/image_raw", "image_rect"}, {"image/camera_info", "camera_info"}});
}

/// The lines that the sink does record; the graph's errors as the only line if it has any.
inline std::vector<std::string> recorded_lines(const ChainCase& c, const ChainInput& input,
                                               Form form) {
  const TemporaryFolder outputs;
  GraphRun graph;
  add_middle(graph, c, form);
  Node* sink = graph.add("sink", {{"frames", c.frames}, {"output_dir", outputs.path().string()}},
                         {{"image", "resize/image_raw"}});
  graph.add("camera", {{"source", input.source()},
                       {"calibration", input.calibration_file()},
                       {"encoding", c.encoding},
                       {"frames", c.frames},
                       {"in_flight", c.in_flight}});
  if (sink == nullptr || !graph.run_until_finished(*sink)) return {graph.errors()};
  return lines_of(outputs.path() / "sink.jsonl");
}

}  // namespace ligament::nodes::image
