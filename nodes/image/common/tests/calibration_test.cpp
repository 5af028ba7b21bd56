// SPDX-License-Identifier: Apache-2.0
#include "common/calibration.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "camera/sources.hpp"
#include "tests/temporary_folder.hpp"

namespace ligament::nodes::image {
namespace {

using testing::HasSubstr;

constexpr const char* kOpenCv = R"(%YAML:1.0
---
image_width: 640
image_height: 480
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 5.3e+02, 0., 3.4e+02, 0., 5.4e+02, 2.3e+02, 0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 5
   cols: 1
   dt: d
   data: [ -2.6e-01, -3.8e-02, 1.7e-03, -2.8e-04, 2.3e-01 ]
)";

constexpr const char* kRos = R"(image_width: 640
image_height: 480
camera_name: left
camera_matrix: {rows: 3, cols: 3, data: [530.0, 0, 340.0, 0, 540.0, 230.0, 0, 0, 1]}
distortion_model: rational_polynomial
distortion_coefficients: {rows: 1, cols: 8, data: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]}
rectification_matrix: {rows: 3, cols: 3, data: [0, 1, 0, 1, 0, 0, 0, 0, 1]}
projection_matrix: {rows: 3, cols: 4, data: [500, 0, 320, -50, 0, 501, 240, 0, 0, 0, 1, 0]}
)";

TEST(ReadCalibration, ReadsOpenCvYamlAndFillsDefaults) {
  const TemporaryFolder folder;
  const auto c = read_calibration(folder.write("c.yml", kOpenCv));
  ASSERT_TRUE(c) << c.error().text;
  EXPECT_EQ(c->width, 640U);
  EXPECT_EQ(c->height, 480U);
  EXPECT_EQ(c->distortion_model, "plumb_bob");
  EXPECT_THAT(c->d, testing::ElementsAre(-0.26, -0.038, 0.0017, -0.00028, 0.23));
  EXPECT_EQ(c->k, (std::array<double, 9>{530, 0, 340, 0, 540, 230, 0, 0, 1}));
  EXPECT_EQ(c->r, (std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(c->p, (std::array<double, 12>{530, 0, 340, 0, 0, 540, 230, 0, 0, 0, 1, 0}));
}

TEST(ReadCalibration, ReadsRosCameraInfoYaml) {
  const TemporaryFolder folder;
  const auto c = read_calibration(folder.write("c.yaml", kRos));
  ASSERT_TRUE(c) << c.error().text;
  EXPECT_EQ(c->distortion_model, "rational_polynomial");
  EXPECT_EQ(c->d.size(), 8U);
  EXPECT_EQ(c->r, (std::array<double, 9>{0, 1, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(c->p[3], -50.0);
}

TEST(ReadCalibration, ReadsGzippedFilesAsDebianShipsThem) {
  const TemporaryFolder folder;
  const std::string path = folder.write("c.yml", kOpenCv);
  ASSERT_EQ(std::system(("gzip " + path).c_str()), 0);  // NOLINT: a test's own file
  const auto c = read_calibration(path + ".gz");
  ASSERT_TRUE(c) << c.error().text;
  EXPECT_EQ(c->k[4], 540.0);
}

TEST(ReadCalibration, ReadsTheSampleOfOpenCvDoc) {
  const auto sample = sample_photographs();
  if (!sample) GTEST_SKIP() << sample.error().text;
  const auto c = read_calibration(sample->calibration);
  ASSERT_TRUE(c) << c.error().text;
  EXPECT_EQ(c->width, 640U);
  EXPECT_TRUE(has_distortion(*c));
}

TEST(ReadCalibration, NamesTheFileThatIsNotThere) {
  const auto c = read_calibration("/nowhere/c.yml");
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error().code, CalibrationErrorCode::not_found);
  EXPECT_THAT(c.error().text, HasSubstr("/nowhere/c.yml"));
}

TEST(ReadCalibration, RefusesWhatIsNoCalibration) {
  const TemporaryFolder folder;
  for (const char* text : {"", "hello", "{a: ", "image_width: 640\n"}) {
    const auto c = read_calibration(folder.write("c.yml", text));
    ASSERT_FALSE(c) << text;
    EXPECT_THAT(c.error().text, HasSubstr("c.yml"));
  }
}

/// Of kRos with `other` in place of `part`.
CalibrationError error_with(std::string_view part, std::string_view other) {
  const TemporaryFolder folder;
  std::string text = kRos;
  text.replace(text.find(part), part.size(), other);
  const auto c = read_calibration(folder.write("c.yaml", text));
  EXPECT_FALSE(c);
  return c ? CalibrationError{} : c.error();
}

TEST(ReadCalibration, NamesTheMissingField) {
  const CalibrationError error = error_with("image_height", "image_hoehe");
  EXPECT_EQ(error.code, CalibrationErrorCode::field_missing);
  EXPECT_THAT(error.text, HasSubstr("image_height"));
}

TEST(ReadCalibration, RefusesAnUnknownNumberOfCoefficients) {
  EXPECT_THAT(error_with(", 0.8]", "]").text, HasSubstr("7 distortion coefficients"));
}

TEST(ReadCalibration, RefusesValuesThatAreNotNumbers) {
  EXPECT_EQ(error_with("530.0", ".nan ").code, CalibrationErrorCode::bad_value);
}

}  // namespace
}  // namespace ligament::nodes::image
