// SPDX-License-Identifier: Apache-2.0
/// \file What the nodes of the benchmark share: messages lent and read as words, and processes.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ligament/gpu_node.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int32_multi_array.hpp>
#include <memory>
#include <string>
#include <thread>

#include "runs.hpp"

namespace uma {

namespace gpu = ligament::gpu;
using Message = ligament::std_msgs::msg::UInt32MultiArray;
using Traits = ligament::MessageTraits<Message>;
using Loan = ligament::LoanedMessage<Message>;
using Publisher = ligament::Publisher<Message>;
using Sample = ligament::Sample<Message>;

inline Loan lend(Publisher& publisher, std::size_t words) {
  Traits::Shape shape;
  shape.data = words;
  auto loan = publisher.borrow_loaned_message(shape);
  if (!loan) {
    give_up("no memory was lent for a message");
  }
  return std::move(*loan);
}

inline Words words_of(Loan& loan) {
  const auto words = loan.get().data().span();
  return words ? *words : Words{};
}
inline ConstWords words_of(const Sample& sample) {
  const auto words = sample.view().data().span();
  return words ? *words : ConstWords{};
}

/// The bytes of a message's fields beside its array.
inline constexpr std::size_t room_for_fields = 256;

inline std::shared_ptr<ligament::Context> join(const Setup& setup) {
  auto context = ligament::Context::create({.domain = setup.domain, .run_id = "uma"});
  if (!context) {
    give_up(context.error().text);
  }
  return *context;
}

/// Runs a node until standard input ends; the exit status.
inline int serve(const std::shared_ptr<ligament::Context>& context,
                 const std::shared_ptr<ligament::Node>& node) {
  for (const auto& error : node->errors()) {
    give_up(error.text);
  }
  std::thread input([&] {
    char byte = 0;
    while (::read(0, &byte, 1) > 0) {
    }
    context->shutdown();
  });
  ligament::executors::SingleThreadedExecutor executor(
      {.context = context, .wait = ligament::WaitStrategy::sleep()});
  (void)executor.add_node(node);
  const auto done = executor.spin();
  input.join();
  return done ? 0 : 1;
}

/// A process that ends when its standard input does.
class Process {
 public:
  explicit Process(const std::string& command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      give_up("there is no pipe for the GPU node's process");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[0], 0);
      ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[0]);
    input_ = ends[1];
  }
  ~Process() {
    ::close(input_);
    ::waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  [[nodiscard]] bool has_ended() const { return ::waitpid(pid_, nullptr, WNOHANG) != 0; }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
};

}  // namespace uma
