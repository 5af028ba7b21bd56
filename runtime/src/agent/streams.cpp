// SPDX-License-Identifier: Apache-2.0
#include "agent/streams.hpp"

#include <algorithm>

namespace ligament::xrce {

namespace {

constexpr std::size_t most_assembled = std::size_t{4} << 20;
constexpr std::int64_t least_pause_ns = 5'000'000;
constexpr std::int64_t most_pause_ns = 200'000'000;
constexpr std::int64_t first_pause_ns = 100'000'000;

}  // namespace

bool BestEffortInput::accept(std::uint16_t sequence) {
  const int ahead = distance(sequence, newest_);
  if (ahead <= 0) {
    return false;
  }
  lost_ += static_cast<std::uint64_t>(ahead - 1);
  newest_ = sequence;
  return true;
}

ReliableInput::Verdict ReliableInput::accept(std::uint16_t sequence, Bytes behind_header) {
  const int ahead = distance(sequence, next_);
  if (ahead >= 0 && distance(sequence, announced_) > 0 && ahead < window) {
    announced_ = sequence;
  }
  if (ahead == 0) {
    slot(sequence).is_there = false;
    next_ = advanced(next_, 1);
    return Verdict::now;
  }
  if (ahead < 0 || ahead >= window || slot(sequence).is_there) {
    return Verdict::refused;
  }
  slot(sequence).bytes.assign(behind_header.begin(), behind_header.end());
  slot(sequence).is_there = true;
  return Verdict::kept;
}

std::optional<Bytes> ReliableInput::next_kept() {
  Kept& kept = slot(next_);
  if (!kept.is_there) {
    return std::nullopt;
  }
  kept.is_there = false;
  next_ = advanced(next_, 1);
  return Bytes(kept.bytes);
}

bool ReliableInput::announce(std::uint16_t first, std::uint16_t last) {
  if (distance(last, announced_) > 0 && distance(last, first) >= -1) {
    announced_ = last;
  }
  bool has_lost = false;
  // The peer has forgotten these: they will never come.
  while (distance(first, next_) > 0) {
    has_lost = has_lost || !slot(next_).is_there;
    lost_ += slot(next_).is_there ? 0 : 1;
    slot(next_).is_there = false;
    next_ = advanced(next_, 1);
  }
  if (distance(next_, announced_) > 1) {
    announced_ = advanced(next_, -1);
  }
  return has_lost;
}

Acknack ReliableInput::acknack(std::uint8_t stream) const {
  Acknack answer{next_, 0, stream};
  const int count = std::min<int>(distance(announced_, next_) + 1, window);
  for (int i = 0; i < count; ++i) {
    const std::uint16_t sequence = advanced(next_, i);
    if (!slots_[sequence % window].is_there) {
      answer.missing = static_cast<std::uint16_t>(answer.missing | 1U << static_cast<unsigned>(i));
    }
  }
  return answer;
}

ReliableOutput::Held& ReliableOutput::push(std::int64_t now_ns) {
  if (held_.empty()) {
    due_ns_ = now_ns + pause_ns_;
  }
  held_.emplace_back();
  held_.back().sent_ns = now_ns;
  next_ = advanced(next_, 1);
  return held_.back();
}

void ReliableOutput::acknowledge(const Acknack& acknack, std::int64_t now_ns,
                                 std::vector<Held*>& again) {
  const int held = static_cast<int>(held_.size());
  const int arrived = distance(acknack.first, advanced(next_, -held));
  if (arrived < 0 || arrived > held) {
    return;  // older than what we heard already, or about what we never sent
  }
  if (arrived > 0) {
    const Held& newest = held_[static_cast<std::size_t>(arrived) - 1];
    if (!newest.is_repeated) {
      const std::int64_t took = now_ns - newest.sent_ns;
      round_trip_ns_ = round_trip_ns_ == 0 ? took : (round_trip_ns_ * 7 + took) / 8;
    }
    held_.erase(held_.begin(), held_.begin() + arrived);
    pause_ns_ = round_trip_ns_ == 0 ? first_pause_ns
                                    : std::clamp(round_trip_ns_ * 3, least_pause_ns, most_pause_ns);
    due_ns_ = now_ns + pause_ns_;
  }
  for (std::size_t i = 0; i < held_.size() && i < window; ++i) {
    // What was sent less than a round trip ago may be in flight: it is not missing yet.
    const bool may_come = now_ns - held_[i].sent_ns < round_trip_ns_ * 3 / 4;
    if ((acknack.missing >> i & 1U) != 0 && !may_come) {
      held_[i].is_repeated = true;
      held_[i].sent_ns = now_ns;
      again.push_back(&held_[i]);
    }
  }
}

std::optional<std::int64_t> ReliableOutput::heartbeat_due_ns() const {
  return held_.empty() ? std::nullopt : std::optional(due_ns_);
}

Heartbeat ReliableOutput::heartbeat(std::uint8_t stream, std::int64_t now_ns) {
  pause_ns_ = std::min(pause_ns_ * 2, most_pause_ns);  // a client that is away is not flooded
  due_ns_ = now_ns + pause_ns_;
  return {advanced(next_, -static_cast<int>(held_.size())), advanced(next_, -1), stream};
}

std::optional<Bytes> Assembly::add(Bytes piece, bool is_last) {
  if (is_whole_) {
    clear();
  }
  is_too_large_ = is_too_large_ || bytes_.size() + piece.size() > most_assembled;
  if (!is_too_large_) {
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  }
  is_whole_ = is_last;
  return is_last && !is_too_large_ ? std::optional(Bytes(bytes_)) : std::nullopt;
}

void Assembly::clear() {
  bytes_.clear();
  is_whole_ = false;
  is_too_large_ = false;
}

}  // namespace ligament::xrce
