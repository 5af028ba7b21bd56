// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/fault.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace ligament::rpmsg {

namespace {

std::string reason_of(const ligament_fault_t& fault) {
  switch (fault.kind) {
    case LIGAMENT_FAULT_INSTRUCTION:
      return "undefined instruction";
    case LIGAMENT_FAULT_DATA:
      return fault.with == 0 ? "access to memory that is not there"
                             : fmt::format("access to {:#010x}, where no memory is", fault.with);
    case LIGAMENT_FAULT_FETCH:
      return "jump to where no program is";
    case LIGAMENT_FAULT_INTERRUPT:
      return fmt::format("exception {}, which nobody handles", fault.with);
    case LIGAMENT_FAULT_ASSERTION:
      return fmt::format("assertion in line {} of the file on its console", fault.with);
    case LIGAMENT_FAULT_STACK:
      return "the stack of the task on its console is too small";
    case LIGAMENT_FAULT_ABORT:
      return "abort()";
    case LIGAMENT_FAULT_END:
      return fmt::format("its program has ended with {}", static_cast<std::int32_t>(fault.with));
    default:
      return fmt::format("fault {}", fault.kind);
  }
}

}  // namespace

std::string why_crashed(const ligament_fault_t& fault) {
  if (fault.kind == LIGAMENT_FAULT_UNKNOWN && fault.at == 0) {
    return "the core has crashed";  // firmware of before, which does not say why
  }
  return "the core has crashed: " + reason_of(fault) +
         (fault.at == 0 ? "" : fmt::format(", at {:#010x}", fault.at));
}

}  // namespace ligament::rpmsg
