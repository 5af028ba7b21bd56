// SPDX-License-Identifier: Apache-2.0
/// \file The machine that the fuzz targets run on: `memory/os/system.hpp` without a kernel.
///
/// Segments lie in slots of one array, each before a guard page that nothing may touch; a read of a
/// hostile segment is checked to the byte, too, and to be mapped. For the address sanitizer, where
/// it is there, all else is poisoned. The clock moves when it is read. A hostile peer acts *between
/// any two reads* of its pages: the pool's sources are compiled with
/// -fsanitize-coverage=trace-loads, so each read of a hostile page first asks the peer what it
/// wants to change. What a check let pass may thus be something else when it is used.
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

/// More reads of hostile pages than any one call needs: it does not end.
inline constexpr unsigned most_loads = 200'000;

/// What the kernel says of the hostile process, where it has no number.
inline constexpr std::uint64_t hostile_identity = 0x1D;

/// So many slots of so many pages; behind each lies a guard page.
struct SlotKind {
  std::size_t pages = 0;
  std::size_t count = 0;
};
inline constexpr std::array<SlotKind, 5> slot_kinds{
    {{1, 40}, {4, 40}, {16, 40}, {64, 24}, {300, 4}}};

struct Segment {
  std::byte* base = nullptr;
  std::size_t size = 0;
  std::byte* slot = nullptr;
  bool hostile = false;
  unsigned mappings = 0;
};

/// What another process does while ours runs.
struct Peer {
  virtual ~Peer() = default;
  /// Before the read of a hostile page whose number `Machine::act_at` is, or one thereafter.
  virtual void at_load() {}
  virtual void asleep(std::int64_t /*until_ns*/) {}  ///< while we sleep in the futex
  virtual void at_step(const char* /*label*/) {}     ///< at each crash point
};

class Machine {
 public:
  static Machine& get();

  void start(Peer* peer);  ///< of an execution: nothing is there
  void stop();             ///< of an execution: checks that every mapping was undone
  void begin_call() { call_end_ = loads + most_loads; }

  /// A segment of a hostile process; its descriptor number. Zeros; poisoned while not mapped.
  std::uint32_t add_hostile(std::size_t size) { return add(size, true); }
  std::uint32_t add(std::size_t size, bool hostile);
  [[nodiscard]] Segment* find(std::uint32_t fd);
  [[nodiscard]] static std::uint64_t inode_of(std::uint32_t fd) { return 1000 + fd; }
  /// As the hostile process: writes wherever it may, mapped by us or not.
  void poke(std::uint32_t fd, std::size_t offset, std::uint64_t value, std::size_t width);
  static void write(std::byte* to, const void* from, std::size_t size);
  [[nodiscard]] bool is_hostile(const void* address, std::size_t size) const;

  /// A hostile page is about to be read.
  void loaded(const void* address, std::size_t size);
  void mapped(Segment& segment);
  void unmapped(const void* base);
  void reach(const char* label);

  Peer* peer = nullptr;
  std::uint64_t loads = 0;   ///< reads of hostile pages in this execution
  std::uint64_t act_at = 0;  ///< the read before which the peer acts next
  std::int64_t now_ns = 0;
  std::uint64_t boot = 0;    ///< what the kernel says of this boot
  unsigned refuse_maps = 0;  ///< so many maps fail for lack of descriptors
  unsigned waits = 0;        ///< futex calls
  unsigned wakes = 0;
  std::atomic<std::uint32_t>* sleeping_on = nullptr;
  bool woken = false;
  std::size_t own_limit = SIZE_MAX;  ///< what create_shared may still give

 private:
  void act();

  std::vector<Segment> segments_;
  std::array<std::array<std::uint8_t, slot_kinds.size()>, 2> used_{};  ///< slots, by kind
  std::uint64_t call_end_ = 0;
  bool busy_ = false;
};

/// What a fuzzer does with an input, on a machine that has just started: each defines it.
void execute(Input& input);

}  // namespace ligament::pool::fuzz
