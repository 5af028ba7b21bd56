// SPDX-License-Identifier: Apache-2.0
/// \file What the benches of the FPGA cores are judged by: OpenCV itself, behind plain functions
/// that Python calls. image_bench.py compiles it.
#include <cstdint>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

namespace {

struct Frame {
  std::uint8_t* data;
  int width;
  int height;
  int channels;
};

cv::Mat mat(const Frame& frame) {
  return {frame.height, frame.width, CV_8UC(frame.channels), frame.data};
}

}  // namespace

extern "C" {

/// By the factors, or where they are 0 to the size of `out`.
void golden_resize(const Frame* in, const Frame* out, double x, double y) {
  cv::Mat result = mat(*out);
  if (x > 0) {
    cv::resize(mat(*in), result, cv::Size(), x, y, cv::INTER_LINEAR);
  } else {
    cv::resize(mat(*in), result, result.size(), 0, 0, cv::INTER_LINEAR);
  }
}

void golden_rectify(const Frame* in, const Frame* out, const double* k, const double* d,
                    const double* p) {
  const cv::Matx33d camera(k);
  const cv::Matx<double, 1, 5> bend(d);
  const cv::Matx34d projection(p);
  cv::Mat places;
  cv::Mat fractions;
  cv::initUndistortRectifyMap(camera, bend, cv::Matx33d::eye(), projection,
                              cv::Size(in->width, in->height), CV_16SC2, places, fractions);
  cv::Mat result = mat(*out);
  cv::remap(mat(*in), result, places, fractions, cv::INTER_LINEAR);
}

/// The places alone, in 1/32 pixel: x and y of each pixel.
void golden_places(const Frame* size, std::int32_t* places, const double* k, const double* d,
                   const double* p) {
  cv::Mat xy;
  cv::Mat fractions;
  cv::initUndistortRectifyMap(cv::Matx33d(k), cv::Matx<double, 1, 5>(d), cv::Matx33d::eye(),
                              cv::Matx34d(p), cv::Size(size->width, size->height), CV_16SC2, xy,
                              fractions);
  for (int row = 0; row < size->height; ++row) {
    for (int column = 0; column < size->width; ++column) {
      const auto place = xy.at<cv::Vec2s>(row, column);
      const int fraction = fractions.at<std::uint16_t>(row, column);
      *places++ = place[0] * 32 + (fraction & 31);
      *places++ = place[1] * 32 + (fraction >> 5);
    }
  }
}

void golden_blur(const Frame* in, const Frame* out, int size) {
  cv::Mat result = mat(*out);
  cv::GaussianBlur(mat(*in), result, {size, size}, 0);
}

/// By OpenCV's code.
void golden_convert(const Frame* in, const Frame* out, int code) {
  cv::Mat result = mat(*out);
  cv::cvtColor(mat(*in), result, code);
}

void golden_threshold(const Frame* in, const Frame* out, int level, int maximum, int type) {
  cv::Mat result = mat(*out);
  cv::threshold(mat(*in), result, level, maximum, type);
}

void golden_equalise(const Frame* in, const Frame* out) {
  cv::Mat result = mat(*out);
  cv::equalizeHist(mat(*in), result);
}

}  // extern "C"
