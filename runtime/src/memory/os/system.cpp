// SPDX-License-Identifier: Apache-2.0
#include "memory/os/system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string_view>

#include "ligament/detail/pool.hpp"
#include "ligament/detail/unmap_watch.hpp"
#include "memory/os/passage.hpp"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef PID_FS_MAGIC
#define PID_FS_MAGIC 0x50494446
#endif

namespace ligament::pool {

std::int64_t monotonic_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace os {

std::string SystemError::text() const {
  auto text = fmt::format("{}: {}", call, std::strerror(code));  // NOLINT(concurrency-mt-unsafe)
  if (code == EMFILE) {
    rlimit limit{};
    (void)::getrlimit(RLIMIT_NOFILE, &limit);
    text += fmt::format(
        " (this process may have {}; raise its limit: `ulimit -n`, LimitNOFILE= of a service)",
        limit.rlim_cur);
  } else if (code == ENFILE) {
    text += " (raise the system's limit: sysctl fs.file-max)";
  }
  return text;
}

SystemError last_error(const char* call) { return {call, errno}; }

Fd::~Fd() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Mapping::~Mapping() {
  if (base_ != nullptr) {
    tell_unmap_watches({base(), size_});
    ::munmap(base_, size_);
  }
}

namespace {

int open_memfd(const std::string& name) {
  const unsigned base = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = ::memfd_create(name.c_str(), base | MFD_NOEXEC_SEAL);
  // Kernels before 6.3 do not know NOEXEC_SEAL.
  return fd >= 0 || errno != EINVAL ? fd : ::memfd_create(name.c_str(), base);
}

/// MADV_DONTFORK: a child made by a node's fork() must not keep (or write) pool pages.
expected<Mapping, SystemError> map(int fd, std::size_t size, bool writable, bool prefault) {
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* base = ::mmap(nullptr, size, protection, MAP_SHARED | (prefault ? MAP_POPULATE : 0), fd, 0);
  if (base == MAP_FAILED) {
    return unexpected<SystemError>(last_error("mmap"));
  }
  Mapping mapping(base, size);
  // What somebody knows of these addresses is of memory that went without a word.
  tell_unmap_watches({mapping.base(), size});
  if (::madvise(base, size, MADV_DONTFORK) != 0) {
    return unexpected<SystemError>(last_error("madvise"));
  }
  return mapping;
}

/// Without FUTURE_WRITE its owner could still punch holes: whoever reads them makes the pages.
int needed_seals(SharedMemoryOptions options) {
  return F_SEAL_SHRINK | F_SEAL_GROW | (options.peers_write ? 0 : F_SEAL_FUTURE_WRITE);
}

/// What a peer offers must be unable to shrink under us, must never fault and must exist: see spec.
bool is_safe_memory(int path_fd, const ForeignMemory& memory, std::size_t& size) {
  struct stat status {};
  struct statfs system {};
  if (::fstat(path_fd, &status) != 0 || ::fstatfs(path_fd, &system) != 0) {
    return false;
  }
  size = static_cast<std::size_t>(status.st_size);
  // Pages that do not exist yet would be taken, on our account, when we read them.
  const bool exists = static_cast<std::uint64_t>(status.st_blocks) * 512 >= size;
  return S_ISREG(status.st_mode) && system.f_type == TMPFS_MAGIC && size > 0 && exists &&
         (memory.inode == 0 || memory.inode == status.st_ino) &&
         (memory.size == 0 || memory.size == size);
}

}  // namespace

namespace {

/// The number after `key` in a small file of the kernel's; `otherwise` if it is not there.
std::uint64_t read_number(const std::string& path, const std::string& key,
                          std::uint64_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) {
      const char* digits = line.c_str() + key.size();
      char* end = nullptr;
      const std::uint64_t value = std::strtoull(digits, &end, 10);
      return end == digits ? otherwise : value;
    }
  }
  return otherwise;
}

std::uint64_t cgroup_room() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line) && line.rfind("0::", 0) != 0) {
  }
  const std::string folder = "/sys/fs/cgroup" + (line.size() > 3 ? line.substr(3) : std::string());
  const std::uint64_t limit = read_number(folder + "/memory.max", "", UINT64_MAX);
  const std::uint64_t used = read_number(folder + "/memory.current", "", 0);
  return limit > used ? limit - used : 0;
}

}  // namespace

std::uint64_t available_memory() {
  constexpr std::uint64_t kilobyte = 1024;
  const std::uint64_t system =
      read_number("/proc/meminfo", "MemAvailable:", UINT64_MAX / kilobyte) * kilobyte;
  return std::min(system, cgroup_room());
}

expected<SharedMemory, SystemError> create_shared(const std::string& name, std::size_t size,
                                                  SharedMemoryOptions options) {
  constexpr std::size_t worth_asking = 1U << 20;
  // One part in eight stays with the rest of the system.
  if (size >= worth_asking && size > available_memory() / 8 * 7) {
    return unexpected<SystemError>(SystemError{"allocation of shared memory", ENOMEM});
  }
  SharedMemory memory;
  memory.fd = Fd(open_memfd(name));
  if (!memory.fd) {
    return unexpected<SystemError>(last_error("memfd_create"));
  }
  if (const int error = ::posix_fallocate(memory.fd.get(), 0, static_cast<off_t>(size));
      error != 0) {
    return unexpected<SystemError>(SystemError{"fallocate", error});
  }
  auto mapping = map(memory.fd.get(), size, true, options.prefault);
  if (!mapping) {
    return unexpected<SystemError>(mapping.error());
  }
  memory.mapping = std::move(*mapping);
  if (::fcntl(memory.fd.get(), F_ADD_SEALS, needed_seals(options)) != 0) {
    return unexpected<SystemError>(last_error("F_ADD_SEALS"));
  }
  struct stat status {};
  if (::fstat(memory.fd.get(), &status) != 0) {
    return unexpected<SystemError>(last_error("fstat"));
  }
  memory.inode = status.st_ino;
  return memory;
}

namespace {

expected<Fd, SystemError> find_foreign(const ForeignMemory& memory) {
  if (memory.passage != nullptr) {
    return memory.passage->take(memory.inode, memory.fd);
  }
  const auto path = fmt::format("/proc/{}/fd/{}", memory.pid, memory.fd);
  // O_PATH first: it cannot block and has no side effect, whatever the peer put there.
  Fd path_fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!path_fd) {
    return unexpected<SystemError>(last_error("open of a peer's memory"));
  }
  return path_fd;
}

}  // namespace

expected<Mapping, SystemError> map_foreign(const ForeignMemory& memory,
                                           SharedMemoryOptions options) {
  const auto found = find_foreign(memory);
  if (!found) {
    return unexpected<SystemError>(found.error());
  }
  const Fd& path_fd = *found;
  std::size_t size = 0;
  if (!is_safe_memory(path_fd.get(), memory, size)) {
    return unexpected<SystemError>(SystemError{"check of a peer's memory", EBADF});
  }
  const auto self = fmt::format("/proc/self/fd/{}", path_fd.get());
  const int mode = options.peers_write ? O_RDWR : O_RDONLY;
  const Fd fd(::open(self.c_str(), mode | O_CLOEXEC));
  if (!fd) {
    return unexpected<SystemError>(last_error("open of a peer's memory"));
  }
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  const int needed = needed_seals(options);
  if (seals < 0 || (seals & needed) != needed) {
    return unexpected<SystemError>(SystemError{"seals of a peer's memory", EPERM});
  }
  // Once more: until it was sealed its owner could still shrink it, or take pages out of it.
  if (!is_safe_memory(fd.get(), memory, size)) {
    return unexpected<SystemError>(SystemError{"check of a peer's memory", EBADF});
  }
  return map(fd.get(), size, options.peers_write, options.prefault);
}

std::uint64_t inode_at(std::int32_t pid, std::uint32_t fd) {
  struct stat status {};
  return ::stat(fmt::format("/proc/{}/fd/{}", pid, fd).c_str(), &status) == 0 ? status.st_ino : 0;
}

Fd open_process(std::int32_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool process_alive(const Fd& pidfd) {
  pollfd entry{pidfd.get(), POLLIN, 0};
  return pidfd && ::poll(&entry, 1, 0) == 0;
}

std::uint64_t identity_of(const Fd& pidfd) {
  struct stat status {};
  struct statfs system {};
  // Before there was a file system of them, all pidfds shared one inode.
  const bool is_told = pidfd && ::fstatfs(pidfd.get(), &system) == 0 &&
                       system.f_type == PID_FS_MAGIC && ::fstat(pidfd.get(), &status) == 0;
  return is_told ? status.st_ino : 0;
}

std::uint64_t namespace_inode(std::int32_t pid, const char* kind) {
  const auto path =
      pid == 0 ? fmt::format("/proc/self/ns/{}", kind) : fmt::format("/proc/{}/ns/{}", pid, kind);
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

void futex_wait(std::atomic<std::uint32_t>* word, std::uint32_t expected, std::int64_t timeout_ns) {
  counters().futex_waits.fetch_add(1, std::memory_order_relaxed);
  const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  // Not FUTEX_PRIVATE: wakers are other processes.
  ::syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, nullptr, 0);
}

namespace {
void futex_wake(std::atomic<std::uint32_t>* word, int sleepers) {
  counters().futex_wakes.fetch_add(1, std::memory_order_relaxed);
  ::syscall(SYS_futex, word, FUTEX_WAKE, sleepers, nullptr, nullptr, 0);
}
}  // namespace

void futex_wake_one(std::atomic<std::uint32_t>* word) { futex_wake(word, 1); }
void futex_wake_all(std::atomic<std::uint32_t>* word) { futex_wake(word, INT_MAX); }

void futex_move(std::atomic<std::uint32_t>* from, std::atomic<std::uint32_t>* to) {
  counters().futex_wakes.fetch_add(1, std::memory_order_relaxed);
  ::syscall(SYS_futex, from, FUTEX_REQUEUE, 0, std::intptr_t{INT_MAX}, to, 0);
}

void futex_wake_both(std::atomic<std::uint32_t>* all, std::atomic<std::uint32_t>* one) {
  counters().futex_wakes.fetch_add(1, std::memory_order_relaxed);
  // The call may change the second word and make its wake-up depend on what was there: or it with
  // nothing, and wake if it was not -1, which no counter of wake-ups with bit 0 taken away is.
  ::syscall(SYS_futex, all, FUTEX_WAKE_OP, INT_MAX, std::intptr_t{1}, one,
            FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_NE, -1));
}

namespace {
std::atomic<std::int64_t>& offset() {
  static std::atomic<std::int64_t> value{0};
  return value;
}
}  // namespace

std::int64_t realtime_offset_ns() { return offset().load(std::memory_order_relaxed); }

void refresh_realtime_offset() {
  // Three tries, the tightest bracket wins: we may be preempted between the two readings.
  std::int64_t best_width = INT64_MAX;
  std::int64_t best = 0;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = monotonic_now_ns();
    timespec real{};
    clock_gettime(CLOCK_REALTIME, &real);
    const std::int64_t after = monotonic_now_ns();
    if (after - before < best_width) {
      best_width = after - before;
      best = std::int64_t{real.tv_sec} * 1'000'000'000 + real.tv_nsec - (before + after) / 2;
    }
  }
  offset().store(best, std::memory_order_relaxed);
}

Counters& counters() {
  static Counters instance;
  return instance;
}

namespace {
std::uint64_t fold_digits(std::string_view text) {
  std::uint64_t digits = 0;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      const char one[2] = {c, 0};
      digits = (digits << 4 | digits >> 60) ^ std::strtoull(one, nullptr, 16);
    }
  }
  return digits;
}
}  // namespace

expected<std::uint64_t, SystemError> boot_id() {
  static std::atomic<bool> known{false};
  static std::atomic<std::uint64_t> id{0};
  if (!known.load(std::memory_order_acquire)) {
    const Fd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (const auto error = last_error("boot_id"); !file && is_want_of_descriptors(error)) {
      return unexpected<SystemError>(error);
    }
    char text[64];
    const ssize_t length = file ? ::read(file.get(), text, sizeof text) : 0;
    id.store(fold_digits({text, static_cast<std::size_t>(std::max<ssize_t>(length, 0))}),
             std::memory_order_relaxed);
    known.store(true, std::memory_order_release);
  }
  return id.load(std::memory_order_relaxed);
}

}  // namespace os
}  // namespace ligament::pool
