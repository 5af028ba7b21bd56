// SPDX-License-Identifier: Apache-2.0
/// \file Artefacts of the CPU device for the conformance suite. Each file that includes this
/// defines `change` (what happens to a byte) and `verdict` (what run() returns for a message).
#pragma once

#include <ligament/device_program.h>

#include <cstring>

namespace {

/// Where the text of a stored std_msgs/msg/String begins: 4 bytes encapsulation, 4 bytes length.
constexpr std::size_t text_offset = 8;

int plan(const std::uint8_t* /*input*/, std::size_t size, std::size_t* out_size,
         std::size_t* chosen_offset) {
  *out_size = size;
  *chosen_offset = 4;
  return size < text_offset + 1 ? 1 : 0;
}

int run(const std::uint8_t* input, std::size_t size, std::uint8_t* output, std::size_t /*room*/) {
  std::memcpy(output, input, size);
  for (std::size_t i = text_offset; i + 1 < size; ++i) {
    output[i] = change(input[i]);
  }
  return verdict(input, size);
}

const ligament_program_t program = {abi,  "in", "out", "std_msgs/msg/String", "std_msgs/msg/String",
                                    plan, run};

}  // namespace

extern "C" const ligament_program_t* ligament_program(void) { return &program; }
