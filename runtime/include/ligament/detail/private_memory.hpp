// SPDX-License-Identifier: Apache-2.0
/// \file Messages outside the pool: what loans and samples are on topics whose mode copies
/// (TopicMode). Not promised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace ligament::detail {

/// Bytes that lie on a page as the pool would place them, so that kernels and vector units see no
/// difference.
class PrivateBytes {
 public:
  /// Uninitialised; the byte at `aligned_offset` begins a page.
  static PrivateBytes of(std::size_t size, std::size_t aligned_offset) {
    return PrivateBytes(size, (page - aligned_offset % page) % page);
  }
  /// A copy, at the same place in a page.
  static PrivateBytes copy_of(std::span<const std::byte> bytes) {
    PrivateBytes copy(bytes.size(), reinterpret_cast<std::uintptr_t>(bytes.data()) % page);
    std::copy(bytes.begin(), bytes.end(), copy.bytes().begin());
    return copy;
  }

  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get() + front_, size_}; }

 private:
  static constexpr std::size_t page = 4096;
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete[](memory, std::align_val_t{page});
    }
  };
  PrivateBytes(std::size_t size, std::size_t front)
      : memory_(static_cast<std::byte*>(::operator new[](front + size, std::align_val_t{page}))),
        front_(front),
        size_(size) {}

  std::unique_ptr<std::byte[], Free> memory_;
  std::size_t front_;
  std::size_t size_;
};

/// A loan that is copied into the pool when it is published.
struct PrivateLoan {
  PrivateBytes memory;
  std::size_t chosen_offset = 0;
};

/// A sample of which the taker has a copy of its own. Where it is does not change: views and
/// MessageInfo point into it.
struct PrivateSample {
  explicit PrivateSample(const pool::HeldSample& sample)
      : info(sample.info()), memory(PrivateBytes::copy_of(sample.payload())) {}
  pool::SampleInfo info;
  PrivateBytes memory;
};

}  // namespace ligament::detail
