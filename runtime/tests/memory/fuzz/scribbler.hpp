// SPDX-License-Identifier: Apache-2.0
/// \file A hostile peer whose deeds come from the fuzz input: at once, after so many reads of its
/// pages, or again and again (a storm).
#pragma once

#include <vector>

#include "machine.hpp"

namespace ligament::pool::fuzz {

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
      if (later_.size() < 16) {
        later_.push_back({loads_ + when - 127U, action});
      }
    } else {
      storm_every_ = when - 247U;
      storm_ = action;
    }
  }
  void calm_down() {
    storm_every_ = 0;
    later_.clear();
  }

  void at_load() override {
    ++loads_;
    if (storm_every_ != 0 && loads_ % storm_every_ == 0) {
      perform(storm_);
    }
    if (!later_.empty()) {
      perform_due();
    }
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
  void perform_due() {
    for (std::size_t i = 0; i < later_.size();) {
      if (later_[i].load <= loads_) {
        const Action action = later_[i].action;
        later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(i));
        perform(action);
      } else {
        ++i;
      }
    }
  }

  std::uint64_t loads_ = 0;
  std::uint64_t storm_every_ = 0;
  Action storm_;
  std::vector<Later> later_;
};

}  // namespace ligament::pool::fuzz
