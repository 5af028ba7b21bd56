// SPDX-License-Identifier: Apache-2.0
/// \file What the pool's tests share: names nobody else uses, patience without time limits that
/// could fail on a slow machine, and other processes.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ligament/detail/pool.hpp"
#include "memory/os/system.hpp"
#include "stamped_payload.hpp"

namespace ligament::pool::test {

inline std::string unique_name() {
  static std::atomic<int> counter{0};
  return fmt::format("test-{}-{}", ::getpid(), ++counter);
}

/// A watchdog, not a bound on speed: a minute is given up on only if something hangs.
[[nodiscard]] inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

inline EndpointDescription bytes_on(const std::string& topic, QoS qos = QoS(10)) {
  return {topic, "test/msg/Bytes", "/test", {}, qos.profile()};
}

/// So many pid namespaces below ours, each with its own /proc, as a container has it. `in_user`:
/// also in a user namespace, where the kernel lets anybody make one, and lets nobody in it look at
/// processes outside.
struct Namespaces {
  int depth = 1;
  bool in_user = ::geteuid() != 0;
};

/// A fork into a new pid namespace: there the child is number 1. -1: this may not be done here.
inline pid_t fork_into_namespace(bool in_user) {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  const long flags = CLONE_NEWPID | CLONE_NEWNS | (in_user ? CLONE_NEWUSER : 0) | SIGCHLD;
  const long child = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
  if (child != 0) {
    return static_cast<pid_t>(child);
  }
  if (in_user) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << fmt::format("{0} {0} 1", uid);
    std::ofstream("/proc/self/gid_map") << fmt::format("{0} {0} 1", gid);
  }
  (void)::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) {
    ::_exit(126);
  }
  return 0;
}

/// Whether this kernel lets processes of different pid namespaces share memory, and us make one.
[[nodiscard]] inline bool has_namespaces(Namespaces kind = {}) {
  if (os::identity_of(os::open_process(::getpid())) == 0) {
    return false;
  }
  const pid_t child = fork_into_namespace(kind.in_user);
  if (child == 0) {
    ::_exit(0);
  }
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// A `pool_peer` process.
class OtherProcess {
 public:
  OtherProcess() : OtherProcess(Namespaces{0, false}) {}
  /// `pid()` is that of the outermost process: what happens to it happens to all.
  explicit OtherProcess(Namespaces namespaces) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
      std::abort();
    }
    pid_ = namespaces.depth > 0 ? fork_into_namespace(namespaces.in_user) : ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (int depth = 1; depth < namespaces.depth; ++depth) {
        if (const pid_t inner = fork_into_namespace(namespaces.in_user); inner != 0) {
          ::waitpid(inner, nullptr, 0);
          ::_exit(0);
        }
      }
      ::execl(POOL_PEER, POOL_PEER, static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  explicit OtherProcess(const std::string& domain, const std::string& run = "run",
                        Namespaces namespaces = {0, false})
      : OtherProcess(namespaces) {
    EXPECT_EQ(ask("join " + domain + " " + run), "ok");
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() {
    ::close(to_);
    ::close(from_);
    if (pid_ > 0) {
      ::kill(pid_, SIGCONT);
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  void send(const std::string& command) const {
    const std::string line = command + "\n";
    (void)!::write(to_, line.data(), line.size());
  }
  [[nodiscard]] std::string answer() const {
    std::string line;
    for (char c = 0; ::read(from_, &c, 1) == 1 && c != '\n';) {
      line += c;
    }
    return line;
  }
  std::string ask(const std::string& command) const {
    send(command);
    return answer();
  }
  /// Kills it and waits until the kernel has buried it. Returns the wait status.
  int die(int signal = SIGKILL) {
    int status = 0;
    ::kill(pid_, signal);
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }
  /// Lets it end by itself. Returns the wait status.
  int leave() {
    int status = 0;
    send("exit");
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }
  void stop() const {
    int status = 0;
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, &status, WUNTRACED);
  }
  void wait_until_stopped() const {
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
  }
  void resume() const { ::kill(pid_, SIGCONT); }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

/// Opens a subscription there, and waits until it is matched.
inline void subscribe_in(const OtherProcess& process, const std::string& topic,
                         const std::string& options = "") {
  ASSERT_EQ(process.ask("reader " + topic + options), "ok");
  ASSERT_TRUE(eventually([&] { return process.ask("matched " + topic) == "ok 1"; }));
}

/// Opens a publisher there, and waits until the subscription here hears it alone.
inline void publish_in(const OtherProcess& process, const std::string& topic,
                       const Reader& subscription) {
  ASSERT_EQ(process.ask("writer " + topic), "ok");
  ASSERT_TRUE(eventually([&] { return subscription.matched_writers() == 1; }));
}

/// One process's side of a domain.
struct Side {
  explicit Side(const std::string& name, const std::string& run = "run")
      : domain(Domain::join({name, run}).value()), waiter(domain->create_waiter().value()) {}

  [[nodiscard]] std::unique_ptr<Writer> writer(const EndpointDescription& description,
                                               const WriterOptions& options = {}) const {
    return domain->create_writer(description, options).value();
  }
  [[nodiscard]] std::unique_ptr<Reader> reader(const EndpointDescription& description) const {
    return domain->create_reader(description, *waiter).value();
  }
  /// So many on one topic.
  [[nodiscard]] std::vector<std::unique_ptr<Writer>> writers(
      std::size_t count, const EndpointDescription& description) const {
    std::vector<std::unique_ptr<Writer>> all(count);
    std::generate(all.begin(), all.end(), [&] { return writer(description); });
    return all;
  }
  [[nodiscard]] std::vector<std::unique_ptr<Reader>> readers(
      std::size_t count, const EndpointDescription& description) const {
    std::vector<std::unique_ptr<Reader>> all(count);
    std::generate(all.begin(), all.end(), [&] { return reader(description); });
    return all;
  }

  std::shared_ptr<Domain> domain;
  std::unique_ptr<Waiter> waiter;
};

/// Waits for data; an event (two ends have matched, say) also ends a wait.
inline WaitResult wait_for_data(Waiter& waiter) {
  WaitResult result = WaitResult::woken;
  while (result == WaitResult::woken) {
    result = waiter.wait(WaitStrategy::sleep());
  }
  return result;
}

/// Whether that thread (or process) sleeps in a futex.
[[nodiscard]] inline bool sleeps_in_futex(pid_t thread) {
  std::ifstream wchan(fmt::format("/proc/{}/wchan", thread));
  std::string where;
  wchan >> where;
  return where.find("futex") != std::string::npos;
}

inline void publish_stamped(Writer& writer, std::uint64_t number, std::size_t size) {
  auto loan = writer.loan(size);
  ASSERT_TRUE(loan) << to_string(loan.error());
  stamp(loan->payload(), number);
  ASSERT_TRUE(writer.publish(std::move(*loan)));
}

}  // namespace ligament::pool::test
