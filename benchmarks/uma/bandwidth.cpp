// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.hpp"

#include <sys/mman.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <gpu/cuda/driver.hpp>
#include <iostream>
#include <span>

namespace uma {
namespace {

namespace gpu = ligament::gpu;
namespace cuda = ligament::gpu::cuda;

[[noreturn]] void stop(const std::string& why) {
  std::cerr << "bandwidth: " << why << '\n';
  std::_Exit(1);
}
void check(cuda::Status status, const char* call) {
  if (status != cuda::status::success) {
    stop(std::string(call) + " gives " + std::to_string(status));
  }
}

/// Shared pages, as the pool's are.
class Pages {
 public:
  explicit Pages(std::size_t bytes)
      : bytes_(bytes),
        base_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (base_ == MAP_FAILED) {
      stop("there is no memory");
    }
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { ::munmap(base_, bytes_); }
  [[nodiscard]] std::span<std::byte> span() const {
    return {static_cast<std::byte*>(base_), bytes_};
  }

 private:
  std::size_t bytes_;
  void* base_;
};

/// Keeps the times of a submit's copies.
struct Timing : gpu::Completion {
  explicit Timing(CopyTimes& to) : times(to) {}
  [[nodiscard]] bool wants_times() const override { return true; }
  void worked(const ligament::trace::DeviceWork& work) override {
    if (work.category == ligament::trace::Category::copy) {
      (work.name == "copy in" ? times.in : times.out).push_back(work.end_ns - work.begin_ns);
    }
  }
  void ended(const gpu::Result<void>& result) override {
    if (!result) {
      stop(result.error().text);
    }
  }
  CopyTimes& times;
};

CopyTimes ours(gpu::Program& program, std::size_t bytes, int copies) {
  // Never unmapped: the program's driver keeps it registered.
  static auto* const kept = new std::vector<std::unique_ptr<Pages>>;
  const std::span<const std::byte> in = kept->emplace_back(std::make_unique<Pages>(bytes))->span();
  const std::span<std::byte> out = kept->emplace_back(std::make_unique<Pages>(bytes))->span();
  const std::array<gpu::Argument, 2> arguments{in, out};
  CopyTimes times;
  for (int i = 0; i < copies; ++i) {
    program.submit(std::array{gpu::Launch{.kernel = 0, .arguments = arguments}},
                   std::make_unique<Timing>(times));
    program.drain();
  }
  return times;
}

/// In the program's context, which this thread has opened.
CopyTimes pinned(const cuda::Driver& driver, std::size_t bytes, int copies) {
  const Pages host(bytes);
  cuda::Address device = 0;
  cuda::Stream stream = nullptr;
  std::array<cuda::Event, 2> events{};
  check(driver.host_register(host.span().data(), bytes, 0), "cuMemHostRegister");
  check(driver.allocate(&device, bytes), "cuMemAlloc");
  check(driver.stream_create(&stream, cuda::stream_non_blocking), "cuStreamCreate");
  for (cuda::Event& event : events) {
    check(driver.event_create(&event, cuda::event_default), "cuEventCreate");
  }
  CopyTimes times;
  for (int i = 0; i < 2 * copies; ++i) {
    const bool is_in = i % 2 == 0;
    check(driver.event_record(events[0], stream), "cuEventRecord");
    check(is_in ? driver.write(device, host.span().data(), bytes, stream)
                : driver.read(host.span().data(), device, bytes, stream),
          "cuMemcpyAsync");
    check(driver.event_record(events[1], stream), "cuEventRecord");
    check(driver.event_synchronize(events[1]), "cuEventSynchronize");
    float milliseconds = 0;
    check(driver.event_elapsed(&milliseconds, events[0], events[1]), "cuEventElapsedTime");
    (is_in ? times.in : times.out).push_back(std::llround(static_cast<double>(milliseconds) * 1e6));
  }
  for (cuda::Event event : events) {
    (void)driver.event_destroy(event);
  }
  (void)driver.stream_destroy(stream);
  (void)driver.release(device);
  (void)driver.host_unregister(host.span().data());
  return times;
}

}  // namespace

std::optional<Bandwidth> bandwidth_of(const gpu::Settings& settings, std::size_t bytes,
                                      int copies) {
  using enum gpu::ArgumentKind;
  auto program = gpu::Program::open(
      {{{"touch.cl",
         "__kernel void touch(const __global uchar* in, __global uchar* out) { out[0] = in[0]; }"}},
       {{"touch", {input, output}}}},
      settings);
  if (!program) {
    stop(program.error().text);
  }
  const gpu::DeviceInfo& device = (*program)->device();
  if (device.backend != gpu::Backend::cuda || device.shares_host_memory ||
      device.model != gpu::Model::standard_copy) {
    return std::nullopt;
  }
  const auto driver = cuda::load_driver();
  if (!driver) {
    stop(driver.error().text);
  }
  (void)ours(**program, bytes, 1);  // registers, and makes the device's memory
  return Bandwidth{ours(**program, bytes, copies), pinned(**driver, bytes, copies)};
}

}  // namespace uma
