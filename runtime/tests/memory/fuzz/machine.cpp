// SPDX-License-Identifier: Apache-2.0
/// Stands in for `src/memory/os/system.cpp`. Compiled without sanitizers and coverage: it writes
/// what the pool may not touch, and is not what is searched.
#include "machine.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "ligament/detail/pool.hpp"
#include "memory/crash_point.hpp"
#include "memory/os/passage.hpp"
#include "memory/os/system.hpp"

extern "C" {  // sanitizer/asan_interface.h, whose macros do nothing in this file; null without it
[[gnu::weak]] void __asan_poison_memory_region(void const volatile* address, std::size_t size);
[[gnu::weak]] void __asan_unpoison_memory_region(void const volatile* address, std::size_t size);
}

namespace ligament::pool {

namespace fuzz {

namespace {

constexpr std::size_t page = 4096;
constexpr std::uint32_t first_fd = 3;
constexpr std::uint8_t nobody = 0xFF;

constexpr std::size_t arena_pages() {
  std::size_t pages = 1;  // the guard before the first
  for (const SlotKind& kind : slot_kinds) {
    pages += kind.count * (kind.pages + 1);
  }
  return pages;
}
constexpr std::size_t arena_bytes = arena_pages() * page;
/// Ours, and the hostile one. Not globals: the leak sanitizer reads those, guard pages included.
std::byte* arenas[2];
/// Which segment a page of the hostile arena belongs to.
std::uint8_t owners[arena_pages()];

std::size_t first_page(std::size_t kind) {
  std::size_t pages = 1;
  for (std::size_t i = 0; i < kind; ++i) {
    pages += slot_kinds[i].count * (slot_kinds[i].pages + 1);
  }
  return pages;
}

void poison(const std::byte* begin, std::size_t size) {
  if (__asan_poison_memory_region != nullptr) {
    __asan_poison_memory_region(begin, size);
  }
}
void unpoison(const std::byte* begin, std::size_t size) {
  if (__asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(begin, size);
  }
}

void forbid(std::byte* guard) { expect(::mprotect(guard, page, PROT_NONE) == 0, "a guard page"); }

/// Once, before the first execution.
bool lay_out() {
  std::memset(owners, nobody, sizeof owners);
  for (std::byte*& arena : arenas) {
    void* memory = ::mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    expect(memory != MAP_FAILED, "an arena");
    arena = static_cast<std::byte*>(memory);
    poison(arena, arena_bytes);
    forbid(arena);
    std::size_t at = 1;
    for (const SlotKind& kind : slot_kinds) {
      for (std::size_t i = 0; i < kind.count; ++i) {
        at += kind.pages + 1;
        forbid(arena + (at - 1) * page);
      }
    }
  }
  return true;
}

Machine the_machine;

}  // namespace

void fail(const char* what) {
  std::fprintf(stderr, "fuzz: violated: %s\n", what);
  std::abort();
}

std::uint64_t Input::number() {
  static constexpr std::uint64_t numbers[] = {
      0,          1,          2,          3,          4,          7,          8,
      15,         16,         63,         64,         127,        128,        191,
      192,        193,        255,        256,        257,        320,        384,
      511,        512,        1024,       4095,       4096,       8192,       65535,
      65536,      1U << 20,   0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1ULL << 32, 1ULL << 39,
      1ULL << 40, 1ULL << 62, 1ULL << 63, ~1ULL,      ~0ULL};
  const std::uint8_t choice = next();
  return choice < std::size(numbers) ? numbers[choice]
         : choice < 240              ? choice
                                     : next<std::uint64_t>();
}

Machine& Machine::get() { return the_machine; }

void Machine::start(Peer* peer_in) {
  static const bool laid_out = lay_out();
  (void)laid_out;
  segments_.clear();
  segments_.reserve(64);
  used_ = {};
  peer = peer_in;
  now_ns = 1'000'000'000;
  refuse_maps = waits = wakes = 0;
  loads = boot = 0;
  act_at = UINT64_MAX;
  begin_call();
  own_limit = SIZE_MAX;
  busy_ = false;
  crash_hook.store([](const char* label) { the_machine.reach(label); }, std::memory_order_relaxed);
}

void Machine::stop() {
  peer = nullptr;
  for (const Segment& segment : segments_) {
    expect(segment.mappings == 0, "every mapping is undone");
  }
}

std::uint32_t Machine::add(std::size_t size, bool hostile) {
  const std::size_t arena = hostile ? 1 : 0;
  std::size_t kind = 0;
  while (size > slot_kinds[kind].pages * page || used_[arena][kind] == slot_kinds[kind].count) {
    expect(++kind < slot_kinds.size(), "the fuzz machine has memory");
  }
  const std::size_t pages = slot_kinds[kind].pages;
  const std::size_t at = first_page(kind) + used_[arena][kind]++ * (pages + 1);
  Segment segment;
  segment.slot = arenas[arena] + at * page;
  // Its end lies at the guard, as near as its alignment allows.
  segment.base = segment.slot + pages * page - (size + 127) / 128 * 128;
  segment.size = size;
  segment.hostile = hostile;
  unpoison(segment.base, size);
  std::memset(segment.base, 0, size);
  poison(segment.slot, pages * page);
  if (hostile) {
    std::memset(owners + at, static_cast<int>(segments_.size()), pages);
  }
  segments_.push_back(segment);
  expect(segments_.size() < nobody, "the fuzz machine has numbers");
  return first_fd + static_cast<std::uint32_t>(segments_.size() - 1);
}

Segment* Machine::find(std::uint32_t fd) {
  const std::uint32_t index = fd - first_fd;
  return fd >= first_fd && index < segments_.size() ? &segments_[index] : nullptr;
}

void Machine::poke(std::uint32_t fd, std::size_t offset, std::uint64_t value, std::size_t width) {
  const Segment* segment = find(fd);
  if (segment == nullptr || !segment->hostile || offset >= segment->size) {
    return;
  }
  write(segment->base + offset, &value, std::min(width, segment->size - offset));
}

void Machine::write(std::byte* to, const void* from, std::size_t size) {
  // Not memcpy, which the address sanitizer replaces: what we have not mapped is poisoned for us.
  const auto* bytes = static_cast<const std::byte*>(from);
  for (; size >= 8; size -= 8, to += 8, bytes += 8) {
    __builtin_memcpy_inline(to, bytes, 8);
    asm volatile("" ::: "memory");  // or the loop becomes a memcpy
  }
  for (; size > 0; --size, ++to, ++bytes) {
    __builtin_memcpy_inline(to, bytes, 1);
    asm volatile("" ::: "memory");
  }
}

bool Machine::is_hostile(const void* address, std::size_t size) const {
  const auto* first = static_cast<const std::byte*>(address);
  return first >= arenas[1] && first + size <= arenas[1] + arena_bytes;
}

inline void Machine::loaded(const void* address, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(address);
  const std::uint8_t owner = owners[static_cast<std::size_t>(first - arenas[1]) / page];
  if (owner >= segments_.size() || segments_[owner].mappings == 0 ||
      first < segments_[owner].base ||
      first + size > segments_[owner].base + segments_[owner].size) {
    fail("a read of a peer's memory lies within what is mapped");
  }
  if (busy_ || peer == nullptr) {
    return;
  }
  if (++loads >= std::min(act_at, call_end_)) {
    act();
  }
}

void Machine::act() {
  if (loads >= call_end_) {
    fail("a call ends, whatever the peer writes");
  }
  busy_ = true;
  peer->at_load();
  busy_ = false;
}

void Machine::reach(const char* label) {
  if (!busy_ && peer != nullptr) {
    busy_ = true;
    peer->at_step(label);
    busy_ = false;
  }
}

void Machine::mapped(Segment& segment) {
  if (segment.mappings++ == 0) {
    unpoison(segment.base, segment.size);
  }
}

void Machine::unmapped(const void* base) {
  for (Segment& segment : segments_) {
    if (segment.base == base) {
      expect(segment.mappings > 0, "nothing is unmapped twice");
      if (--segment.mappings == 0) {
        poison(segment.base, segment.size);
      }
      return;
    }
  }
  fail("what is unmapped was mapped");
}

}  // namespace fuzz

// --- the system's interface ----------------------------------------------------------------------

using fuzz::Machine;

std::int64_t monotonic_now_ns() { return Machine::get().now_ns += 1000; }

namespace os {

std::string SystemError::text() const { return call; }
SystemError last_error(const char* call) { return {call, errno}; }
Fd::~Fd() = default;
Connection::~Connection() = default;

Mapping::~Mapping() {
  if (base_ != nullptr) {
    Machine::get().unmapped(base_);
  }
}

std::uint64_t available_memory() { return UINT64_MAX; }

expected<SharedMemory, SystemError> create_shared(const std::string& /*name*/, std::size_t size,
                                                  SharedMemoryOptions options) {
  Machine& machine = Machine::get();
  if (size > machine.own_limit) {
    return unexpected<SystemError>(SystemError{"allocation of shared memory", ENOMEM});
  }
  machine.own_limit -= machine.own_limit == SIZE_MAX ? 0 : size;
  const std::uint32_t fd = machine.add(size, options.peers_write);
  SharedMemory memory;
  memory.fd = Fd(static_cast<int>(fd));
  memory.inode = Machine::inode_of(fd);
  machine.mapped(*machine.find(fd));
  memory.mapping = Mapping(machine.find(fd)->base, size);
  return memory;
}

expected<Mapping, SystemError> map_foreign(const ForeignMemory& memory,
                                           SharedMemoryOptions /*options*/) {
  Machine& machine = Machine::get();
  if (machine.refuse_maps != 0) {
    --machine.refuse_maps;
    const int code = memory.passage == nullptr ? EMFILE : EAGAIN;  // or it has not been passed yet
    return unexpected<SystemError>(SystemError{"open of a peer's memory", code});
  }
  fuzz::Segment* segment = machine.find(memory.fd);
  if (segment == nullptr) {
    return unexpected<SystemError>(SystemError{"open of a peer's memory", ENOENT});
  }
  if ((memory.inode != 0 && memory.inode != Machine::inode_of(memory.fd)) ||
      (memory.size != 0 && memory.size != segment->size)) {
    return unexpected<SystemError>(SystemError{"check of a peer's memory", EBADF});
  }
  machine.mapped(*segment);
  return Mapping(segment->base, segment->size);
}

Fd open_process(std::int32_t /*pid*/) { return {}; }
bool process_alive(const Fd& /*pidfd*/) { return true; }
std::uint64_t namespace_inode(std::int32_t /*pid*/, const char* /*kind*/) { return 1; }
std::uint64_t identity_of(const Fd& /*pidfd*/) { return fuzz::hostile_identity; }

Passage::Passage(Connection /*connection*/) {}
PassResult Passage::pass(std::uint64_t /*inode*/, std::uint32_t /*fd*/) {
  return PassResult::passed;
}

void futex_wait(std::atomic<std::uint32_t>* word, std::uint32_t expected, std::int64_t timeout_ns) {
  Machine& machine = Machine::get();
  ++machine.waits;
  machine.now_ns += 1000;
  if (word->load() != expected || timeout_ns <= 0) {
    return;
  }
  const std::int64_t until = machine.now_ns + timeout_ns;
  machine.sleeping_on = word;
  machine.woken = false;
  if (machine.peer != nullptr) {
    machine.peer->asleep(until);  // moves the clock to what it does
  }
  machine.sleeping_on = nullptr;
  if (!machine.woken) {
    machine.now_ns = std::max(machine.now_ns, until);
  }
}

void futex_wake_one(std::atomic<std::uint32_t>* word) {
  Machine& machine = Machine::get();
  ++machine.wakes;
  machine.woken = machine.woken || machine.sleeping_on == word;
}

void futex_wake_all(std::atomic<std::uint32_t>* word) { futex_wake_one(word); }

void futex_move(std::atomic<std::uint32_t>* from, std::atomic<std::uint32_t>* to) {
  Machine& machine = Machine::get();
  ++machine.wakes;
  machine.sleeping_on = machine.sleeping_on == from ? to : machine.sleeping_on;
}

void futex_wake_both(std::atomic<std::uint32_t>* all, std::atomic<std::uint32_t>* one) {
  futex_wake_one(one);
  Machine& machine = Machine::get();
  machine.woken = machine.woken || machine.sleeping_on == all;
}

std::int64_t realtime_offset_ns() { return 1'700'000'000'000'000'000; }
void refresh_realtime_offset() {}

Counters& counters() {
  static Counters counters;
  return counters;
}

expected<std::uint64_t, SystemError> boot_id() { return Machine::get().boot; }
std::uint64_t inode_at(std::int32_t /*pid*/, std::uint32_t fd) { return Machine::inode_of(fd); }

}  // namespace os
}  // namespace ligament::pool

// --- what the compiler calls before each load, and libFuzzer's options
// ----------------------------

namespace {
inline void at_load(const void* address, std::size_t size) {
  namespace fuzz = ligament::pool::fuzz;
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(fuzz::arenas[1]);
  if (offset < fuzz::arena_bytes) {
    fuzz::the_machine.loaded(address, size);
  }
}
}  // namespace

extern "C" {
void __sanitizer_cov_load1(const std::uint8_t* address) { at_load(address, 1); }
void __sanitizer_cov_load2(const std::uint16_t* address) { at_load(address, 2); }
void __sanitizer_cov_load4(const std::uint32_t* address) { at_load(address, 4); }
void __sanitizer_cov_load8(const std::uint64_t* address) { at_load(address, 8); }
void __sanitizer_cov_load16(const unsigned char* address) { at_load(address, 16); }
void __sanitizer_cov_store1(const std::uint8_t*) {}
void __sanitizer_cov_store2(const std::uint16_t*) {}
void __sanitizer_cov_store4(const std::uint32_t*) {}
void __sanitizer_cov_store8(const std::uint64_t*) {}
void __sanitizer_cov_store16(const unsigned char*) {}

/// The fuzzers' entry.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ligament::pool::fuzz::Input input(data, size);
  ligament::pool::fuzz::Machine::get().start(nullptr);
  ligament::pool::fuzz::execute(input);
  ligament::pool::fuzz::Machine::get().stop();
  return 0;
}

/// A nap takes no time of ours.
int nanosleep(const timespec* time, timespec* /*rest*/) {
  ligament::pool::fuzz::Machine::get().now_ns += 1'000'000'000 * time->tv_sec + time->tv_nsec;
  return 0;
}

// A small quarantine stays in the cache; the executions are short.
const char* __asan_default_options() {
  return "quarantine_size_mb=1:malloc_context_size=2:detect_leaks=1";
}
}
