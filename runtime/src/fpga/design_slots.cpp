// SPDX-License-Identifier: Apache-2.0
/// A shell's slots: cores that come and go while others work (spec/device/slots.md, "Exchange").
#include <fmt/format.h>

#include <ligament/fpga_slot.hpp>
#include <utility>

#include "node/node_state.hpp"

namespace ligament::fpga {

void Turns::lock() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = next_++;
  changed_.wait(lock, [&] { return now_ == mine; });
}

bool Turns::try_lock() {
  const std::lock_guard lock(mutex_);
  const bool is_free = now_ == next_;
  next_ += static_cast<std::uint64_t>(is_free);
  return is_free;
}

void Turns::unlock() {
  {
    const std::lock_guard lock(mutex_);
    ++now_;
  }
  changed_.notify_all();
}

expected<void, std::string> Design::occupy(Member& member, std::size_t slot, const SlotUse& use,
                                           std::unique_ptr<SlotCore> core) {
  const std::lock_guard turn(turns_);
  Place& place = places_.at(slot);
  if (place.member != nullptr) {
    return unexpected<std::string>(fmt::format("{} holds '{}'", plan_.nodes[slot].name,
                                               place.member->get_fully_qualified_name()));
  }
  Region& region = *plan_.regions.at(slot);
  for (std::size_t i = 0; i < use.registers.size(); ++i) {
    region.pins.registers.at(i) = use.registers[i];
  }
  region.put(std::move(core));
  hardware_.exchange(slot, &use);
  if (hardware_.is_foreign(slot)) {
    const std::uint64_t identity = region.pins.identity;
    empty(slot);
    return unexpected<std::string>(fmt::format(
        "its core is for the shell {:016x}, and {} is of the shell {:016x}: `ligament build` makes "
        "both anew",
        identity, plan_.nodes[slot].name, plan_.identity));
  }
  place.member = &member;
  begin_figures(slot, use);
  return {};
}

void Design::vacate(std::size_t slot) {
  const std::lock_guard turn(turns_);
  forget(slot);
  empty(slot);
}

/// First the isolation, then nothing.
void Design::empty(std::size_t slot) {
  hardware_.exchange(slot, nullptr);
  plan_.regions[slot]->clear();
}

/// The streams of the slot have counted for others before.
void Design::begin_figures(std::size_t slot, const SlotUse& use) {
  const std::lock_guard lock(mutex_);
  Place& place = places_[slot];
  place.figures = {};
  place.figures.streams.push_back({use.input, true, true});
  place.figures.streams.push_back({use.output, false, true});
  place.before.clear();
  for (const std::size_t probe : place.probes) {
    place.before.push_back(hardware_.stream(probe));
  }
  place.pace_before = hardware_.paces()[slot];
}

std::uint64_t& Design::register_pin(std::size_t slot, std::size_t number) {
  return plan_.regions.at(slot)->pins.registers.at(number);
}

SlotMember::SlotMember(const std::string& name, const NodeOptions& options,
                       std::shared_ptr<Design> shell, std::size_t slot)
    : Member(name, options, shell, slot), shell_(std::move(shell)), slot_(slot) {}

void SlotMember::enter(SlotUse use, std::unique_ptr<SlotCore> core) {
  use.node = get_fully_qualified_name();
  if (auto in = shell_->occupy(*this, slot_, use, std::move(core)); !in) {
    state().report(NodeErrorKind::system, "it does not come into its slot: " + in.error());
  } else {
    holds_ = true;
  }
}

SlotMember::~SlotMember() {
  if (holds_) {
    shell_->vacate(slot_);
  }
}

std::uint64_t& SlotMember::register_pin(std::size_t number) {
  return shell_->register_pin(slot_, number);
}

}  // namespace ligament::fpga
