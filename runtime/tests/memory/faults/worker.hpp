// SPDX-License-Identifier: Apache-2.0
/// \file A forked process of the fault tests. The test itself never joins a domain and has one
/// thread, so a fork is a clean start and costs a millisecond.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "faults/figures.hpp"

namespace ligament::pool::test {

/// A watchdog, not a bound on speed.
[[nodiscard]] inline bool within(std::chrono::seconds patience,
                                 const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

class Worker {
 public:
  using Act = std::function<void(Figures&)>;
  /// `work` runs in the child, which ends when it returns; `prepare` before that, here.
  explicit Worker(const Act& work, const Act& prepare = nullptr) {
    if (prepare) {
      prepare(*figures_.get());
    }
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) {
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing of ours outlives a killed test
    if (::getppid() != parent) {
      std::_Exit(1);
    }
    work(*figures_.get());
    std::_Exit(0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { kill(); }

  [[nodiscard]] Figures& figures() const { return *figures_.get(); }
  [[nodiscard]] pid_t pid() const { return pid_; }

  void signal(int number) const {
    if (pid_ > 0) {
      ::kill(pid_, number);
    }
  }
  /// Kills it and waits until the kernel has buried it.
  void kill() {
    signal(SIGKILL);
    (void)reap();
  }
  /// Waits for its end. Returns the wait status.
  int reap() {
    int status = 0;
    if (pid_ > 0) {
      ::waitpid(std::exchange(pid_, 0), &status, 0);
    }
    return status;
  }
  /// Whether it has ended, or been stopped by itself.
  [[nodiscard]] bool has_ended() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
      status_ = status;
    }
    return pid_ == 0;
  }
  [[nodiscard]] bool has_stopped() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WNOHANG) == 0 &&
           info.si_pid == pid_;
  }
  /// The wait status, after `has_ended()`.
  [[nodiscard]] int status() const { return status_; }
  /// Tells it to end and waits. False: it had to be killed.
  [[nodiscard]] bool leave() {
    figures().command = Command::end;
    if (within(std::chrono::seconds(60), [this] { return has_ended(); })) {
      return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
    }
    kill();
    return false;
  }

 private:
  SharedFigures figures_;
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace ligament::pool::test
