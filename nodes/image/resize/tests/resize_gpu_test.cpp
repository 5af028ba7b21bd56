// SPDX-License-Identifier: Apache-2.0
// Golden tests of the GPU kernels: bit-identical with cv::resize, on whatever OpenCL device there
// is.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "resize/resize_kernel.hpp"
#include "tests/gpu_kernels.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using Kind = gpu::ArgumentKind;

class ResizeGpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::vector<Kind> half(7, Kind::number);
    half[0] = Kind::input;
    half[4] = Kind::output;
    std::vector<Kind> linear = half;
    linear.resize(9, Kind::number);
    program =
        open_kernels(LIGAMENT_IMAGE_NODES "/resize/resize.cl",
                     {{"resize_linear", linear},
                      {"resize_half", half},
                      {"copy_rows", {Kind::input, Kind::number, Kind::output, Kind::number}}});
    ASSERT_NE(program, nullptr);
  }
  static void TearDownTestSuite() { program.reset(); }

  /// As the manifest launches them.
  static void resize(const cv::Mat& in, cv::Mat& out, double step_x, double step_y) {
    const bool half = step_x == 2.0 && step_y == 2.0;
    const std::int64_t row = std::int64_t{out.cols} * out.channels();
    const auto source = bytes_of(in);
    const auto result = bytes_into(out);
    std::vector<gpu::Argument> arguments{source,
                                         std::int64_t{in.cols},
                                         std::int64_t{in.rows},
                                         static_cast<std::int64_t>(in.step),
                                         result,
                                         row,
                                         std::int64_t{out.channels()}};
    std::uint32_t kernel = half ? 1 : 0;
    if (in.size() == out.size()) {
      arguments = {source, static_cast<std::int64_t>(in.step), result, row};
      kernel = 2;
    } else if (!half) {
      arguments.emplace_back(step_x);
      arguments.emplace_back(step_y);
    }
    const std::array launches{
        gpu::Launch{.kernel = kernel, .global = {row, out.rows, 1}, .arguments = arguments}};
    const auto done = program->run(launches);
    ASSERT_TRUE(done) << done.error().text;
  }

  static void expect_golden(const cv::Mat& image, double scale_x, double scale_y) {
    SCOPED_TRACE(testing::Message() << image.cols << "x" << image.rows << "x" << image.channels()
                                    << " by " << scale_x << ", " << scale_y);
    const ResizeRequest request{.scale_height = scale_y, .scale_width = scale_x};
    const auto size = resized_size(request, image.size());
    ASSERT_TRUE(size);
    cv::Mat golden;
    cv::resize(image, golden, cv::Size(), scale_x, scale_y, cv::INTER_LINEAR);
    cv::Mat out(*size, image.type(), cv::Scalar::all(77));
    resize(image, out, 1.0 / scale_x, 1.0 / scale_y);
    EXPECT_TRUE(identical(out, golden));
  }

  static inline std::unique_ptr<gpu::Program> program;
};

TEST_F(ResizeGpu, IsBitIdenticalWithOpenCvForEachNumberOfChannels) {
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4}) {
    expect_golden(noise_image(160, 120, type), 0.5, 0.5);
    expect_golden(noise_image(160, 120, type), 0.3, 0.7);
    expect_golden(noise_image(160, 120, type), 2.0, 1.5);
  }
}

TEST_F(ResizeGpu, IsBitIdenticalWithOpenCvAtOddSizesAndFactors) {
  // A few: PoCL compiles a kernel anew for each local size.
  for (const double scale : {0.333, 0.5, 0.999, 1.0, 1.01, 3.3}) {
    for (const int width : {1, 33, 35}) {
      if (std::nearbyint(width * scale) < 1) {
        continue;
      }
      expect_golden(noise_image(width, 29, CV_8UC3), scale, scale);
      expect_golden(noise_image(width, 30, CV_8UC1), scale, 0.5);
    }
  }
}

TEST_F(ResizeGpu, IsBitIdenticalWithOpenCvForAWholeCameraFrame) {
  expect_golden(noise_image(640, 480, CV_8UC3), 0.5, 0.5);
  expect_golden(noise_image(640, 480, CV_8UC3), 0.4, 0.6);
}

TEST_F(ResizeGpu, ReadsRowsWithPadding) {
  const cv::Mat whole = noise_image(80, 40, CV_8UC3);
  const cv::Mat part = whole(cv::Rect(0, 0, 63, 40));
  cv::Mat golden;
  cv::resize(part, golden, cv::Size(), 0.6, 0.6, cv::INTER_LINEAR);
  cv::Mat out(golden.size(), golden.type(), cv::Scalar::all(77));
  resize(part, out, 1.0 / 0.6, 1.0 / 0.6);
  EXPECT_TRUE(identical(out, golden));
}

}  // namespace
}  // namespace ligament::nodes::image
