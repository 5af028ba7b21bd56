// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/slab.hpp"

#include <bit>

namespace ligament::rpmsg {

namespace {

std::uint32_t run_of(std::uint32_t block, std::uint32_t blocks) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << blocks) - 1) << block);
}

}  // namespace

void Slab::reset() {
  busy_ = 0;
  lent_ = 0;
  ticket_ = 0;
  tickets_.fill(0);
  for (auto& returned : area_.control().returned_by_host) {
    store(returned, 0);
  }
}

std::uint32_t Slab::blocks_of(std::size_t size) const {
  return static_cast<std::uint32_t>((size + area_.map().block_size - 1) / area_.map().block_size);
}

std::size_t Slab::most() const {
  return static_cast<std::size_t>(area_.map().block_size) * area_.map().blocks;
}

bool Slab::collect() {
  bool any = false;
  for (std::uint32_t block = 0; block < area_.map().blocks; ++block) {
    if (tickets_[block] != 0 && load(area_.control().returned_by_core[block]) == tickets_[block]) {
      busy_ &= (lent_ & 1U << block) != 0 ? UINT32_MAX : ~runs_[block];
      tickets_[block] = 0;
      any = true;
    }
  }
  return any;
}

std::optional<std::uint32_t> Slab::find(std::size_t size) {
  if (area_.map().block_size == 0 || size == 0 || size > most()) {
    return std::nullopt;
  }
  collect();
  const std::uint32_t blocks = blocks_of(size);
  for (std::uint32_t block = 0; block + blocks <= area_.map().blocks; ++block) {
    const std::uint32_t run = run_of(block, blocks);
    if ((busy_ & run) == 0) {
      busy_ |= run;
      runs_[block] = run;
      return block;
    }
  }
  return std::nullopt;
}

std::optional<Extent> Slab::allocate(std::size_t size) {
  const auto block = find(size);
  if (!block) {
    return std::nullopt;
  }
  Extent extent{*block, static_cast<std::uint32_t>(size), 0, 0};
  (void)ticket(extent);
  return extent;
}

std::optional<Extent> Slab::lend(std::size_t size) {
  std::uint32_t blocks = area_.map().block_size == 0 || size > most() ? 0 : blocks_of(size);
  for (std::uint32_t block = 0; block < area_.map().blocks; ++block) {
    blocks +=
        (lent_ & 1U << block) != 0 ? static_cast<std::uint32_t>(std::popcount(runs_[block])) : 0;
  }
  const auto block = 2 * blocks <= area_.map().blocks ? find(size) : std::nullopt;
  if (!block) {
    return std::nullopt;
  }
  lent_ |= 1U << *block;
  return Extent{*block, static_cast<std::uint32_t>(size), 0, 0};
}

bool Slab::ticket(Extent& extent) {
  if (tickets_[extent.block] != 0) {
    collect();
  }
  if (tickets_[extent.block] != 0) {
    return false;
  }
  ticket_ = ticket_ == UINT32_MAX ? 1 : ticket_ + 1;  // 0 is "none"
  tickets_[extent.block] = ticket_;
  extent.ticket = ticket_;
  return true;
}

void Slab::end_loan(const Extent& extent) {
  lent_ &= ~(1U << extent.block);
  if (tickets_[extent.block] == 0) {
    busy_ &= ~runs_[extent.block];
  }
}

std::byte* Slab::ours(const Extent& extent) const {
  return area_.at(area_.layout().slab[LIGAMENT_RPMSG_TO_CORE] +
                  extent.block * area_.map().block_size);
}

expected<Bytes, Breach> Slab::theirs(const Extent& extent) const {
  const auto& map = area_.map();
  if (map.block_size == 0 || extent.block >= map.blocks || extent.length == 0 ||
      extent.length > (map.blocks - extent.block) * map.block_size) {
    return unexpected<Breach>("it sent an extent outside its slab");
  }
  const auto* data =
      area_.at(area_.layout().slab[LIGAMENT_RPMSG_TO_HOST] + extent.block * map.block_size);
  return Bytes(data, extent.length);
}

void Slab::give_back(const Extent& extent) {
  store(area_.control().returned_by_host[extent.block], extent.ticket);
}

}  // namespace ligament::rpmsg
