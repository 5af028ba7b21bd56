// SPDX-License-Identifier: Apache-2.0
/// Another process: what it prints, and its end.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace ligament::edge {

class Child {
 public:
  /// Its standard input stays open until it is ended here.
  explicit Child(std::vector<std::string> words) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0) {
      return;
    }
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(output[1], STDOUT_FILENO);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    output_ = output[0];
  }
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(input_);
    ::close(output_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The next line, without its end; empty when it has closed its output.
  std::string line() {
    for (;;) {
      if (const auto end = came_.find('\n'); end != std::string::npos) {
        std::string text = came_.substr(0, end);
        came_.erase(0, end + 1);
        return text;
      }
      std::array<char, 65536> part{};
      const ssize_t size = ::read(output_, part.data(), part.size());
      if (size <= 0) {
        return std::exchange(came_, {});
      }
      came_.append(part.data(), static_cast<std::size_t>(size));
    }
  }
  void say_begin() const { (void)!::write(input_, "\n", 1); }
  /// Stands still when this returns: the signal alone may be a while on its way.
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void go_on() const { ::kill(pid_, SIGCONT); }
  /// Ends its input, waits for it and gives its exit status.
  int finish() {
    ::close(input_);
    input_ = -1;
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string came_;  ///< and is not read yet
};

}  // namespace ligament::edge
