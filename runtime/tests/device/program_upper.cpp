// SPDX-License-Identifier: Apache-2.0
/// \file The reference program: capital letters. It fails on a text that begins with '!', and takes
/// its time on one that begins with '~'.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {
constexpr unsigned abi = 1;
std::uint8_t change(std::uint8_t c) {
  return c >= 'a' && c <= 'z' ? static_cast<std::uint8_t>(c - 'a' + 'A') : c;
}
int verdict(const std::uint8_t* input, std::size_t /*size*/) {
  if (input[8] == '~') {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  return input[8] == '!' ? 5 : 0;
}
}  // namespace

#include "program.hpp"
