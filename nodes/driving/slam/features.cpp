// SPDX-License-Identifier: Apache-2.0
#include "slam/features.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/features2d.hpp>

namespace ligament::nodes::driving::slam {

namespace {

constexpr float kStep = 1.2F;  // from level to level of the pyramid
constexpr int kLevels = 6;
constexpr int kContrast = 5;
constexpr int kCandidates = 3;  // times as many are found first as are kept
constexpr int kBands = 3;       // of the picture; the ground's features are weaker than a wall's
constexpr int kPatch = 40;      // pixels of a square that gives features in turn with others

/// The strongest of each square first, then the second ones, and so on.
std::vector<cv::KeyPoint> spread(std::vector<cv::KeyPoint> points, cv::Size size,
                                 std::size_t most) {
  std::sort(points.begin(), points.end(),
            [](const auto& one, const auto& other) { return one.response > other.response; });
  const int columns = size.width / kPatch + 1;
  const int rows = size.height / kPatch + 1;
  std::vector<int> taken(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), 0);
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& at = points[i].pt;
    const int square = static_cast<int>(at.y) / kPatch * columns + static_cast<int>(at.x) / kPatch;
    order.emplace_back(taken[static_cast<std::size_t>(square)]++, i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& one, const auto& other) { return one.first < other.first; });
  std::vector<cv::KeyPoint> kept;
  for (const auto& [turn, i] : order) {
    if (kept.size() == most) break;
    kept.push_back(points[i]);
  }
  return kept;
}

}  // namespace

Features::Features(cv::Size size)
    : columns_(size.width / kCell + 1),
      rows_(size.height / kCell + 1),
      cells_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {}

int Features::column_of(double x) const {
  return std::clamp(static_cast<int>(std::floor(x / kCell)), 0, columns_ - 1);
}

int Features::row_of(double y) const {
  return std::clamp(static_cast<int>(std::floor(y / kCell)), 0, rows_ - 1);
}

std::size_t Features::cell_of(int row, int column) const {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
         static_cast<std::size_t>(column);
}

void Features::add(const Feature& feature) {
  cells_[cell_of(row_of(feature.pixel.y), column_of(feature.pixel.x))].push_back(
      static_cast<int>(all_.size()));
  all_.push_back(feature);
}

void Features::near(const cv::Point2d& pixel, double radius, std::vector<int>& found) const {
  found.clear();
  for (int row = row_of(pixel.y - radius); row <= row_of(pixel.y + radius); ++row) {
    for (int column = column_of(pixel.x - radius); column <= column_of(pixel.x + radius);
         ++column) {
      for (const int i : cells_[cell_of(row, column)]) {
        const auto away = all_[static_cast<std::size_t>(i)].pixel - pixel;
        if (away.dot(away) <= radius * radius) found.push_back(i);
      }
    }
  }
}

Features FeatureFinder::find(const cv::Mat& grey) {
  const auto orb = cv::ORB::create(most_ * kCandidates / kBands, kStep, kLevels, 19, 0, 2,
                                   cv::ORB::FAST_SCORE, 31, kContrast);
  std::vector<cv::KeyPoint> points;
  for (int band = 0; band < kBands; ++band) {
    // A feature lies at least 19 pixels inside what ORB is given.
    const int above = std::max(0, grey.rows * band / kBands - 19);
    const int below = std::min(grey.rows, grey.rows * (band + 1) / kBands + 19);
    std::vector<cv::KeyPoint> found;
    orb->detect(grey.rowRange(above, below), found);
    for (auto& one : found) {
      one.pt.y += static_cast<float>(above);
      points.push_back(one);
    }
  }
  points = spread(std::move(points), grey.size(), static_cast<std::size_t>(most_));
  cv::Mat descriptors;
  orb->compute(grey, points, descriptors);
  Features found(grey.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Feature feature;
    feature.pixel = points[i].pt;
    feature.sigma = std::pow(static_cast<double>(kStep), points[i].octave);
    std::memcpy(feature.descriptor.data(), descriptors.ptr(static_cast<int>(i)),
                sizeof(feature.descriptor));
    found.add(feature);
  }
  return found;
}

}  // namespace ligament::nodes::driving::slam
