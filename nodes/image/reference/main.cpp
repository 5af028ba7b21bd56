// SPDX-License-Identifier: Apache-2.0
// The perception graph without Ligament: cv::remap and cv::resize called in a loop on the frames
// that the camera node would publish. It answers two questions:
//   are the graph's outputs right?     sink.jsonl: the lines that the sink of the graph must record
//   are the graph's kernels as fast?   kernels.json: times of the two calls, nothing else in them
// and it draws the picture of input, rectified and resized image.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/calib3d.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "camera/frame_source.hpp"
#include "common/image_format.hpp"
#include "common/record.hpp"
#include "reference/picture.hpp"
#include "reference/statistics.hpp"

namespace {

using namespace ligament::nodes::image;  // NOLINT: this file is the program
namespace fs = std::filesystem;

struct Arguments {
  SourceOptions source{.encoding = "rgb8"};
  std::uint64_t frames = 600;
  double rate_hz = 30;
  int rectify_interpolation = cv::INTER_LINEAR;
  int resize_interpolation = cv::INTER_LINEAR;
  int width = 320;
  int height = 240;
  int threads = 1;
  std::string out = ".";
};

struct Input {
  std::vector<Frame> frames;
  Calibration calibration;
};

struct Times {
  std::vector<double> remap_ns;
  std::vector<double> resize_ns;
};

/// Nanoseconds that `work` takes.
template <typename Work>
double timed(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

ligament::expected<Input, SourceError> load(const Arguments& arguments) {
  auto source = open_source(arguments.source);
  if (!source) return ligament::unexpected<SourceError>(source.error());
  Input input;
  while (true) {
    auto frame = (*source)->next();
    if (!frame) return ligament::unexpected<SourceError>(frame.error());
    if (!*frame || input.frames.size() == arguments.frames) break;
    input.frames.push_back(std::move(**frame));
  }
  if (input.frames.empty()) return source_error(SourceErrorCode::no_frames, "no frames");
  auto calibration = calibration_for(arguments.source, **source, input.frames[0].image.size());
  if (!calibration) return ligament::unexpected<SourceError>(calibration.error());
  input.calibration = *calibration;
  return input;
}

struct Maps {
  cv::Mat xy;
  cv::Mat fraction;
};

Maps maps_for(const Calibration& calibration) {
  Maps maps;
  const cv::Matx33d k(calibration.k.data());
  const cv::Matx33d r(calibration.r.data());
  const cv::Matx34d p(calibration.p.data());
  cv::initUndistortRectifyMap(
      k, calibration.d, r, p,
      {static_cast<int>(calibration.width), static_cast<int>(calibration.height)}, CV_16SC2,
      maps.xy, maps.fraction);
  return maps;
}

Times run(const Arguments& arguments, const Input& input, RecordFile& record) {
  const Maps maps = maps_for(input.calibration);
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / arguments.rate_hz));
  cv::Mat image;
  cv::Mat rectified;
  cv::Mat resized;
  Times times;
  for (std::uint64_t i = 0; i < arguments.frames; ++i) {
    const Frame& frame = input.frames[i % input.frames.size()];
    frame.image.copyTo(image);  // as the camera does, so that the caches are in the same state
    times.remap_ns.push_back(timed([&] {
      cv::remap(image, rectified, maps.xy, maps.fraction, arguments.rectify_interpolation);
    }));
    times.resize_ns.push_back(timed([&] {
      cv::resize(rectified, resized, {arguments.width, arguments.height}, 0, 0,
                 arguments.resize_interpolation);
    }));
    record.add({i, 1'000'000'000 + static_cast<std::int64_t>(i) * period_ns, resized.cols,
                resized.rows, frame.encoding, image_hash(resized, frame.encoding)});
  }
  return times;
}

nlohmann::json row(const char* kernel, const Arguments& arguments, const Input& input,
                   const std::vector<double>& values) {
  const Statistics s = statistics_of(values);
  const Frame& frame = input.frames.front();
  return {{"bench", "kernels"},
          {"params",
           {{"kernel", kernel},
            {"width", frame.image.cols},
            {"height", frame.image.rows},
            {"out_width", arguments.width},
            {"out_height", arguments.height},
            {"encoding", frame.encoding},
            {"threads", arguments.threads}}},
          {"peer", "opencv"},
          {"metric", "time"},
          {"unit", "ns"},
          {"n", s.n},
          {"p50", s.p50},
          {"p99", s.p99},
          {"mean", s.mean},
          {"sd", s.sd}};
}

bool write_times(const Arguments& arguments, const Input& input, const Times& times) {
  std::vector<double> both(times.remap_ns.size());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = times.remap_ns[i] + times.resize_ns[i];
  const nlohmann::json document = {
      {"context", {{"opencv", cv::getVersionString()}, {"program", "ligament-image-reference"}}},
      {"rows",
       {row("remap", arguments, input, times.remap_ns),
        row("resize", arguments, input, times.resize_ns),
        row("remap+resize", arguments, input, both)}}};
  for (const auto& line : document["rows"]) {
    std::printf("%-13s p50 %8.1f us   p99 %8.1f us   mean %8.1f us   sd %7.1f us   n %zu\n",
                line["params"]["kernel"].get<std::string>().c_str(),
                line["p50"].get<double>() / 1e3, line["p99"].get<double>() / 1e3,
                line["mean"].get<double>() / 1e3, line["sd"].get<double>() / 1e3,
                line["n"].get<std::size_t>());
  }
  std::ofstream file(fs::path(arguments.out) / "kernels.json");
  file << document.dump(1) << '\n';
  return file.good();
}

bool write_picture(const Arguments& arguments, const Input& input) {
  const Frame& frame = input.frames.front();
  const auto image = convert_encoding(frame.image, frame.encoding, "bgr8");
  if (!image) return false;
  const Maps maps = maps_for(input.calibration);
  cv::Mat rectified;
  cv::Mat resized;
  cv::remap(*image, rectified, maps.xy, maps.fraction, arguments.rectify_interpolation);
  cv::resize(rectified, resized, {arguments.width, arguments.height}, 0, 0,
             arguments.resize_interpolation);
  const auto size = [](const cv::Mat& m) {
    return " " + std::to_string(m.cols) + "x" + std::to_string(m.rows);
  };
  const cv::Mat picture = side_by_side({{"input" + size(*image), *image},
                                        {"rectified" + size(rectified), rectified},
                                        {"resized" + size(resized), resized}});
  return cv::imwrite((fs::path(arguments.out) / "picture.png").string(), picture);
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--source", arguments.source.path, "as the camera's parameter `source`");
  app.add_option("--calibration", arguments.source.calibration, "as the camera's parameter");
  app.add_option("--encoding", arguments.source.encoding, "as the camera's parameter");
  app.add_option("--image-topic", arguments.source.image_topic, "as the camera's parameter");
  app.add_option("--frames", arguments.frames, "frames to process")->check(CLI::PositiveNumber);
  app.add_option("--rate-hz", arguments.rate_hz, "rate of the stamps")->check(CLI::PositiveNumber);
  app.add_option("--rectify-interpolation", arguments.rectify_interpolation, "OpenCV's code");
  app.add_option("--resize-interpolation", arguments.resize_interpolation, "OpenCV's code");
  app.add_option("--width", arguments.width, "of the resized image")->check(CLI::PositiveNumber);
  app.add_option("--height", arguments.height, "of the resized image")->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "OpenCV's threads");
  app.add_option("--out", arguments.out, "folder for sink.jsonl, kernels.json, picture.png");
}

int fail(const std::string& text) {
  std::fprintf(stderr, "ligament-image-reference: %s\n", text.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("cv::remap and cv::resize on the camera's frames, without Ligament");
  add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  cv::setNumThreads(arguments.threads);

  const auto input = load(arguments);
  if (!input) return fail(input.error().text);
  if (!is_calibrated(input->calibration))
    return fail("the frames have no calibration; set --calibration");
  RecordFile record;
  if (!record.open(fs::path(arguments.out) / "sink.jsonl")) {
    return fail("cannot write into '" + arguments.out + "'");
  }
  const Times times = run(arguments, *input, record);
  if (!write_times(arguments, *input, times) || !write_picture(arguments, *input)) {
    return fail("cannot write kernels.json or picture.png into '" + arguments.out + "'");
  }
  return 0;
}
