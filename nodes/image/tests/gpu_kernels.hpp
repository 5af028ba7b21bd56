// SPDX-License-Identifier: Apache-2.0
/// \file What the golden tests of kernels share: a kernel file opened, and images as bytes.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <ligament/gpu.hpp>
#include <memory>
#include <opencv2/core.hpp>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ligament::nodes::image {

/// Null, and a failure of the test, where it cannot be opened.
inline std::unique_ptr<gpu::Program> open_kernels(const std::string& path,
                                                  std::vector<gpu::KernelDescription> kernels) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  gpu::ProgramDescription description;
  description.sources.push_back({path, text.str()});
  description.kernels = std::move(kernels);
  const auto settings = gpu::settings_from_environment();
  if (!settings) {
    ADD_FAILURE() << settings.error().text;
    return nullptr;
  }
  auto opened = gpu::Program::open(description, *settings);
  EXPECT_TRUE(opened) << opened.error().text;
  return opened ? std::move(*opened) : nullptr;
}

inline std::span<const std::byte> bytes_of(const cv::Mat& image) {
  return {reinterpret_cast<const std::byte*>(image.data),
          image.step * static_cast<std::size_t>(image.rows)};
}

inline std::span<std::byte> bytes_into(cv::Mat& image) {
  return {reinterpret_cast<std::byte*>(image.data),
          image.step * static_cast<std::size_t>(image.rows)};
}

}  // namespace ligament::nodes::image
