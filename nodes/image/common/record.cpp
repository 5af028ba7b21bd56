// SPDX-License-Identifier: Apache-2.0
#include "common/record.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/hash.hpp"

namespace ligament::nodes::image {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

}  // namespace

std::uint64_t image_hash(const cv::Mat& image, std::string_view encoding) {
  std::array<char, 96> title{};
  const int length = std::snprintf(title.data(), title.size(), "%dx%d %.*s", image.cols, image.rows,
                                   static_cast<int>(encoding.size()), encoding.data());
  const auto title_bytes = std::min(static_cast<std::size_t>(length), title.size() - 1);
  std::uint64_t hash = xxh64({reinterpret_cast<const std::uint8_t*>(title.data()), title_bytes});
  const std::size_t row_bytes = static_cast<std::size_t>(image.cols) * image.elemSize();
  for (int row = 0; row < image.rows; ++row) {
    hash = xxh64({image.ptr<std::uint8_t>(row), row_bytes}, hash);
  }
  return hash;
}

bool RecordFile::open(const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  file_.open(path, std::ios::binary | std::ios::trunc);
  buffer_.reserve(kBufferBytes);
  return file_.is_open();
}

void RecordFile::add(const FrameRecord& record) {
  std::array<char, 256> line{};
  const int length = std::snprintf(
      line.data(), line.size(),
      "{\"index\":%llu,\"stamp_ns\":%lld,\"width\":%d,\"height\":%d,\"encoding\":\"%.*s\","
      "\"hash\":\"%016llx\"}\n",
      static_cast<unsigned long long>(record.index), static_cast<long long>(record.stamp_ns),
      record.width, record.height,
      static_cast<int>(std::min<std::size_t>(record.encoding.size(), 32)), record.encoding.data(),
      static_cast<unsigned long long>(record.hash));
  if (buffer_.size() + static_cast<std::size_t>(length) > kBufferBytes) (void)flush();
  buffer_.append(line.data(), static_cast<std::size_t>(length));
}

bool RecordFile::flush() {
  if (!file_.is_open()) return true;
  file_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  file_.flush();
  buffer_.clear();
  return file_.good();
}

}  // namespace ligament::nodes::image
