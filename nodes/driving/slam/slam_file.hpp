// SPDX-License-Identifier: Apache-2.0
/// \file A map in a file. What is read is checked: a file may be anything.
///
/// All numbers are little-endian; u and i are whole numbers of 32 bits, f is a double.
///
///   "LIGSLAM1"   u width, u height     of the pictures
///   u keyframes  each: 3 f pose, u features; of each feature: 2 f pixel, f sigma, 32 bytes of the
///                descriptor, i point (-1: none)
///   u points     each: 3 f place, 32 bytes, u on_ground, u gone, u born, i expected, i found
///
/// Which keyframes see a point follows from the keyframes. What wheels told is of their own frame,
/// which is another one the next time, so it is not kept.
#pragma once

#include <filesystem>
#include <ligament/expected.hpp>
#include <string>

#include "slam/map.hpp"

namespace ligament::nodes::driving::slam {

struct SavedMap {
  Map map;
  cv::Size size;  ///< of the pictures
};

/// Writes beside the file first, so that a file is whole or the one before. Else what is wrong.
[[nodiscard]] expected<void, std::string> save_map(const std::filesystem::path& file,
                                                   const Map& map, cv::Size size);
[[nodiscard]] expected<SavedMap, std::string> load_map(const std::filesystem::path& file);

}  // namespace ligament::nodes::driving::slam
