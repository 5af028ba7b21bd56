// SPDX-License-Identifier: Apache-2.0
/// \file The machine that the fuzz targets run on: `memory/os/system.hpp` without a kernel.
///
/// Segments lie in one array whose gaps, and whose segments that nobody has mapped, are poisoned
/// for the address sanitizer: one byte too far, or a use after unmapping, is seen. The clock moves
/// when it is read. A hostile peer acts *between any two reads* of its pages: the pool's sources
/// are compiled with -fsanitize-coverage=trace-loads, so each read of a hostile page first asks the
/// peer what it wants to change. What a check let pass may thus be something else when it is used.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ligament::pool::fuzz {

/// Ends the run: libFuzzer keeps the input.
[[noreturn]] void fail(const char* what);
inline void expect(bool holds, const char* what) {
  if (!holds) {
    fail(what);
  }
}

/// A fuzz input, read as a program; behind its end everything is 0.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  template <typename T = std::uint8_t>
  T next() {
    T value{};
    const std::size_t count = rest_.size() < sizeof(T) ? rest_.size() : sizeof(T);
    std::memcpy(&value, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return value;
  }
  std::uint32_t below(std::uint32_t limit) { return next() % limit; }
  /// One byte chooses a number that code tends to stumble over, or says that 8 bytes follow.
  std::uint64_t number();

 private:
  std::span<const std::uint8_t> rest_;
};

struct Segment {
  std::byte* base = nullptr;
  std::size_t size = 0;
  bool hostile = false;
  unsigned mappings = 0;
};

/// What another process does while ours runs.
struct Peer {
  virtual ~Peer() = default;
  virtual void at_load() {}                          ///< before each read of a hostile page
  virtual void asleep(std::int64_t /*until_ns*/) {}  ///< while we sleep in the futex
  virtual void at_step(const char* /*label*/) {}     ///< at each crash point
};

class Machine {
 public:
  static Machine& get();

  void start(Peer* peer);  ///< of an execution: nothing is there
  void stop();             ///< of an execution: checks that every mapping was undone
  void begin_call() { loads_ = 0; }

  /// A segment of a hostile process; its descriptor number. Zeros; poisoned while not mapped.
  std::uint32_t add_hostile(std::size_t size) { return add(size, true); }
  std::uint32_t add(std::size_t size, bool hostile);
  [[nodiscard]] Segment* find(std::uint32_t fd);
  [[nodiscard]] static std::uint64_t inode_of(std::uint32_t fd) { return 1000 + fd; }
  /// As the hostile process: writes wherever it may, mapped by us or not.
  void poke(std::uint32_t fd, std::size_t offset, std::uint64_t value, std::size_t width);
  [[nodiscard]] bool is_hostile(const void* address, std::size_t size) const;

  void loaded();  ///< a hostile page is about to be read
  void mapped(Segment& segment);
  void unmapped(const void* base);
  void reach(const char* label);

  Peer* peer = nullptr;
  std::int64_t now_ns = 0;
  unsigned refuse_maps = 0;  ///< so many maps fail for want of descriptors
  unsigned waits = 0;        ///< futex calls
  unsigned wakes = 0;
  std::atomic<std::uint32_t>* sleeping_on = nullptr;
  bool woken = false;
  std::size_t own_limit = SIZE_MAX;  ///< what create_shared may still give

 private:
  std::vector<Segment> segments_;
  std::array<std::size_t, 2> used_{};
  unsigned loads_ = 0;
  bool busy_ = false;
};

/// More reads of hostile pages than any one call needs: it does not end.
inline constexpr unsigned most_loads = 200'000;

}  // namespace ligament::pool::fuzz
