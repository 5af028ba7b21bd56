// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/ring.hpp"

#include <algorithm>
#include <cstring>

namespace ligament::rpmsg {

Ring::Ring(const Area& area, Direction direction)
    : area_(area), direction_(direction), mask_(area.map().count - 1), out_(area.map().count) {}

void Ring::reset() {
  const auto begin = area_.layout().ring[static_cast<std::size_t>(direction_)];
  const auto end = begin + area_.layout().used + 6 + 8 * area_.map().count;
  std::memset(area_.at(begin), 0, end - begin);
  std::fill(out_.begin(), out_.end(), false);
  next_avail_ = 0;
  next_used_ = 0;
  outstanding_ = 0;
}

std::uint16_t& Ring::avail(std::uint32_t word) const {
  const auto begin = area_.layout().ring[static_cast<std::size_t>(direction_)];
  return *reinterpret_cast<std::uint16_t*>(area_.at(begin + area_.layout().avail + 2 * word));
}

std::uint16_t& Ring::used_index() const {
  const auto begin = area_.layout().ring[static_cast<std::size_t>(direction_)];
  return *reinterpret_cast<std::uint16_t*>(area_.at(begin + area_.layout().used + 2));
}

ligament_vring_used_t& Ring::used_entry(std::uint32_t slot) const {
  const auto begin = area_.layout().ring[static_cast<std::size_t>(direction_)];
  return *reinterpret_cast<ligament_vring_used_t*>(
      area_.at(begin + area_.layout().used + 4 + 8 * slot));
}

std::byte* Ring::buffer(std::uint16_t id) const {
  const auto begin = area_.layout().buffers[static_cast<std::size_t>(direction_)];
  return area_.at(begin + id * area_.map().buffer_size);
}

expected<std::optional<Ring::Used>, Breach> Ring::take() {
  const auto ready = static_cast<std::uint16_t>(load(used_index()) - next_used_);
  if (ready == 0) {
    return std::nullopt;
  }
  if (ready > outstanding_) {
    return unexpected<Breach>("it used more buffers than it had");
  }
  auto& entry = used_entry(next_used_ & mask_);
  const std::uint32_t id = load(entry.id);
  const std::uint32_t size = load(entry.length);
  if (id > mask_ || !out_[id]) {
    return unexpected<Breach>("it used a buffer that was not its own");
  }
  if (size > area_.map().buffer_size) {
    return unexpected<Breach>("it wrote more than a buffer holds");
  }
  out_[id] = false;
  --outstanding_;
  ++next_used_;
  return Used{static_cast<std::uint16_t>(id), size};
}

bool Ring::has_used() const { return load(used_index()) != next_used_; }

void Ring::give(std::uint16_t id, std::uint32_t size) {
  const auto direction = static_cast<std::size_t>(direction_);
  auto* entries =
      reinterpret_cast<ligament_vring_descriptor_t*>(area_.at(area_.layout().ring[direction]));
  const auto offset = area_.layout().buffers[direction] + id * area_.map().buffer_size;
  const std::uint16_t flags = direction_ == Direction::to_host ? LIGAMENT_VRING_WRITE : 0;
  entries[id] = {area_.map().base + offset, 0, size, flags, 0};
  avail(2 + (next_avail_ & mask_)) = id;
  ++next_avail_;
  out_[id] = true;
  ++outstanding_;
}

void Ring::publish() { store(avail(1), next_avail_); }

}  // namespace ligament::rpmsg
