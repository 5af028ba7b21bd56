// SPDX-License-Identifier: Apache-2.0
#include <ligament/detail/residents.hpp>

namespace ligament::gpu {

Residents& Residents::instance() {
  static auto* const only = new Residents;
  return *only;
}

std::shared_ptr<Resident> Residents::of_block(const std::byte* block) {
  const std::lock_guard lock(mutex_);
  const auto known = blocks_.find(block);
  if (known == blocks_.end()) {
    return nullptr;
  }
  auto found = messages_.find(known->second);
  auto resident = std::move(found->second);
  messages_.erase(found);
  blocks_.erase(known);
  return resident.use_count() == 1 ? resident : nullptr;
}

std::shared_ptr<Resident> Residents::find(std::uint64_t publisher, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  const auto found = messages_.find({publisher, sequence});
  return found == messages_.end() ? nullptr : found->second;
}

void Residents::forget(const std::byte* block) {
  if (const auto known = blocks_.find(block); known != blocks_.end()) {
    messages_.erase(known->second);
    blocks_.erase(known);
  }
}

void Residents::forget_publisher(std::uint64_t publisher) {
  const std::lock_guard lock(mutex_);
  std::erase_if(blocks_, [&](const auto& entry) { return entry.second.first == publisher; });
  std::erase_if(messages_, [&](const auto& entry) { return entry.first.first == publisher; });
}

}  // namespace ligament::gpu
