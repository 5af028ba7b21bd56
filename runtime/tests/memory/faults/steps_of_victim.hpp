// SPDX-License-Identifier: Apache-2.0
/// \file Makes a process die or stop itself at the label that its `Figures` name. Nothing in
/// programs built without crash points.
#pragma once

#include "faults/figures.hpp"

#ifdef LIGAMENT_CRASH_POINTS
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

#include "memory/crash_point.hpp"
#endif

namespace ligament::pool::test {

#ifdef LIGAMENT_CRASH_POINTS

inline Figures* victim = nullptr;

/// A few steps are reached only if somebody else acts meanwhile: wait there for them. Longer than a
/// keep-all publish waits for us (100 ms): only then does its process go on, and lap us elsewhere.
inline void give_others_time(std::string_view here, std::string_view wanted) {
  const bool lapped = wanted == "take.undone" && here == "take.hold_written";
  if (lapped) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
}

inline void at_label(const char* here) {
  const char* wanted = victim->label.load();
  if (victim->occurrences.load() <= 0) {
    return;
  }
  if (std::strcmp(here, wanted) != 0) {
    give_others_time(here, wanted);
    return;
  }
  if (victim->occurrences.fetch_sub(1) != 1) {
    return;
  }
  victim->reached = true;
  if (victim->action.load() == AtLabel::die) {
    ::kill(::getpid(), SIGKILL);
  } else {
    ::raise(SIGSTOP);  // this thread stops here, and all others with it
  }
}

inline void arm_this_process(Figures& figures) {
  victim = &figures;
  crash_hook = at_label;
}

#else

inline void arm_this_process(Figures&) {}

#endif

}  // namespace ligament::pool::test
