// SPDX-License-Identifier: Apache-2.0
/// A process that is killed while its device reads a sample: what the device sees never changes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <ligament/detail/pool.hpp>
#include <ligament/std_msgs/msg/u_int64_multi_array.hpp>
#include <string>
#include <thread>

#include "fixture.hpp"
#include "gpu_peer.hpp"
#include "ligament/detail/endpoint.hpp"

namespace ligament::gpu::test {
namespace {

using Message = std_msgs::msg::UInt64MultiArray;
using Traits = MessageTraits<Message>;

/// A watchdog, not a bound on speed.
bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

class Killed : public OnEachModel {
 protected:
  void SetUp() override {
    OnEachModel::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (GetParam().where == Where::cuda) {
      if (const std::string lack = lacks_read_only_memory(); !lack.empty()) {
        GTEST_SKIP() << lack;
      }
      ::setenv("LIGAMENT_GPU_MODEL", "zero_copy", 1);
    }
    ::setenv("LIGAMENT_GPU_BACKEND", is_opencl(GetParam().where) ? "opencl" : "cuda", 1);
    watch();
  }

  /// The peer's kernel reads the first message from here on.
  void watch() {
    fd_ = ::memfd_create("watched", 0);
    ASSERT_EQ(::ftruncate(fd_, watched_bytes), 0);
    void* page = ::mmap(nullptr, watched_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    ASSERT_NE(page, MAP_FAILED);
    watched_ = static_cast<Watched*>(page);
    start_peer();
    domain_ = pool::Domain::join({name_, "run"}).value();
    const auto type = detail::type_identity<Message>();
    writer_ = domain_
                  ->create_writer(
                      {"/words", std::string(type.name), "/test", type.hash, QoS(ring).profile()},
                      {.max_bytes = 8192, .device = true})
                  .value();
    int status = 0;
    ASSERT_TRUE(eventually([&] {
      return writer_->matched_readers() == 1 || ::waitpid(peer_, &status, WNOHANG) == peer_;
    }));
    if (WIFEXITED(status) && WEXITSTATUS(status) == copies_exit_status) {
      peer_ = 0;
      GTEST_SKIP() << "the device here copies messages: there is nothing to protect";
    }
    publish(1);
    ASSERT_TRUE(eventually([this] { return watched_->looks > 0; }));
    ASSERT_EQ(watched_->first, 1U);
  }

  void TearDown() override {
    if (peer_ > 0) {
      kill_and_bury();
    }
    if (watched_ != nullptr) {
      ::munmap(watched_, watched_bytes);
      ::close(fd_);
    }
    ::unsetenv("LIGAMENT_GPU_BACKEND");
    ::unsetenv("LIGAMENT_GPU_MODEL");
    OnEachModel::TearDown();
  }

  void start_peer() {
    const std::string fd = std::to_string(fd_);
    peer_ = ::fork();
    if (peer_ == 0) {
      ::execl(GPU_PEER, GPU_PEER, name_.c_str(), fd.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
  }

  void kill_and_bury() {
    ::kill(peer_, SIGKILL);
    ::waitpid(std::exchange(peer_, 0), nullptr, 0);
  }

  /// All words of the message are `number`.
  void publish(std::uint64_t number) {
    Traits::Shape shape;
    shape.data = message_words;
    const auto layout = Traits::layout(shape);
    ASSERT_TRUE(layout);
    auto loan = writer_->loan(layout->size, layout->chosen_offset);
    ASSERT_TRUE(loan) << to_string(loan.error());
    auto builder = Traits::Builder::create(loan->payload(), shape);
    ASSERT_TRUE(builder);
    for (std::size_t i = 0; i < message_words; ++i) {
      builder->data().set(i, number);
    }
    ASSERT_TRUE(builder->finish());
    ASSERT_TRUE(writer_->publish(std::move(*loan)));
  }

  /// Blocks that are neither free nor in the ring.
  [[nodiscard]] std::uint64_t held() const {
    const pool::WriterStats stats = writer_->stats();
    return stats.blocks - stats.blocks_free - stats.in_ring;
  }

  void expect_unchanged() const {
    EXPECT_EQ(watched_->changes, 0U) << "a block was used again while the device read it";
  }

  static constexpr std::uint32_t ring = 2;
  const std::string name_ = "gpu-killed-" + std::to_string(::getpid());
  int fd_ = -1;
  Watched* watched_ = nullptr;
  pid_t peer_ = 0;
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Writer> writer_;
};

TEST_P(Killed, ABlockIsUsedAgainOnlyAfterTheDeviceIsDone) {
  for (std::uint64_t number = 2; number < 100; ++number) {
    publish(number);
  }
  const std::uint64_t looks = watched_->looks;
  ASSERT_TRUE(eventually([&] { return watched_->looks > looks + 1; }));
  expect_unchanged();
  EXPECT_GE(held(), 1U);
  ::kill(peer_, SIGKILL);
  // As fast as it goes, while the process and its device end.
  std::uint64_t number = 100;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);  // a watchdog
  while (held() != 0 && std::chrono::steady_clock::now() < limit) {
    publish(++number);
  }
  ASSERT_EQ(held(), 0U);
  expect_unchanged();
  const std::uint64_t last = watched_->looks;
  publish(++number);
  publish(++number);
  publish(++number);
  expect_unchanged();
  EXPECT_EQ(watched_->looks, last) << "the kernel ran on when the block was free already";
}

TEST_P(Killed, ANodeWithKernelsIsQuarantinedWhereSomebodyChecks) {
  std::atomic<bool> idle{false};
  domain_->set_quarantine([&](std::uint64_t, std::int32_t) { return idle.load(); });
  kill_and_bury();
  ASSERT_TRUE(eventually([this] { return writer_->stats().quarantined == 1; }));
  for (std::uint64_t number = 2; number < 100; ++number) {
    publish(number);
  }
  EXPECT_GE(held(), 1U);
  idle = true;
  EXPECT_TRUE(eventually([this] { return held() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(InPlace, Killed, each_in_place, name_of_model);

}  // namespace
}  // namespace ligament::gpu::test
