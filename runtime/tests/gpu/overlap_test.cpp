// SPDX-License-Identifier: Apache-2.0
/// The host works on while a kernel runs, and copies of one message go beside the kernels of
/// another. Kernels here wait for the host, which only a device that shares its memory can: what
/// would wait for them instead runs into the deadline.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <ligament/gpu.hpp>
#include <memory>
#include <thread>

#include "fixture.hpp"

namespace ligament::gpu {
namespace {

using test::Bytes;
using Kind = ArgumentKind;

constexpr const char* text = R"(
__kernel void wait(volatile __global int* go, __global int* out) {
  while (go[0] == 0) {}
  out[0] = 1;
}
__kernel void copy(const __global uchar* in, __global uchar* out) {
  out[get_global_id(0)] = in[get_global_id(0)];
}
)";

/// What became of a submit.
enum class State : std::uint8_t { under_way, done, failed };

struct Noting : Completion {
  explicit Noting(std::atomic<State>& told) : state(told) { state = State::under_way; }
  void ended(const Result<void>& result) override { state = result ? State::done : State::failed; }
  std::atomic<State>& state;
};

class GpuOverlap : public test::OnEachModel {
 protected:
  /// Payloads are copied, unless an argument says otherwise; null, and skipped: not on this device.
  std::unique_ptr<Program> open_copying() {
    Settings settings = test::settings_of(GetParam());
    const auto in_place = Program::open({}, settings);
    if (!in_place || (*in_place)->device().model != Model::zero_copy) {
      return nullptr;
    }
    go_.data.fill({});
    out_.data.fill({});
    settings.model = Model::standard_copy;
    settings.topic_models = {{"/go", Model::zero_copy}};
    return open({{{"text.cl", text}},
                 {{"wait", {Kind::output, Kind::output}}, {"copy", {Kind::input, Kind::output}}}},
                settings);
  }

  /// A kernel that ends when `go_` says so.
  void submit_wait(Program& program) {
    const std::array<Argument, 2> arguments{Writing{go_.data, Model::zero_copy},
                                            Writing{gone_.data, Model::zero_copy}};
    program.submit(std::array{Launch{.kernel = 0, .arguments = arguments}},
                   std::make_unique<Noting>(waiting_));
  }

  void submit_copy(Program& program) {
    const std::array<Argument, 2> arguments{std::span<const std::byte>(in_.data),
                                            std::span<std::byte>(out_.data)};
    program.submit(std::array{Launch{.kernel = 1, .global = {4096, 1, 1}, .arguments = arguments}},
                   std::make_unique<Noting>(copying_));
  }

  // They outlive what a device that was given up still does.
  inline static Bytes go_;
  inline static Bytes gone_;
  inline static Bytes in_;
  inline static Bytes out_;
  inline static std::atomic<State> waiting_;
  inline static std::atomic<State> copying_;
};

TEST_P(GpuOverlap, who_submits_does_not_wait_and_copies_go_beside_kernels) {
  const auto program = open_copying();
  if (program == nullptr) {
    GTEST_SKIP() << "the device here copies messages: a kernel could not be told to go on";
  }
  in_.data.fill(std::byte{7});
  const unsigned long before = cuda_twin_copies();  // NOLINT(google-runtime-int): C
  submit_wait(*program);
  submit_copy(*program);
  EXPECT_EQ(waiting_, State::under_way);
  if (GetParam().where == test::Where::cuda_twin) {
    for (int i = 0; i < 60'000 && cuda_twin_copies() == before; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a watchdog
    }
    EXPECT_EQ(cuda_twin_copies(), before + 1) << "the second message's way in, beside the kernel";
  }
  EXPECT_EQ(waiting_, State::under_way);
  EXPECT_EQ(copying_, State::under_way) << "its kernel comes after the first one's";
  std::atomic_ref(go_.data[0]).store(std::byte{1});
  program->drain();
  EXPECT_EQ(waiting_, State::done);
  EXPECT_EQ(copying_, State::done);
  EXPECT_EQ(out_.data, in_.data);
}

INSTANTIATE_TEST_SUITE_P(InPlace, GpuOverlap, test::each_in_place, test::name_of_model);

}  // namespace
}  // namespace ligament::gpu
