// SPDX-License-Identifier: Apache-2.0
#include "sink/frame_check.hpp"

namespace ligament::nodes::image {

bool FrameCheck::is_expected(const Format& format) {
  if (expected_.width == 0) expected_.width = format.width;
  if (expected_.height == 0) expected_.height = format.height;
  if (expected_.encoding.empty()) expected_.encoding = format.encoding;
  return format.width == expected_.width && format.height == expected_.height &&
         format.encoding == expected_.encoding;
}

std::uint64_t FrameCheck::missing_before(std::int64_t stamp_ns) {
  const std::int64_t step = stamp_ns - last_stamp_ns_;
  if (expected_.period_ns == 0) expected_.period_ns = step;
  const std::int64_t periods = (step + expected_.period_ns / 2) / expected_.period_ns;
  return expected_.gaps && periods > 1 ? static_cast<std::uint64_t>(periods - 1) : 0;
}

FrameCheck::Verdict FrameCheck::on_frame(std::int64_t stamp_ns, const Format& format) {
  Verdict verdict;
  if (frames_ > 0 && stamp_ns == last_stamp_ns_) {
    ++duplicates_;
    return {Kind::duplicate, next_index_ - 1, 0, false};
  }
  if (frames_ > 0 && stamp_ns < last_stamp_ns_) {
    ++backwards_;
    return {Kind::backwards, next_index_, 0, false};
  }
  if (frames_ == 0) {
    verdict.kind = Kind::first;
  } else if ((verdict.missing = missing_before(stamp_ns)) > 0) {
    verdict.kind = Kind::gap;
    missing_ += verdict.missing;
  }
  verdict.format_changed = !is_expected(format);
  wrong_format_ += verdict.format_changed ? 1 : 0;
  verdict.index = next_index_ + verdict.missing;
  next_index_ = verdict.index + 1;
  last_stamp_ns_ = stamp_ns;
  ++frames_;
  return verdict;
}

}  // namespace ligament::nodes::image
