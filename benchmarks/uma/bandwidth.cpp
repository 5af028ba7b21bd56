// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <gpu/cuda/device.hpp>
#include <iostream>
#include <ligament/detail/pool.hpp>
#include <span>
#include <thread>

namespace uma {
namespace {

namespace gpu = ligament::gpu;
namespace cuda = ligament::gpu::cuda;
namespace pool = ligament::pool;

[[noreturn]] void stop(const std::string& why) {
  std::cerr << "bandwidth: " << why << '\n';
  std::_Exit(1);
}
void check(cuda::Status status, const char* call) {
  if (status != cuda::status::success) {
    stop(std::string(call) + " gives " + std::to_string(status));
  }
}

/// Shared pages of this process's own.
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

template <typename T, typename E>
T need(ligament::expected<T, E>&& found, const char* what) {
  if (!found) {
    stop(std::string("there is no ") + what);
  }
  return std::move(*found);
}

/// The payloads of a node with kernels: in is a sample of its subscription, in memory that it may
/// only read; out is a loan.
class Payloads {
 public:
  explicit Payloads(std::size_t bytes)
      : domain_(need(pool::Domain::join({"uma-bandwidth-" + std::to_string(::getpid()), "run"}),
                     "domain")),
        waiter_(need(domain_->create_waiter(), "waiter")),
        writer_(need(domain_->create_writer(description_, {.max_bytes = bytes, .device = true}),
                     "writer")),
        reader_(need(domain_->create_reader(description_, *waiter_, {.device = true}), "reader")),
        in_(sample(bytes)),
        out_(need(writer_->loan(bytes), "loan")) {}
  [[nodiscard]] std::span<const std::byte> in() const { return in_.payload(); }
  [[nodiscard]] std::span<std::byte> out() const { return out_.payload(); }

 private:
  [[nodiscard]] pool::HeldSample sample(std::size_t bytes) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (writer_->matched_readers() == 0 || reader_->matched_writers() == 0) {
      if (std::chrono::steady_clock::now() > end) {
        stop("the ends of a topic do not find each other");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    auto loan = need(writer_->loan(bytes), "loan");
    std::fill(loan.payload().begin(), loan.payload().end(), std::byte{1});
    if (!writer_->publish(std::move(loan))) {
      stop("a message cannot be published");
    }
    auto taken = need(reader_->take(), "sample");
    if (!taken) {
      stop("a message does not come");
    }
    return std::move(*taken);
  }

  const pool::EndpointDescription description_{"/payload", "uma/Payload", "/bandwidth"};
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<pool::Writer> writer_;
  std::unique_ptr<pool::Reader> reader_;
  pool::HeldSample in_;
  pool::Loan out_;
};

CopyTimes ours(gpu::Program& program, const Payloads& payloads, int copies) {
  const std::array<gpu::Argument, 2> arguments{payloads.in(), payloads.out()};
  CopyTimes times;
  for (int i = 0; i < copies; ++i) {
    program.submit(std::array{gpu::Launch{.kernel = 0, .arguments = arguments}},
                   std::make_unique<Timing>(times));
    program.drain();
  }
  return times;
}

CopyTimes pinned(const gpu::Settings& settings, std::size_t bytes, int copies) {
  auto opened = cuda::open_device(settings, gpu::Access::cached);
  if (!opened) {
    stop(opened.error().text);
  }
  const std::shared_ptr<cuda::SharedContext> context = opened->context;
  const cuda::Current current(*context);
  const cuda::Device own = std::move(*opened);  // goes before `current` does
  const cuda::Driver& driver = *own.driver;
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
  const Payloads payloads(bytes);
  (void)ours(**program, payloads, 1);  // registers, and makes the device's memory
  return Bandwidth{ours(**program, payloads, copies), pinned(settings, bytes, copies)};
}

}  // namespace uma
