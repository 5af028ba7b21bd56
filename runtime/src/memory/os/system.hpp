// SPDX-License-Identifier: Apache-2.0
/// \file The few Linux calls the pool stands on, as values and RAII: descriptors, sealed memory,
/// futex, clocks, process handles. Knows nothing of topics.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ligament/expected.hpp"

namespace ligament::pool::os {

struct SystemError {
  const char* call = "";
  int code = 0;  ///< errno
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] SystemError last_error(const char* call);
/// Our limit, or the system's: says nothing about a peer, and may pass.
[[nodiscard]] inline bool is_want_of_descriptors(const SystemError& error) {
  return error.code == EMFILE || error.code == ENFILE;
}

/// The same, or a memory that has been asked for has not come yet.
[[nodiscard]] inline bool may_pass(const SystemError& error) {
  return is_want_of_descriptors(error) || error.code == EAGAIN;
}

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

class Mapping {
 public:
  Mapping() = default;
  Mapping(void* base, std::size_t size) : base_(base), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();
  [[nodiscard]] std::byte* base() const { return static_cast<std::byte*>(base_); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] explicit operator bool() const { return base_ != nullptr; }
  template <typename T>
  [[nodiscard]] T* as(std::size_t offset = 0) const {
    return reinterpret_cast<T*>(base() + offset);
  }

 private:
  void* base_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes the system can still give without killing somebody: MemAvailable, and what is left of our
/// cgroup. fallocate on a memfd does not ask: it takes page after page until the OOM killer comes.
[[nodiscard]] std::uint64_t available_memory();

/// Memory of ours that peers may map. Zero-filled, its pages exist (no SIGBUS later), its size is
/// sealed; unless `peers_write`, nobody can map it writable any more, not even ourselves again.
struct SharedMemory {
  Fd fd;
  Mapping mapping;
  std::uint64_t inode = 0;
};
struct SharedMemoryOptions {
  bool peers_write = false;
  bool prefault = true;
};
[[nodiscard]] expected<SharedMemory, SystemError> create_shared(const std::string& name,
                                                                std::size_t size,
                                                                SharedMemoryOptions options);

class Passage;

/// Where another process keeps a memory: its descriptor number and what must be found there.
struct ForeignMemory {
  std::int32_t pid = 0;
  std::uint32_t fd = 0;
  std::uint64_t inode = 0;  ///< 0: any
  std::uint64_t size = 0;   ///< 0: any
  /// Of a process in another pid namespace: hands over its memory. Null: it has a number here.
  std::shared_ptr<Passage> passage = nullptr;
};
/// Maps it through /proc/PID/fd: no help of that process is needed, it may be stopped. Refuses
/// what is not a size-sealed memfd of small pages, since reading that could kill us by SIGBUS.
/// EAGAIN: a memory that has to be passed has been asked for.
[[nodiscard]] expected<Mapping, SystemError> map_foreign(const ForeignMemory& memory,
                                                         SharedMemoryOptions options);

/// Inode of what another process has at this descriptor; 0: nothing, or it may not be looked at.
[[nodiscard]] std::uint64_t inode_at(std::int32_t pid, std::uint32_t fd);

[[nodiscard]] Fd open_process(std::int32_t pid);  ///< pidfd; invalid if there is none (errno)
[[nodiscard]] bool process_alive(const Fd& pidfd);
/// A number that no other process of this boot has, the same for all who look, in whatever pid
/// namespace. 0: the kernel does not say (it is older than Linux 6.9).
[[nodiscard]] std::uint64_t identity_of(const Fd& pidfd);
/// Inode of /proc/PID/ns/KIND (0 if unreadable); `pid` 0: our own.
[[nodiscard]] std::uint64_t namespace_inode(std::int32_t pid, const char* kind);

void futex_wait(std::atomic<std::uint32_t>* word, std::uint32_t expected, std::int64_t timeout_ns);
void futex_wake_one(std::atomic<std::uint32_t>* word);
void futex_wake_all(std::atomic<std::uint32_t>* word);
/// Who sleeps on `from` sleeps on `to` from now on, and is not woken.
void futex_move(std::atomic<std::uint32_t>* from, std::atomic<std::uint32_t>* to);
/// One call: all who sleep on `all`, and one who sleeps on `one`.
void futex_wake_both(std::atomic<std::uint32_t>* all, std::atomic<std::uint32_t>* one);

/// CLOCK_REALTIME minus CLOCK_MONOTONIC. Both run at one rate, so it changes only when somebody
/// sets the clock; `refresh_realtime_offset` is called then, and a publish reads one clock only.
[[nodiscard]] std::int64_t realtime_offset_ns();
void refresh_realtime_offset();

struct Counters {
  std::atomic<std::uint64_t> futex_waits{0};
  std::atomic<std::uint64_t> futex_wakes{0};
  std::atomic<std::uint64_t> lock_sleeps{0};
  std::atomic<std::uint64_t> growths{0};
};
[[nodiscard]] Counters& counters();

inline void cpu_relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Begins to fetch a cache line, to be read or written soon. A hint: it never faults and reads
/// nothing, so it may be given an address that a peer made up.
inline void prefetch(const void* at) { __builtin_prefetch(at); }
inline void prefetch_to_write(const void* at) {
#if defined(__x86_64__)
  // The builtin fetches it for reading, unless the compiler is told of processors that can more.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

/// A number of this boot of this machine; 0 where the kernel does not say. Read once; an error is a
/// want of descriptors, and the next call tries again.
[[nodiscard]] expected<std::uint64_t, SystemError> boot_id();

}  // namespace ligament::pool::os
