// SPDX-License-Identifier: Apache-2.0
/// A queue topic between two processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "chain_ends.hpp"
#include "fixture.hpp"

namespace ligament::gpu::test {
namespace {

using testing::HasSubstr;

class QueueBetweenProcesses : public testing::Test {
 protected:
  void TearDown() override {
    if (peer_ > 0) {
      ::kill(peer_, SIGKILL);
      ::waitpid(peer_, nullptr, 0);
    }
    ::unsetenv("LIGAMENT_GPU_BACKEND");
    choose_drivers(Where::opencl);
  }

  void start(const char* backend) {
    ::setenv("LIGAMENT_GPU_BACKEND", backend, 1);
    const std::string domain = "gpu-crossing-" + std::to_string(::getpid()) + backend;
    context_ = Context::create({.domain = domain, .run_id = "run"}).value();
    peer_ = ::fork();
    if (peer_ == 0) {
      ::execl(QUEUE_PEER, QUEUE_PEER, domain.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    second_ = std::make_shared<Scale>("second", crossing_options(context_, "/between", "/done"), 5);
    ends_ = std::make_unique<ChainEnds>(context_, crossing_options(context_, "in", "out"));
    ASSERT_NO_FATAL_FAILURE(ends_->add(second_));
    ASSERT_TRUE(ends_->eventually(
        [this] { return ends_->is_heard() && second_->is_fed() && second_->is_matched(); }));
  }

  pid_t peer_ = 0;
  std::shared_ptr<Context> context_;
  std::shared_ptr<Scale> second_;
  std::unique_ptr<ChainEnds> ends_;
};

class QueueBetweenProcessesOfACard : public QueueBetweenProcesses,
                                     public testing::WithParamInterface<Target> {};

TEST_P(QueueBetweenProcessesOfACard, a_payload_is_opened_where_the_other_process_left_it) {
  choose_drivers(GetParam().where, "discrete");
  if (GetParam().where == Where::cuda) {
    if (const std::string lack = lacks_gpu(); !lack.empty()) {
      GTEST_SKIP() << lack;
    }
    const auto program = Program::open({}, settings_of(GetParam()));
    ASSERT_TRUE(program) << program.error().text;
    if ((*program)->device().shares_host_memory) {
      GTEST_SKIP() << "the GPU here is no card: it has no buffers that other processes could open";
    }
  }
  start("cuda");
  constexpr std::uint64_t messages = 20;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t number = 1; number <= messages; ++number) {
    ends_->send(number);
    ASSERT_TRUE(ends_->eventually([&] { return ends_->found().size() == number; }))
        << (second_->errors().empty() ? "" : second_->errors().front().text);
    expected.push_back(15 * number);
  }
  EXPECT_EQ(ends_->found(), expected);
  EXPECT_EQ(second_->statistics().copies, messages) << "out, and nothing in";
}

INSTANTIATE_TEST_SUITE_P(Cards, QueueBetweenProcessesOfACard,
                         testing::Values(Target{"cuda_twin", Where::cuda_twin,
                                                Model::standard_copy},
                                         Target{"cuda", Where::cuda, Model::standard_copy}),
                         name_of_model);

TEST_F(QueueBetweenProcesses, a_device_that_cannot_open_it_refuses_the_message_and_says_so) {
  choose_drivers(Where::opencl);
  start("opencl");
  ends_->send(1);
  ASSERT_TRUE(ends_->eventually([this] { return second_->refused() == 1; }));
  ASSERT_FALSE(second_->errors().empty());
  EXPECT_THAT(second_->errors().front().text,
              HasSubstr("leave `peer_buffers` out of the platform"));
  EXPECT_TRUE(ends_->found().empty());
}

}  // namespace
}  // namespace ligament::gpu::test
