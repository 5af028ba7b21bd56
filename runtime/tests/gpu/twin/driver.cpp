// SPDX-License-Identifier: Apache-2.0
/// The driver's calls. Names, types and numbers are those of NVIDIA's header.
#include "gpu/cuda/driver.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/mapping.hpp"
#include "twin.hpp"

namespace cuda = ligament::gpu::cuda;
using cuda::Address;
using cuda::Status;
namespace status = cuda::status;

namespace {

bool is_set_up_as(const char* word) {
  const char* words = std::getenv("CUDA_TWIN");
  return words != nullptr && std::string(words).find(word) != std::string::npos;
}

std::size_t memory_bytes() { return std::size_t{is_set_up_as("small") ? 8U : 1024U} << 20; }

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
World& world() {
  static auto* const only = new World;
  return *only;
}

Status injected(const char* call) {
  const std::lock_guard lock(world().mutex);
  const auto fault = world().faults.find(call);
  if (fault == world().faults.end()) {
    return status::success;
  }
  if (fault->second.skipped-- > 0) {
    return status::success;
  }
  const Status number = fault->second.number;
  world().faults.erase(fault);
  return number;
}

thread_local cuda::Context current_context = nullptr;
cuda::Context only_context();

/// A context is a thread's: a driver refuses the call, and who ignores that leaks, or worse.
void expect_context(const char* call) {
  if (current_context != only_context()) {
    std::fprintf(stderr, "the CUDA twin: %s on a thread %s\n", call,
                 current_context == nullptr ? "without a context" : "with somebody else's context");
    std::abort();
  }
}

/// What every call asks first.
Status fate_of(const char* call) {
  const std::string name = call;
  if (name != "cuInit" && name.rfind("cuDevice", 0) != 0) {
    expect_context(call);
  }
  const Status sticky = world().sticky;
  return sticky != status::success ? sticky : injected(call);
}

void count_pageable(const void* host, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(host);
  const auto holds = [&](const auto& entry) {
    return entry.first <= begin && begin + size <= entry.first + entry.second;
  };
  World& all = world();
  const std::lock_guard lock(all.mutex);
  const bool is_pinned = std::any_of(all.registered.begin(), all.registered.end(), holds) ||
                         std::any_of(all.pinned.begin(), all.pinned.end(), holds);
  all.pageable += is_pinned ? 0 : 1;
}

/// In the stream's turn.
void copy(void* to, const void* from, std::size_t size) {
  std::memcpy(to, from, size);
  ++world().copies;
}

struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::chrono::steady_clock::time_point at;
};

/// Of an event between processes, in memory that they share.
struct SharedMark {
  std::atomic<std::uint64_t> recorded{0};
  std::atomic<std::uint64_t> done{0};
};

/// A descriptor of some process, as an IPC handle has it.
struct Place {
  pid_t process = 0;
  int fd = -1;
  std::size_t size = 0;
  std::size_t begin = 0;
};
cuda::IpcHandle handle_of(int fd, std::size_t size, std::size_t begin = 0) {
  const Place place{::getpid(), fd, size, begin};
  cuda::IpcHandle handle;
  std::memcpy(handle.bytes.data(), &place, sizeof place);
  return handle;
}
Place place_of(const cuda::IpcHandle& handle) {
  Place place;
  std::memcpy(&place, handle.bytes.data(), sizeof place);
  return place;
}

int make_shared_file(std::size_t size) {
  const int fd = ::memfd_create("cuda-twin", MFD_CLOEXEC);
  return fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) == 0 ? fd : -1;
}
void* map_shared(int fd, std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}
constexpr std::size_t block_bytes = std::size_t{2} << 20;
constexpr std::size_t piece_alignment = 512;

std::shared_ptr<Block> make_block(std::size_t size) {
  auto block = std::make_shared<Block>();
  block->fd = make_shared_file(size);
  block->base = static_cast<std::byte*>(map_shared(block->fd, size));
  block->size = size;
  return block->base == nullptr ? nullptr : block;
}

/// Under the world's lock. Null: there is no memory.
std::shared_ptr<Block> block_for(std::size_t size) {
  if (size >= block_bytes) {
    return make_block(size);
  }
  auto& open = world().open_block;
  if (open == nullptr || open->size - open->used < size) {
    open = make_block(block_bytes);
  }
  return open;
}

/// What another process has there, or null.
void* map_of_peer(const Place& place) {
  const std::string path =
      "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.fd);
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* memory = fd < 0 ? nullptr : map_shared(fd, place.size);
  ::close(fd);
  return memory;
}

void finish(Mark& mark) {
  const std::lock_guard lock(mark.mutex);
  mark.is_done = true;
  mark.at = std::chrono::steady_clock::now();
  mark.changed.notify_all();
}
void wait_for(Mark& mark) {
  std::unique_lock lock(mark.mutex);
  mark.changed.wait(lock, [&] { return mark.is_done; });
}

struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> tasks;
  bool is_ending = false;

  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return is_ending || !tasks.empty(); });
      if (tasks.empty()) {
        return;
      }
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex);
    tasks.push_back(std::move(task));
    changed.notify_all();
  }
};

constexpr Status invalid_handle = 400;

using Entry = void (*)(void** parameters, const unsigned* grid, const unsigned* block);

}  // namespace

namespace ligament::gpu::cuda {
struct OpaqueContext {};
struct OpaqueModule {
  void* library = nullptr;
};
struct OpaqueFunction {
  Entry entry = nullptr;
  const unsigned* sizes = nullptr;
};
struct OpaqueStream {
  std::shared_ptr<Queue> queue;
};
struct OpaqueEvent {
  std::shared_ptr<Mark> mark;
  SharedMark* shared = nullptr;  ///< never unmapped: streams may still look at it
  int fd = -1;
  bool has_time = true;
};
}  // namespace ligament::gpu::cuda

namespace {
cuda::Context only_context() {
  static cuda::OpaqueContext only;
  return &only;
}
}  // namespace

extern "C" {

void cuda_twin_fail(const char* call, int skipped, int number) {
  const std::lock_guard lock(world().mutex);
  world().faults[call] = {skipped, number};
}
void cuda_twin_repair(void) {
  const std::lock_guard lock(world().mutex);
  world().faults.clear();
  world().sticky = status::success;
}
// NOLINTNEXTLINE(google-runtime-int): C
unsigned long cuda_twin_copies(void) { return world().copies; }
// NOLINTNEXTLINE(google-runtime-int): C
unsigned long cuda_twin_pageable_copies(void) { return world().pageable; }

unsigned cuda_twin_attached(void) {
  const std::lock_guard lock(world().mutex);
  const auto& all = world().allocated;
  return static_cast<unsigned>(std::count_if(
      all.begin(), all.end(), [](const auto& entry) { return entry.second.is_streams; }));
}

Status cuInit(unsigned /*flags*/) { return fate_of("cuInit"); }
Status cuDriverGetVersion(int* version) {
  *version = 12040;
  return status::success;
}
Status cuGetErrorName(Status /*number*/, const char** name) {
  *name = "CUDA_ERROR";
  return status::success;
}
Status cuGetErrorString(Status number, const char** text) {
  *text = number == status::illegal_address ? "an illegal memory access was encountered"
          : number == status::out_of_memory ? "out of memory"
                                            : "an error of the twin";
  return status::success;
}
Status cuDeviceGetCount(int* count) {
  *count = is_set_up_as("no-device") ? 0 : 1;
  return fate_of("cuDeviceGetCount");
}
Status cuDeviceGet(cuda::Ordinal* device, int ordinal) {
  *device = ordinal;
  return status::success;
}
Status cuDeviceGetName(char* name, int size, cuda::Ordinal /*device*/) {
  std::strncpy(name, "CUDA twin", static_cast<std::size_t>(size));
  return status::success;
}
Status cuDeviceGetAttribute(int* value, cuda::Attribute attribute, cuda::Ordinal /*device*/) {
  switch (attribute) {
    case cuda::Attribute::integrated:
      *value = is_set_up_as("discrete") ? 0 : 1;
      break;
    case cuda::Attribute::read_only_host_register:
      *value = is_set_up_as("no-read-only") ? 0 : 1;
      break;
    case cuda::Attribute::concurrent_managed_access:
      *value = is_set_up_as("exclusive") ? 0 : 1;
      break;
    case cuda::Attribute::major:
      *value = is_set_up_as("uncached") ? 6 : 8;
      break;
    case cuda::Attribute::minor:
      *value = is_set_up_as("uncached") ? 2 : 7;
      break;
    default:
      *value = 1;
  }
  return status::success;
}
Status cuDeviceTotalMem_v2(std::size_t* bytes, cuda::Ordinal /*device*/) {
  *bytes = memory_bytes();
  return status::success;
}
Status cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Ordinal /*device*/) {
  *context = only_context();
  return fate_of("cuDevicePrimaryCtxRetain");
}
Status cuDevicePrimaryCtxRelease_v2(cuda::Ordinal /*device*/) { return status::success; }
Status cuCtxSetCurrent(cuda::Context context) {
  const Status fate = injected("cuCtxSetCurrent");
  if (fate == status::success) {
    current_context = context;
  }
  return fate;
}
Status cuCtxGetCurrent(cuda::Context* context) {
  *context = current_context;
  return status::success;
}

Status cuModuleLoadData(cuda::Module* module, const void* image) {
  if (const Status fate = fate_of("cuModuleLoadData"); fate != status::success) {
    return fate;
  }
  void* library = ::dlopen(static_cast<const char*>(image), RTLD_NOW | RTLD_LOCAL);
  *module = new cuda::OpaqueModule{library};
  return library == nullptr ? status::invalid_value : status::success;
}
Status cuModuleUnload(cuda::Module module) {
  expect_context("cuModuleUnload");
  delete module;  // its code stays: a kernel that does not end may run in it
  return status::success;
}
Status cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name) {
  static auto* const all = new std::deque<cuda::OpaqueFunction>;
  const std::lock_guard lock(world().mutex);
  const auto find = [&](const std::string& prefix) {
    return ::dlsym(module->library, (prefix + name).c_str());
  };
  auto* entry = reinterpret_cast<Entry>(find("twin_"));
  const auto* sizes = static_cast<const unsigned*>(find("twin_sizes_"));
  *function = &all->emplace_back(cuda::OpaqueFunction{entry, sizes});
  return entry == nullptr ? status::invalid_value : status::success;
}

Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = memory_bytes();
  *free = memory_bytes() / 2;
  return fate_of("cuMemGetInfo");
}
Status cuMemAlloc_v2(Address* address, std::size_t size) {
  if (const Status fate = fate_of("cuMemAlloc"); fate != status::success) {
    return fate;
  }
  if (size > memory_bytes()) {
    return status::out_of_memory;
  }
  const std::lock_guard lock(world().mutex);
  auto block = block_for(size);
  if (block == nullptr) {
    return status::out_of_memory;
  }
  const std::size_t begin = block->used;
  const std::size_t end = (begin + size + piece_alignment - 1) / piece_alignment * piece_alignment;
  block->used = std::min(end, block->size);
  *address = reinterpret_cast<Address>(block->base + begin);
  world().allocated[*address] = {std::move(block), begin};
  return status::success;
}
Status cuMemAllocManaged(Address* address, std::size_t size, unsigned /*flags*/) {
  return cuMemAlloc_v2(address, size);
}
Status cuMemFree_v2(Address address) {
  expect_context("cuMemFree");
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  world().allocated.erase(found);
  return status::success;
}

Status cuIpcGetMemHandle(cuda::IpcHandle* handle, Address address) {
  if (const Status fate = fate_of("cuIpcGetMemHandle"); fate != status::success) {
    return fate;
  }
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  const Block& block = *found->second.block;
  *handle = handle_of(block.fd, block.size, found->second.begin);
  return status::success;
}
Status cuIpcOpenMemHandle_v2(Address* address, cuda::IpcHandle handle, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuIpcOpenMemHandle"); fate != status::success) {
    return fate;
  }
  const Place place = place_of(handle);
  auto* const base = static_cast<std::byte*>(map_of_peer(place));
  if (base == nullptr) {
    return status::invalid_value;
  }
  *address = reinterpret_cast<Address>(base + place.begin);
  const std::lock_guard lock(world().mutex);
  world().opened[*address] = {base, place.size};
  return status::success;
}
Status cuIpcCloseMemHandle(Address address) {
  expect_context("cuIpcCloseMemHandle");
  const std::lock_guard lock(world().mutex);
  const auto found = world().opened.find(address);
  if (found == world().opened.end()) {
    return status::invalid_value;
  }
  ::munmap(found->second.base, found->second.size);
  world().opened.erase(found);
  return status::success;
}
Status cuIpcGetEventHandle(cuda::IpcHandle* handle, cuda::Event event) {
  if (event->shared == nullptr) {
    return status::invalid_value;
  }
  *handle = handle_of(event->fd, sizeof(SharedMark));
  return fate_of("cuIpcGetEventHandle");
}
Status cuIpcOpenEventHandle(cuda::Event* event, cuda::IpcHandle handle) {
  if (const Status fate = fate_of("cuIpcOpenEventHandle"); fate != status::success) {
    return fate;
  }
  void* memory = map_of_peer(place_of(handle));
  *event = new cuda::OpaqueEvent{nullptr, static_cast<SharedMark*>(memory), -1, false};
  return memory == nullptr ? status::invalid_value : status::success;
}
Status cuStreamAttachMemAsync(cuda::Stream /*stream*/, Address address, std::size_t /*size*/,
                              unsigned flags) {
  const std::lock_guard lock(world().mutex);
  const auto found = world().allocated.find(address);
  if (found == world().allocated.end()) {
    return status::invalid_value;
  }
  found->second.is_streams = flags == cuda::attach_single;
  return status::success;
}

Status cuMemHostAlloc(void** host, std::size_t size, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuMemHostAlloc"); fate != status::success) {
    return fate;
  }
  *host = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (*host == MAP_FAILED) {
    return status::out_of_memory;
  }
  const std::lock_guard lock(world().mutex);
  world().pinned[static_cast<std::byte*>(*host)] = size;
  return status::success;
}
Status cuMemFreeHost(void* host) {
  expect_context("cuMemFreeHost");
  const std::lock_guard lock(world().mutex);
  const auto found = world().pinned.find(static_cast<std::byte*>(host));
  if (found == world().pinned.end()) {
    return status::invalid_value;
  }
  ::munmap(host, found->second);
  world().pinned.erase(found);
  return status::success;
}

Status cuMemHostRegister_v2(void* host, std::size_t size, unsigned flags) {
  if (const Status fate = fate_of("cuMemHostRegister"); fate != status::success) {
    return fate;
  }
  auto* begin = static_cast<std::byte*>(host);
  const auto mapping = ligament::gpu::mapping_of(std::span(begin, 1));
  const bool as_read_only = (flags & cuda::register_read_only) != 0;
  if (as_read_only && is_set_up_as("no-read-only")) {
    return status::not_supported;
  }
  if (!mapping || (!mapping->is_writable && !as_read_only)) {
    return status::invalid_value;
  }
  const std::lock_guard lock(world().mutex);
  for (const auto& [base, length] : world().registered) {
    if (begin < base + length && base < begin + size) {
      return status::memory_already_registered;
    }
  }
  world().registered[begin] = size;
  return status::success;
}
Status cuMemHostUnregister(void* host) {
  expect_context("cuMemHostUnregister");
  const std::lock_guard lock(world().mutex);
  return world().registered.erase(static_cast<std::byte*>(host)) == 0
             ? status::memory_not_registered
             : status::success;
}
Status cuMemHostGetDevicePointer_v2(Address* address, void* host, unsigned /*flags*/) {
  expect_context("cuMemHostGetDevicePointer");
  const std::lock_guard lock(world().mutex);
  *address = reinterpret_cast<Address>(host);
  return world().registered.count(static_cast<std::byte*>(host)) == 0 ? status::invalid_value
                                                                      : status::success;
}

Status cuStreamCreate(cuda::Stream* stream, unsigned /*flags*/) {
  if (const Status fate = fate_of("cuStreamCreate"); fate != status::success) {
    return fate;
  }
  auto queue = std::make_shared<Queue>();
  std::thread([queue] { queue->serve(); }).detach();
  *stream = new cuda::OpaqueStream{std::move(queue)};
  return status::success;
}
Status cuStreamDestroy_v2(cuda::Stream stream) {
  expect_context("cuStreamDestroy");
  {
    const std::lock_guard lock(stream->queue->mutex);
    stream->queue->is_ending = true;
    stream->queue->changed.notify_all();
  }
  delete stream;
  return status::success;
}
Status cuStreamWaitEvent(cuda::Stream stream, cuda::Event event, unsigned /*flags*/) {
  if (event->shared != nullptr) {
    stream->queue->add([shared = event->shared, last = event->shared->recorded.load()] {
      while (shared->done < last) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    });
  }
  if (event->mark != nullptr) {
    stream->queue->add([mark = event->mark] { wait_for(*mark); });
  }
  return fate_of("cuStreamWaitEvent");
}
Status cuEventCreate(cuda::Event* event, unsigned flags) {
  const bool has_time = (flags & cuda::event_without_time) == 0;
  const bool is_shared = (flags & cuda::event_between_processes) != 0;
  if (is_shared && has_time) {
    return status::invalid_value;
  }
  *event = new cuda::OpaqueEvent{nullptr, nullptr, -1, has_time};
  if (is_shared) {
    (*event)->fd = make_shared_file(sizeof(SharedMark));
    (*event)->shared = static_cast<SharedMark*>(map_shared((*event)->fd, sizeof(SharedMark)));
  }
  return fate_of("cuEventCreate");
}
Status cuEventDestroy_v2(cuda::Event event) {
  expect_context("cuEventDestroy");
  delete event;
  return status::success;
}
Status cuEventRecord(cuda::Event event, cuda::Stream stream) {
  if (const Status fate = fate_of("cuEventRecord"); fate != status::success) {
    return fate;
  }
  event->mark = std::make_shared<Mark>();
  const std::uint64_t number = event->shared == nullptr ? 0 : ++event->shared->recorded;
  stream->queue->add([mark = event->mark, shared = event->shared, number] {
    finish(*mark);
    if (shared != nullptr) {
      shared->done = number;
    }
  });
  return status::success;
}
Status cuEventQuery(cuda::Event event) {
  if (const Status fate = fate_of("cuEventQuery"); fate != status::success) {
    return fate;
  }
  const std::lock_guard lock(event->mark->mutex);
  return event->mark->is_done ? status::success : status::not_ready;
}
Status cuEventSynchronize(cuda::Event event) {
  wait_for(*event->mark);
  return fate_of("cuEventSynchronize");
}
Status cuEventElapsedTime(float* milliseconds, cuda::Event begin, cuda::Event end) {
  if (!begin->has_time || !end->has_time) {
    return invalid_handle;
  }
  const std::scoped_lock lock(begin->mark->mutex, end->mark->mutex);
  if (!begin->mark->is_done || !end->mark->is_done) {
    return status::not_ready;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->at - begin->mark->at).count();
  return fate_of("cuEventElapsedTime");
}
Status cuLaunchHostFunc(cuda::Stream stream, cuda::Driver::HostFunction function, void* user_data) {
  const Status fate = fate_of("cuLaunchHostFunc");
  if (fate == status::success) {
    stream->queue->add([=] { function(user_data); });
  }
  return fate;
}

Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemcpyHtoDAsync"); fate != status::success) {
    return fate;
  }
  count_pageable(from, size);
  stream->queue->add([=] { copy(reinterpret_cast<void*>(to), from, size); });
  return status::success;
}
Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemcpyDtoHAsync"); fate != status::success) {
    return fate;
  }
  count_pageable(to, size);
  stream->queue->add([=] { copy(to, reinterpret_cast<const void*>(from), size); });
  return status::success;
}
Status cuMemsetD8Async(Address to, unsigned char value, std::size_t size, cuda::Stream stream) {
  if (const Status fate = fate_of("cuMemsetD8Async"); fate != status::success) {
    return fate;
  }
  stream->queue->add([=] { std::memset(reinterpret_cast<void*>(to), value, size); });
  return status::success;
}

Status cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z,
                      unsigned /*shared_bytes*/, cuda::Stream stream, void** parameters,
                      void** /*extra*/) {
  if (const Status fate = fate_of("cuLaunchKernel"); fate != status::success) {
    return fate;
  }
  const std::array<unsigned, 3> grid{grid_x, grid_y, grid_z};
  const std::array<unsigned, 3> block{block_x, block_y, block_z};
  if (grid_y > 65535 || grid_z > 65535 || block_x * block_y * block_z > 1024) {
    return status::invalid_value;
  }
  // By value, as they are now.
  std::vector<std::array<std::byte, 16>> values;
  for (std::size_t i = 0; function->sizes[i] != 0; ++i) {
    std::memcpy(values.emplace_back().data(), parameters[i], function->sizes[i]);
  }
  const Status fault = injected("kernel");
  stream->queue->add([=]() mutable {
    if (fault != status::success) {
      world().sticky = fault;
      return;
    }
    std::vector<void*> pointers;
    for (auto& value : values) {
      pointers.push_back(value.data());
    }
    function->entry(pointers.data(), grid.data(), block.data());
  });
  return status::success;
}

}  // extern "C"
