// SPDX-License-Identifier: Apache-2.0
#include "memory/os/foreign.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace ligament::pool::os {

namespace {

// Threads that wait for a close. Of more descriptors the rest stays open until one is free.
constexpr int most_closing = 64;
constexpr std::size_t most_in_message = 253;  // SCM_MAX_FD

/// Never destroyed: its threads may outlive everything here.
struct Closing {
  std::mutex mutex;
  std::deque<Fd> waiting;
  int threads = 0;
};

Closing& closing() {
  static auto* const all = new Closing;
  return *all;
}

void close_waiting() {
  Closing& all = closing();
  std::unique_lock guard(all.mutex);
  while (!all.waiting.empty()) {
    {
      const Fd next = std::exchange(all.waiting.front(), Fd());
      all.waiting.pop_front();
      guard.unlock();
    }
    guard.lock();
  }
  --all.threads;
}

/// The process's signals are for its own threads.
std::thread without_signals(void (*work)()) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(work);
  } catch (...) {  // no thread is left: the next one closes it
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

void close_apart(Fd fd) noexcept {
  if (!fd) {
    return;
  }
  Closing& all = closing();
  const std::lock_guard guard(all.mutex);
  all.waiting.push_back(std::move(fd));
  if (all.threads == most_closing) {
    return;
  }
  if (std::thread thread = without_signals(close_waiting); thread.joinable()) {
    ++all.threads;
    thread.detach();
  }
}

Connection::~Connection() {
  if (!fd_) {
    return;
  }
  // Nothing more comes in after that, so what is counted is all.
  (void)::shutdown(fd_.get(), SHUT_RDWR);
  int unread = 0;
  if (::ioctl(fd_.get(), FIONREAD, &unread) != 0 || unread != 0) {
    close_apart(std::move(fd_));
  }
}

Message receive_message(const Fd& socket, void* to, std::size_t size) {
  Message found;
  iovec part{to, size};
  alignas(cmsghdr) char control[CMSG_SPACE(most_in_message * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  found.size = ::recvmsg(socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (found.size < 0) {
    return found;
  }
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(one) + i * sizeof number, sizeof number);
      Fd passed(number);
      if (!found.memory && ::fcntl(number, F_GET_SEALS) >= 0) {
        found.memory = std::move(passed);
      } else {
        found.is_foreign = true;
        close_apart(std::move(passed));
      }
    }
  }
  return found;
}

}  // namespace ligament::pool::os
