// SPDX-License-Identifier: Apache-2.0
/// \file Labelled places where a test may kill or delay a thread; nothing in ordinary builds.
///
/// A label is a step of the protocol's model, `operation.step`. Tests build these sources with
/// LIGAMENT_CRASH_POINTS and set the hook; the labels are the same in the model's source.
#pragma once

#ifdef LIGAMENT_CRASH_POINTS
namespace ligament::pool {
inline void (*crash_hook)(const char* label) = nullptr;
}
#define LIGAMENT_CRASH_POINT(label)                \
  do {                                             \
    if (::ligament::pool::crash_hook != nullptr) { \
      ::ligament::pool::crash_hook(label);         \
    }                                              \
  } while (false)
#else
#define LIGAMENT_CRASH_POINT(label) static_cast<void>(0)
#endif
