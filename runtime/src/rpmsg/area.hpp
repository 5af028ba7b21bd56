// SPDX-License-Identifier: Apache-2.0
/// \file The memory that a core shares with us: where things are, and how its words are read.
/// The contract is spec/device/rpmsg.md; the layout is the core's own header.
#pragma once

#include <ligament/rpmsg_layout.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ligament/expected.hpp>
#include <memory>
#include <span>
#include <string>

namespace ligament::rpmsg {

using Bytes = std::span<const std::byte>;
using Map = ligament_rpmsg_map_t;
using Layout = ligament_rpmsg_layout_t;
using Header = ligament_rpmsg_header_t;
using Extent = ligament_rpmsg_extent_t;

/// A word that the core may write at any time: read it once, into a local.
template <typename T>
[[nodiscard]] T load(T& word) {
  return std::atomic_ref<T>(word).load(std::memory_order_acquire);
}
/// What we wrote before is there for the core that sees this word.
template <typename T>
void store(T& word, std::type_identity_t<T> value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_release);
}
/// What we wrote is there before we look. C++'s fence is one among the processors that run this
/// system (on Arm: the inner shareable domain), and a core beside them need not be of these.
inline void fence() {
#if defined(__aarch64__)
  asm volatile("dmb osh" : : : "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// A mapping of the area. It has no opinion on what is in it.
class Area {
 public:
  /// `path`: a file or device that is this memory, the area begins at `offset`. An error names
  /// what is wrong: the map, the file, its size.
  [[nodiscard]] static expected<Area, std::string> open(const std::string& path,
                                                        std::uint64_t offset, const Map& map);
  /// As `open`; the descriptor stays the caller's.
  [[nodiscard]] static expected<Area, std::string> of(int fd, std::uint64_t offset, const Map& map);
  /// Memory that the caller keeps alive, of the layout's size.
  [[nodiscard]] static expected<Area, std::string> of(std::byte* memory, const Map& map);

  [[nodiscard]] const Map& map() const { return map_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] std::byte* at(std::uint32_t offset) const { return memory_.get() + offset; }
  [[nodiscard]] ligament_rpmsg_table_t& table() const {
    return *reinterpret_cast<ligament_rpmsg_table_t*>(memory_.get());
  }
  [[nodiscard]] ligament_rpmsg_control_t& control() const {
    return *reinterpret_cast<ligament_rpmsg_control_t*>(at(layout_.control));
  }

 private:
  Area(std::shared_ptr<std::byte> memory, const Map& map, const Layout& layout)
      : memory_(std::move(memory)), map_(map), layout_(layout) {}

  std::shared_ptr<std::byte> memory_;
  Map map_;
  Layout layout_;
};

}  // namespace ligament::rpmsg
