// SPDX-License-Identifier: Apache-2.0
/// \file A queue of a few elements, looked at in every cycle of a simulation.
#pragma once

#include <array>
#include <cstddef>

namespace ligament::fpga::detail {

/// As std::deque, without its table of blocks. Who puts something in knows that there is room.
template <typename T, std::size_t most>
class Ring {
 public:
  static_assert(most != 0 && (most & (most - 1)) == 0, "a power of two");

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool is_full() const { return size_ == most; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t place) { return places_[(first_ + place) % most]; }
  [[nodiscard]] T& front() { return places_[first_]; }

  void push_back(const T& one) { places_[(first_ + size_++) % most] = one; }
  void pop_front() {
    first_ = (first_ + 1) % most;
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  std::array<T, most> places_{};
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace ligament::fpga::detail
