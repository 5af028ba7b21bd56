// SPDX-License-Identifier: Apache-2.0
// The perception graph without Ligament: cv::remap and cv::resize called in a loop on the frames
// that the camera node would publish; behind them, if asked for, cv::GaussianBlur and cv::cvtColor
// to grey. It answers two questions:
//   are the graph's outputs right?     sink.jsonl: the lines that the sink of the graph must record
//   are the graph's kernels as fast?   kernels.json: times of the calls, nothing else in them
// and it draws the picture of the input and of what each call made of it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
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

const std::string grey = "mono8";

struct Arguments {
  SourceOptions source{.encoding = "rgb8"};
  std::uint64_t frames = 600;
  double rate_hz = 30;
  int rectify_interpolation = cv::INTER_LINEAR;
  int resize_interpolation = cv::INTER_LINEAR;
  int width = 320;
  int height = 240;
  int blur = 0;          ///< side of the filter; 0: none
  bool is_grey = false;  ///< whether the result is mono8
  int threads = 1;
  std::string out = ".";
};

struct Input {
  std::vector<Frame> frames;
  Calibration calibration;
};

/// One call of OpenCV, from image to image.
struct Call {
  std::string kernel;
  std::string made;  ///< what its result is, for the picture
  std::function<void(const cv::Mat& in, cv::Mat& out)> work;
  cv::Mat result;
  std::vector<double> times_ns;
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

/// The chain, each call on the result of the one before.
std::vector<Call> calls_of(const Arguments& arguments, const Input& input) {
  std::vector<Call> calls;
  const auto add = [&](const char* kernel, const char* made, auto work) {
    calls.push_back({kernel, made, std::move(work), {}, {}});
  };
  add("remap", "rectified",
      [maps = maps_for(input.calibration), how = arguments.rectify_interpolation](
          const cv::Mat& in, cv::Mat& out) { cv::remap(in, out, maps.xy, maps.fraction, how); });
  add("resize", "resized",
      [size = cv::Size(arguments.width, arguments.height), how = arguments.resize_interpolation](
          const cv::Mat& in, cv::Mat& out) { cv::resize(in, out, size, 0, 0, how); });
  if (arguments.blur > 0) {
    add("GaussianBlur", "blurred",
        [size = cv::Size(arguments.blur, arguments.blur)](const cv::Mat& in, cv::Mat& out) {
          cv::GaussianBlur(in, out, size, 0);
        });
  }
  if (arguments.is_grey) {
    const bool is_bgr = input.frames.front().encoding == "bgr8";
    add("cvtColor", "grey",
        [code = is_bgr ? cv::COLOR_BGR2GRAY : cv::COLOR_RGB2GRAY](const cv::Mat& in, cv::Mat& out) {
          cv::cvtColor(in, out, code);
        });
  }
  return calls;
}

void call_all(std::vector<Call>& calls, const cv::Mat& image) {
  const cv::Mat* in = &image;
  for (Call& call : calls) {
    call.times_ns.push_back(timed([&] { call.work(*in, call.result); }));
    in = &call.result;
  }
}

void run(const Arguments& arguments, const Input& input, std::vector<Call>& calls,
         RecordFile& record) {
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / arguments.rate_hz));
  const cv::Mat& made = calls.back().result;
  cv::Mat image;
  for (std::uint64_t i = 0; i < arguments.frames; ++i) {
    const Frame& frame = input.frames[i % input.frames.size()];
    const std::string& encoding = arguments.is_grey ? grey : frame.encoding;
    frame.image.copyTo(image);  // as the camera does, so that the caches are in the same state
    call_all(calls, image);
    record.add({i, 1'000'000'000 + static_cast<std::int64_t>(i) * period_ns, made.cols, made.rows,
                encoding, image_hash(made, encoding)});
  }
}

nlohmann::json row(const std::string& kernel, const Arguments& arguments, const Input& input,
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

/// A row per call, and last one of all together.
nlohmann::json rows_of(const Arguments& arguments, const Input& input,
                       const std::vector<Call>& calls) {
  nlohmann::json rows = nlohmann::json::array();
  std::vector<double> all(calls.front().times_ns.size());
  std::string names;
  for (const Call& call : calls) {
    rows.push_back(row(call.kernel, arguments, input, call.times_ns));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += call.times_ns[i];
    names += (names.empty() ? "" : "+") + call.kernel;
  }
  rows.push_back(row(names, arguments, input, all));
  return rows;
}

bool write_times(const Arguments& arguments, const nlohmann::json& rows) {
  for (const auto& line : rows) {
    std::printf("%-13s p50 %8.1f us   p99 %8.1f us   mean %8.1f us   sd %7.1f us   n %zu\n",
                line["params"]["kernel"].get<std::string>().c_str(),
                line["p50"].get<double>() / 1e3, line["p99"].get<double>() / 1e3,
                line["mean"].get<double>() / 1e3, line["sd"].get<double>() / 1e3,
                line["n"].get<std::size_t>());
  }
  std::ofstream file(fs::path(arguments.out) / "kernels.json");
  file << nlohmann::json{{"context",
                          {{"opencv", cv::getVersionString()},
                           {"program", "ligament-image-reference"}}},
                         {"rows", rows}}
              .dump(1)
       << '\n';
  return file.good();
}

bool write_picture(const Arguments& arguments, const Input& input, std::vector<Call>& calls) {
  const Frame& frame = input.frames.front();
  std::vector<Panel> panels;
  const auto add = [&](const std::string& label, const cv::Mat& image,
                       const std::string& encoding) {
    const auto shown = convert_encoding(image, encoding, "bgr8");
    if (shown) {
      panels.push_back({label + " " + std::to_string(image.cols) + "x" + std::to_string(image.rows),
                        shown->clone()});
    }
    return shown.has_value();
  };
  call_all(calls, frame.image);
  bool is_whole = add("input", frame.image, frame.encoding);
  for (const Call& call : calls) {
    const bool is_grey = arguments.is_grey && &call == &calls.back();
    is_whole = is_whole && add(call.made, call.result, is_grey ? grey : frame.encoding);
  }
  return is_whole &&
         cv::imwrite((fs::path(arguments.out) / "picture.png").string(), side_by_side(panels));
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
  app.add_option("--blur", arguments.blur, "cv::GaussianBlur of this side behind resize")
      ->check(CLI::IsMember({3, 5, 7}));
  app.add_flag("--grey", arguments.is_grey, "cv::cvtColor to grey at the end");
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
  if (arguments.is_grey && input->frames.front().image.channels() != 3)
    return fail("only frames of three colours become grey; set --encoding");
  RecordFile record;
  if (!record.open(fs::path(arguments.out) / "sink.jsonl")) {
    return fail("cannot write into '" + arguments.out + "'");
  }
  std::vector<Call> calls = calls_of(arguments, *input);
  run(arguments, *input, calls, record);
  if (!write_times(arguments, rows_of(arguments, *input, calls)) ||
      !write_picture(arguments, *input, calls)) {
    return fail("cannot write kernels.json or picture.png into '" + arguments.out + "'");
  }
  return 0;
}
