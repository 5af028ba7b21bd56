// SPDX-License-Identifier: Apache-2.0
// Golden tests of the GPU kernels: bit-identical with convert_into, which is the CPU node, for
// every pair of encodings.
#include <gtest/gtest.h>

#include "common/image_format.hpp"
#include "tests/gpu_kernels.hpp"
#include "tests/test_images.hpp"

namespace ligament::nodes::image {
namespace {

using Kind = gpu::ArgumentKind;

constexpr std::array<std::string_view, 5> encodings{"mono8", "rgb8", "bgr8", "rgba8", "bgra8"};

bool is_blue_first(std::string_view encoding) { return encoding == "bgr8" || encoding == "bgra8"; }

class ConvertGpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program = open_kernels(
        LIGAMENT_IMAGE_NODES "/convert/convert.cl",
        {{"to_grey", {Kind::input, Kind::number, Kind::number, Kind::number, Kind::output}},
         {"reorder",
          {Kind::input, Kind::number, Kind::number, Kind::number, Kind::output, Kind::number}}});
    ASSERT_NE(program, nullptr);
  }
  static void TearDownTestSuite() { program.reset(); }

  /// As the manifest launches them.
  static void convert(const cv::Mat& in, std::string_view from, std::string_view to, cv::Mat& out) {
    const std::int64_t wanted = out.channels();
    const std::int64_t swaps = is_blue_first(from) != is_blue_first(to) ? 1 : 0;
    const std::int64_t red = is_blue_first(from) ? 2 : 0;
    const auto step = static_cast<std::int64_t>(in.step);
    std::vector<gpu::Argument> arguments{bytes_of(in), step, std::int64_t{in.channels()}};
    const bool is_grey = wanted == 1 && in.channels() > 1;
    arguments.insert(arguments.end(), {is_grey ? red : swaps, bytes_into(out)});
    if (!is_grey) {
      arguments.emplace_back(wanted);
    }
    const auto done = program->run(std::array{gpu::Launch{
        .kernel = is_grey ? 0U : 1U, .global = {in.cols, in.rows, 1}, .arguments = arguments}});
    ASSERT_TRUE(done) << done.error().text;
  }

  static inline std::unique_ptr<gpu::Program> program;
};

TEST_F(ConvertGpu, IsBitIdenticalWithTheCpuNodeForEachPairOfEncodings) {
  for (const auto from : encodings) {
    for (const auto to : encodings) {
      SCOPED_TRACE(testing::Message() << from << " to " << to);
      const cv::Mat wide = noise_image(200, 120, *cv_type_of(from));
      const cv::Mat in = wide(cv::Rect(0, 0, 161, 120));  // rows with padding
      cv::Mat golden(in.size(), *cv_type_of(to));
      ASSERT_TRUE(can_convert(from, to));
      ASSERT_TRUE(convert_into(in, from, to, golden));
      cv::Mat out(in.size(), golden.type(), cv::Scalar::all(77));
      convert(in, from, to, out);
      EXPECT_TRUE(identical(out, golden));
    }
  }
}

}  // namespace
}  // namespace ligament::nodes::image
