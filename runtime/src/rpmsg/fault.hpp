// SPDX-License-Identifier: Apache-2.0
/// \file Why a core has crashed, in words.
#pragma once

#include <ligament/rpmsg_layout.h>

#include <string>

namespace ligament::rpmsg {

/// A sentence without its subject's name. `fault` is a copy of what the core wrote: any numbers.
[[nodiscard]] std::string why_crashed(const ligament_fault_t& fault);

}  // namespace ligament::rpmsg
