// SPDX-License-Identifier: Apache-2.0
/// \file The pool without events: replaced by its own definitions, which are stronger.
#include <ligament/detail/pool.hpp>

namespace ligament::pool {

#define LIGAMENT_WEAK __attribute__((weak))
LIGAMENT_WEAK void Writer::assert_liveliness() {}
LIGAMENT_WEAK bool Writer::has_events() const { return false; }
LIGAMENT_WEAK WriterEvents Writer::take_events() { return {}; }
LIGAMENT_WEAK bool Reader::has_events() const { return false; }
LIGAMENT_WEAK ReaderEvents Reader::take_events() { return {}; }
#undef LIGAMENT_WEAK

}  // namespace ligament::pool
