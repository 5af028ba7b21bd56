// SPDX-License-Identifier: Apache-2.0
// Golden tests of the GPU kernels: bit-identical with the CPU node's, on whatever OpenCL device
// there is.
#include <gtest/gtest.h>

#include "rectify/rectify_map.hpp"
#include "tests/gpu_kernels.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using Kind = gpu::ArgumentKind;

template <typename Container>
gpu::Values values_of(const Container& container) {
  return {std::as_bytes(std::span(container))};
}

class RectifyGpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::vector<Kind> table{Kind::values, Kind::values, Kind::values, Kind::values,
                                  Kind::number, Kind::number, Kind::number, Kind::number,
                                  Kind::number, Kind::buffer};
    const std::vector<Kind> linear{Kind::input,  Kind::number, Kind::number, Kind::number,
                                   Kind::output, Kind::number, Kind::number, Kind::buffer};
    program = open_kernels(LIGAMENT_IMAGE_NODES "/rectify/rectify.cl",
                           {{"rectify_table", table}, {"rectify_linear", linear}});
    ASSERT_NE(program, nullptr);
  }
  static void TearDownTestSuite() { program.reset(); }

  /// As the manifest launches them.
  static void rectify(const cv::Mat& in, const Calibration& c, cv::Mat& out) {
    const std::int64_t binning_x = std::max(1U, c.binning_x);
    const std::int64_t binning_y = std::max(1U, c.binning_y);
    const std::int64_t row = std::int64_t{out.cols} * out.channels();
    const gpu::Kept table{.place = 0, .bytes = std::int64_t{in.cols} * in.rows * 8};
    const std::array<gpu::Argument, 10> of_table{values_of(c.k),
                                                 values_of(c.r),
                                                 values_of(c.p),
                                                 values_of(c.d),
                                                 static_cast<std::int64_t>(c.d.size()),
                                                 binning_x,
                                                 binning_y,
                                                 c.roi_x / binning_x,
                                                 c.roi_y / binning_y,
                                                 table};
    const std::array<gpu::Argument, 8> of_linear{bytes_of(in),
                                                 std::int64_t{in.cols},
                                                 std::int64_t{in.rows},
                                                 static_cast<std::int64_t>(in.step),
                                                 bytes_into(out),
                                                 row,
                                                 std::int64_t{out.channels()},
                                                 table};
    const auto done = program->run(std::array{
        gpu::Launch{.kernel = 0,
                    .global = {in.cols, in.rows, 1},
                    .arguments = of_table,
                    .when_changed = true},
        gpu::Launch{.kernel = 1, .global = {in.cols, in.rows, 1}, .arguments = of_linear}});
    ASSERT_TRUE(done) << done.error().text;
  }

  static void expect_golden(const cv::Mat& raw, const Calibration& c) {
    const auto map = RectifyMap::create(c);
    ASSERT_TRUE(map) << to_string(map.error());
    cv::Mat golden(raw.size(), raw.type());
    ASSERT_TRUE(map->remap(raw, golden, 1));
    cv::Mat out(raw.size(), raw.type(), cv::Scalar::all(77));
    rectify(raw, c, out);
    EXPECT_TRUE(identical(out, golden));
    EXPECT_FALSE(identical(out, raw)) << "the lens of this test bends nothing";
  }

  static inline std::unique_ptr<gpu::Program> program;
};

TEST_F(RectifyGpu, IsBitIdenticalWithTheCpuNodeForEachNumberOfChannels) {
  for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4}) {
    SCOPED_TRACE(type);
    expect_golden(noise_image(160, 120, type), test_calibration(160, 120));
  }
}

TEST_F(RectifyGpu, IsBitIdenticalWithTheCpuNodeForEachNumberOfCoefficients) {
  Calibration c = test_calibration(160, 120);
  for (const std::size_t count : {4U, 5U, 8U, 12U}) {
    SCOPED_TRACE(count);
    c.distortion_model = count > 5 ? "rational_polynomial" : "plumb_bob";
    // Different ones: with equal ones some places lie exactly between two steps of 1/32 pixel, and
    // there OpenCV's own rounding error decides.
    c.d.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      c.d[i] = 0.01 + 0.0013 * static_cast<double>(i);
    }
    expect_golden(noise_image(160, 120, CV_8UC3), c);
  }
}

TEST_F(RectifyGpu, IsBitIdenticalWithTheCpuNodeForAWholeCameraFrame) {
  expect_golden(noise_image(640, 480, CV_8UC3), test_calibration(640, 480));
  expect_golden(noise_image(1280, 720, CV_8UC1), test_calibration(1280, 720));
}

TEST_F(RectifyGpu, UsesRotationAndProjection) {
  Calibration c = test_calibration(160, 120);
  c.r = {0.9998, -0.02, 0, 0.02, 0.9998, 0, 0, 0, 1};
  c.p[0] *= 0.8;
  c.p[1] = 0.7;
  c.p[4] = 0.3;
  c.p[5] *= 0.9;
  expect_golden(noise_image(160, 120, CV_8UC3), c);
}

TEST_F(RectifyGpu, UsesBinningAndRegion) {
  Calibration c = test_calibration(320, 240);
  c.binning_x = 2;
  c.binning_y = 3;
  expect_golden(noise_image(160, 80, CV_8UC3), c);
  c.roi_x = 20;
  c.roi_y = 9;
  c.roi_width = 200;
  c.roi_height = 150;
  expect_golden(noise_image(100, 50, CV_8UC3), c);
}

TEST_F(RectifyGpu, ReadsRowsWithPadding) {
  const cv::Mat wide = noise_image(200, 120, CV_8UC3);
  expect_golden(wide(cv::Rect(0, 0, 160, 120)), test_calibration(160, 120));
}

}  // namespace
}  // namespace ligament::nodes::image
