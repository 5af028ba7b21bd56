// SPDX-License-Identifier: Apache-2.0
/// \file A hostile peer whose deeds come from the fuzz input: at once, after so many reads of its
/// pages, or again and again (a storm).
#pragma once

#include <algorithm>
#include <array>

#include "machine.hpp"

namespace ligament::pool::fuzz {

/// A storm that never ends is what most of the time goes into; the fast build has shorter ones.
#ifdef LIGAMENT_FUZZ_FAST
inline constexpr std::uint64_t longest_storm = 64;
#else
inline constexpr std::uint64_t longest_storm = UINT64_MAX;
#endif

struct Action {
  std::uint8_t kind = 0;
  std::uint8_t a = 0;
  std::uint8_t b = 0;
  std::uint64_t value = 0;
};

class Scribbler : public Peer {
 public:
  /// Reads one action from the input: when, what.
  void plan(Input& input) {
    const std::uint8_t when = input.next();
    const Action action = read(input);
    if (when < 128) {
      perform(action);
    } else if (when < 248) {
      if (later_count_ < later_.size()) {
        later_[later_count_++] = {Machine::get().loads + when - 127U, action};
      }
    } else {
      storm_every_ = when - 247U;
      storm_acts_ = 0;
      storm_ = action;
    }
    arrange();
  }
  void calm_down() {
    storm_every_ = 0;
    later_count_ = 0;
  }

  void at_load() override {
    const std::uint64_t now = Machine::get().loads;
    if (storm_every_ != 0 && now % storm_every_ == 0) {
      perform(storm_);
      storm_every_ = ++storm_acts_ < longest_storm ? storm_every_ : 0;
    }
    perform_due(now);
    arrange();
  }

 protected:
  virtual void perform(const Action& action) = 0;

 private:
  struct Later {
    std::uint64_t load = 0;
    Action action;
  };
  static Action read(Input& input) {
    Action action;
    action.kind = input.next();
    action.a = input.next();
    action.b = input.next();
    action.value = input.number();
    return action;
  }
  void perform_due(std::uint64_t now) {
    for (std::size_t i = 0; i < later_count_;) {
      if (later_[i].load <= now) {
        const Action action = later_[i].action;
        later_[i] = later_[--later_count_];
        perform(action);
      } else {
        ++i;
      }
    }
  }
  /// Says when it wants to be asked again: most reads cost one comparison then.
  void arrange() const {
    Machine& machine = Machine::get();
    machine.act_at =
        storm_every_ == 0 ? UINT64_MAX : (machine.loads / storm_every_ + 1) * storm_every_;
    for (std::size_t i = 0; i < later_count_; ++i) {
      machine.act_at = std::min(machine.act_at, later_[i].load);
    }
  }

  std::uint64_t storm_every_ = 0;
  std::uint64_t storm_acts_ = 0;
  Action storm_;
  std::array<Later, 16> later_;
  std::size_t later_count_ = 0;
};

}  // namespace ligament::pool::fuzz
