// SPDX-License-Identifier: Apache-2.0
// Golden tests of the GPU kernels: bit-identical with cv::GaussianBlur, which is the CPU node.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "tests/gpu_kernels.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using Kind = gpu::ArgumentKind;

class BlurGpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program = open_kernels(
        LIGAMENT_IMAGE_NODES "/blur/blur.cl",
        {{"blur_rows",
          {Kind::input, Kind::number, Kind::number, Kind::number, Kind::number, Kind::buffer}},
         {"blur_columns", {Kind::buffer, Kind::number, Kind::number, Kind::output}}});
    ASSERT_NE(program, nullptr);
  }
  static void TearDownTestSuite() { program.reset(); }

  /// As the manifest launches them.
  static void expect_golden(const cv::Mat& in, std::int64_t size) {
    SCOPED_TRACE(testing::Message() << in.cols << "x" << in.rows << "x" << in.channels()
                                    << " with a filter of " << size);
    cv::Mat golden;
    const int side = static_cast<int>(size);
    cv::GaussianBlur(in.clone(), golden, {side, side}, 0);
    cv::Mat out(in.size(), in.type(), cv::Scalar::all(77));
    const std::int64_t row = std::int64_t{in.cols} * in.channels();
    const gpu::Kept rows{.place = 0, .bytes = row * in.rows * 2};
    const std::array<gpu::Argument, 6> along{bytes_of(in),
                                             std::int64_t{in.cols},
                                             static_cast<std::int64_t>(in.step),
                                             std::int64_t{in.channels()},
                                             size,
                                             rows};
    const std::array<gpu::Argument, 4> down{rows, std::int64_t{in.rows}, size, bytes_into(out)};
    const std::array<std::int64_t, 3> global{row, in.rows, 1};
    const auto done =
        program->run(std::array{gpu::Launch{.kernel = 0, .global = global, .arguments = along},
                                gpu::Launch{.kernel = 1, .global = global, .arguments = down}});
    ASSERT_TRUE(done) << done.error().text;
    EXPECT_TRUE(identical(out, golden));
  }

  static inline std::unique_ptr<gpu::Program> program;
};

TEST_F(BlurGpu, IsBitIdenticalWithOpenCvForEachSizeOfTheFilter) {
  for (const int size : {3, 5, 7}) {
    for (const int type : {CV_8UC1, CV_8UC3, CV_8UC4}) {
      expect_golden(noise_image(160, 120, type), size);
    }
  }
}

TEST_F(BlurGpu, IsBitIdenticalWithOpenCvWhereTheImageIsSmallerThanTheFilter) {
  // A few: PoCL compiles a kernel anew for each local size.
  expect_golden(noise_image(1, 3, CV_8UC3), 7);
  expect_golden(noise_image(5, 2, CV_8UC1), 7);
}

TEST_F(BlurGpu, ReadsRowsWithPadding) {
  const cv::Mat wide = noise_image(200, 120, CV_8UC3);
  expect_golden(wide(cv::Rect(0, 0, 160, 120)), 5);
}

}  // namespace
}  // namespace ligament::nodes::image
