// SPDX-License-Identifier: Apache-2.0
/// \file Built for another version of the interface.
#include <cstddef>
#include <cstdint>

namespace {
constexpr unsigned abi = 99;
std::uint8_t change(std::uint8_t c) { return c; }
int verdict(const std::uint8_t* /*input*/, std::size_t /*size*/) { return 0; }
}  // namespace

#include "program.hpp"
