// SPDX-License-Identifier: Apache-2.0
#include "camera/pacer.hpp"

namespace ligament::nodes::image {

std::optional<Pacer::Frame> Pacer::due(std::int64_t now_ns) {
  const bool all_sent = options_.frames != 0 && next_ >= options_.frames;
  if (waits_for_first() || waits_for_acks() ||
      (all_sent && options_.pacing == Pacing::ack && acknowledged_ < next_)) {
    return overdue(now_ns);
  }
  if (all_sent || now_ns < not_before_ns_) return std::nullopt;
  // Counted from when it was due, unless it is late by a frame: a timer's lateness does not add up.
  const bool late = now_ns - not_before_ns_ >= options_.period_ns;
  not_before_ns_ = (late ? now_ns : not_before_ns_) + options_.period_ns;
  waiting_since_ns_ = now_ns;
  return Frame{next_++, false};
}

std::optional<Pacer::Frame> Pacer::overdue(std::int64_t now_ns) {
  if (now_ns - waiting_since_ns_ < timeout_ns_) return std::nullopt;
  waiting_since_ns_ = now_ns;
  timeout_ns_ *= 2;
  ++sent_again_;
  return Frame{acknowledged_, true};
}

void Pacer::on_done(std::uint64_t index, std::int64_t now_ns) {
  if (index >= next_ || index < acknowledged_) return;
  acknowledged_ = index + 1;
  waiting_since_ns_ = now_ns;
  timeout_ns_ = options_.ack_timeout_ns;
}

bool Pacer::finished() const {
  if (options_.frames == 0 || next_ < options_.frames) return false;
  return (options_.pacing != Pacing::ack && !waits_for_first()) || acknowledged_ >= next_;
}

}  // namespace ligament::nodes::image
