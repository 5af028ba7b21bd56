// SPDX-License-Identifier: Apache-2.0
/// \file ORB features of a picture, spread over it, and quick looks at those near a pixel.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>
#include <vector>

namespace ligament::nodes::driving::slam {

using Descriptor = std::array<std::uint64_t, 4>;

/// Bits in which two descriptors differ, of 256.
[[nodiscard]] inline int bits_apart(const Descriptor& one, const Descriptor& other) {
  int bits = 0;
  for (std::size_t i = 0; i < one.size(); ++i) bits += std::popcount(one[i] ^ other[i]);
  return bits;
}

struct Feature {
  cv::Point2d pixel;
  double sigma = 1;  ///< how sure the pixel is, in pixels: that of its level of the pyramid
  Descriptor descriptor{};
};

/// The features of one picture, in cells.
class Features {
 public:
  Features() = default;
  explicit Features(cv::Size size);

  void add(const Feature& feature);
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const Feature& operator[](std::size_t i) const { return all_[i]; }
  /// The numbers of those that are at most `radius` away from a pixel.
  void near(const cv::Point2d& pixel, double radius, std::vector<int>& found) const;

 private:
  static constexpr int kCell = 32;
  [[nodiscard]] int column_of(double x) const;
  [[nodiscard]] int row_of(double y) const;
  [[nodiscard]] std::size_t cell_of(int row, int column) const;

  int columns_ = 0;
  int rows_ = 0;
  std::vector<Feature> all_;
  std::vector<std::vector<int>> cells_;
};

/// Finds at most `most` of them, as even over the picture as it has them. `grey` is CV_8UC1.
class FeatureFinder {
 public:
  explicit FeatureFinder(int most) : most_(most) {}
  [[nodiscard]] Features find(const cv::Mat& grey);

 private:
  int most_;
};

}  // namespace ligament::nodes::driving::slam
