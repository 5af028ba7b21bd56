// SPDX-License-Identifier: Apache-2.0
// Stored bytes at a chosen address, as blocks of the pool are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ligament/message/generated.hpp>
#include <span>
#include <vector>

namespace ligament::testing {

/// A buffer in which the byte at `offset` lies at a multiple of `alignment`.
class Stored {
 public:
  explicit Stored(std::size_t size, std::size_t offset = 4, std::size_t alignment = 128)
      : memory_(size + 2 * alignment, std::byte{0xAA}), size_(size) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.data());
    const std::uintptr_t target = detail::align_up(begin + offset, alignment);
    begin_ = static_cast<std::size_t>(target - offset - begin);
  }
  [[nodiscard]] std::span<std::byte> bytes() { return {memory_.data() + begin_, size_}; }

 private:
  std::vector<std::byte> memory_;
  std::size_t begin_ = 0;
  std::size_t size_;
};

/// The stored form of a message, its chosen array aligned as in the pool.
template <typename T>
Stored store(const T& message) {
  const auto layout = MessageTraits<T>::layout_of(message);
  Stored stored(layout->size, layout->chosen_offset);
  if (!MessageTraits<T>::serialize(message, stored.bytes())) {
    std::abort();
  }
  return stored;
}

}  // namespace ligament::testing
