// SPDX-License-Identifier: Apache-2.0
/// \file A process beside a test, which it may stop and kill.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace ligament::testing {

/// Killed with the test, whatever the test does.
class PeerProcess {
 public:
  explicit PeerProcess(std::vector<std::string> words) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe(ends.data()), 0);
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::execv(arguments.front(), arguments.data());
      ::_exit(98);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~PeerProcess() {
    signal(SIGKILL);
    (void)end();
    ::close(output_);
  }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  void wait_until_ready() const {
    char first = 0;
    ASSERT_EQ(::read(output_, &first, 1), 1) << "the peer ended before it was ready";
    ASSERT_EQ(first, 'r');
  }
  void signal(int number) const {
    if (pid_ > 0) {
      ::kill(pid_, number);
    }
  }
  void stop() const {
    signal(SIGSTOP);
    int status = 0;
    ASSERT_EQ(::waitpid(pid_, &status, WUNTRACED), pid_);
    ASSERT_TRUE(WIFSTOPPED(status));
  }
  /// Its exit status, or minus the signal that ended it.
  int end() {
    int status = 0;
    if (pid_ > 0) {
      ::waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

}  // namespace ligament::testing
