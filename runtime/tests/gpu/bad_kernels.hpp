// SPDX-License-Identifier: Apache-2.0
/// \file Kernels that no compiler takes, each compiler with its own words.
#pragma once

#include <ligament/gpu.hpp>

namespace ligament::gpu::test {

/// The fault is in line 2.
inline ProgramDescription undeclared_name() {
  return {{{"folder/blur.cl", "// one\n__kernel void blur(int a) { b = a; }\n"}},
          {{"blur", {ArgumentKind::number}}}};
}

/// The fault is in line 1 of bad.cl.
inline ProgramDescription fault_in_second_source() {
  return {{{"good.cl", "\n\n\nint one(void) { return 1; }\n"},
           {"bad.cl", "int two(void) { return nothing; }\n"}},
          {}};
}

}  // namespace ligament::gpu::test
