// SPDX-License-Identifier: Apache-2.0
/// \file Is this the frame that should come next? Pure: stamps and sizes go in, a verdict comes
/// out.
///
///   FrameCheck check;
///   const auto verdict = check.on_frame(stamp_ns, {320, 240, "rgb8"});
///   if (verdict.kind == FrameCheck::Kind::duplicate) return;
///
/// Frames carry no number, only a stamp. The first two stamps tell the period (or the caller does);
/// from then on, a stamp more than half a period late means missing frames. The index counts them,
/// so that a lost frame does not shift the comparison of all that follow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ligament::nodes::image {

class FrameCheck {
 public:
  enum class Kind : std::uint8_t {
    next,       ///< as it should be
    first,      ///< nothing to compare with
    duplicate,  ///< the same frame again (the camera sends unacknowledged frames again)
    gap,        ///< frames are missing before this one
    backwards,  ///< older than the one before
  };
  struct Format {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::string_view encoding;
  };
  struct Verdict {
    Kind kind = Kind::next;
    std::uint64_t index = 0;
    std::uint64_t missing = 0;    ///< frames lost before this one
    bool format_changed = false;  ///< other size or encoding than expected
  };
  struct Expected {
    std::int64_t period_ns = 0;  ///< 0: the difference of the first two stamps
    bool gaps = true;            ///< false: stamps need only grow
    std::uint32_t width = 0;     ///< 0 and empty: as the first frame
    std::uint32_t height = 0;
    std::string encoding{};
  };

  FrameCheck() = default;
  explicit FrameCheck(Expected expected) : expected_(std::move(expected)) {}

  [[nodiscard]] Verdict on_frame(std::int64_t stamp_ns, const Format& format);

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
  [[nodiscard]] std::uint64_t backwards() const { return backwards_; }
  [[nodiscard]] std::uint64_t wrong_format() const { return wrong_format_; }

 private:
  [[nodiscard]] bool is_expected(const Format& format);
  [[nodiscard]] std::uint64_t missing_before(std::int64_t stamp_ns);

  Expected expected_;
  std::int64_t last_stamp_ns_ = 0;
  std::uint64_t next_index_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t backwards_ = 0;
  std::uint64_t wrong_format_ = 0;
};

}  // namespace ligament::nodes::image
