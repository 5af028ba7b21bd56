// SPDX-License-Identifier: Apache-2.0
/// \file What all calls of the twin share: its faults, its memory, and what came of them.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/cuda/driver.hpp"

namespace twin {

namespace cuda = ligament::gpu::cuda;
namespace status = cuda::status;
using cuda::Address;
using cuda::Status;

/// As the variable CUDA_TWIN says (twin.hpp).
bool is_set_up_as(const char* word);
std::size_t memory_bytes();

struct Fault {
  int skipped = 0;
  Status number = status::success;
};

/// Shared memory, so that other processes can open it.
struct Block {
  int fd = -1;
  std::byte* base = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (base != nullptr) {
      ::munmap(base, size);
    }
    ::close(fd);
  }
};

/// As a driver's, small ones lie in one block, of which a peer opens the whole.
struct Allocated {
  std::shared_ptr<Block> block;
  std::size_t begin = 0;
  bool is_streams = false;  ///< managed memory that the host must not use
};

/// What a peer's memory lies in.
struct Opened {
  std::byte* base = nullptr;
  std::size_t size = 0;
};

/// Everything; never destroyed, as its threads may outlive main.
struct World {
  std::mutex mutex;
  std::map<std::string, Fault> faults;
  std::map<std::byte*, std::size_t> registered;
  std::map<std::byte*, std::size_t> pinned;  ///< made by the driver itself
  std::map<Address, Allocated> allocated;
  std::shared_ptr<Block> open_block;  ///< that the next small piece is taken of
  std::map<Address, Opened> opened;   ///< memory of other processes
  std::atomic<Status> sticky{status::success};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> pageable{0};
};
World& world();

/// What cuda_twin_fail() gave this call, once.
Status injected(const char* call);
/// What every call asks first.
Status fate_of(const char* call);

cuda::Context only_context();
inline thread_local cuda::Context current_context = nullptr;
/// A context is a thread's: a driver refuses the call, and who ignores that leaks, or worse.
void expect_context(const char* call);

/// How many of these there are.
template <typename T>
class Counted {
 public:
  Counted() { ++live_; }
  ~Counted() { --live_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  static unsigned live() { return live_; }

 private:
  static inline std::atomic<unsigned> live_{0};
};

}  // namespace twin
