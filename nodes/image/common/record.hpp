// SPDX-License-Identifier: Apache-2.0
/// \file What a checked frame leaves behind: one line of JSON, so that runs can be compared.
///
///   {"index":7,"stamp_ns":1233333331,"width":320,"height":240,"encoding":"rgb8","hash":"9f…"}
///
/// The hash is XXH64 over the pixels of each row (padding is no content), each row seeded with the
/// hash of the one before, the first with that of the text "<width>x<height> <encoding>".
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <opencv2/core/mat.hpp>
#include <string>
#include <string_view>

namespace ligament::nodes::image {

[[nodiscard]] std::uint64_t image_hash(const cv::Mat& image, std::string_view encoding);

struct FrameRecord {
  std::uint64_t index = 0;
  std::int64_t stamp_ns = 0;
  int width = 0;
  int height = 0;
  std::string_view encoding;
  std::uint64_t hash = 0;
};

/// Appends lines to a file. They are kept in memory and written some hundred at a time, so that the
/// node does not make a system call per frame.
class RecordFile {
 public:
  RecordFile() = default;
  ~RecordFile() { (void)flush(); }
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Creates the folder and an empty file; false if that is not possible.
  [[nodiscard]] bool open(const std::filesystem::path& path);
  void add(const FrameRecord& record);
  /// False if this or any earlier write failed (a full disk): the file is then incomplete.
  [[nodiscard]] bool flush();

 private:
  std::ofstream file_;
  std::string buffer_;
};

}  // namespace ligament::nodes::image
