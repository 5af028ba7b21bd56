// SPDX-License-Identifier: Apache-2.0
#include "memory/os/passage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include "ligament/detail/pool.hpp"
#include "memory/os/foreign.hpp"

namespace ligament::pool::os {

namespace {

// Of a process: its bells, directory and rows, and what its writers have added since we looked.
// One that passes more than we ask for may not take all our descriptors: of one that has not met us
// yet a few are kept, as each of its connections has some.
constexpr std::size_t most_passed = 64;
constexpr std::size_t most_passed_unsettled = 4;
constexpr std::size_t most_notes = 256;
constexpr std::size_t most_wanted = 4096;
// What was asked for and came without its descriptor, or not at all, is asked for again.
constexpr std::int64_t ask_again_ns = 1'000'000'000;
// Whoever needs what was passed takes it at once; later its owner may have closed it.
constexpr std::int64_t kept_ns = 2'000'000'000;
// Two processes that find each other at once have two.
constexpr std::size_t most_connections = 2;

/// Only memory of a pool leaves this process, whatever number a peer names.
bool is_pool_memory(std::uint64_t inode, std::uint32_t fd) {
  constexpr std::string_view prefix = "/memfd:ligament-";
  char name[prefix.size()];
  const auto path = fmt::format("/proc/self/fd/{}", fd);
  struct stat status {};
  return ::readlink(path.c_str(), name, sizeof name) == ssize_t{sizeof name} &&
         std::string_view(name, sizeof name) == prefix &&
         ::fstat(static_cast<int>(fd), &status) == 0 && status.st_ino == inode;
}

}  // namespace

Passage::Passage(Connection connection) : news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  connections_.push_back(std::move(connection));
}

bool Passage::send(const Note& note) {
  const std::lock_guard guard(mutex_);
  return send_locked(note, -1);
}

PassResult Passage::pass(std::uint64_t inode, std::uint32_t fd) {
  const std::lock_guard guard(mutex_);
  // What is looked at is what is sent: meanwhile another thread may close that number, and open
  // something else there. Without a spare descriptor it is looked at where it is.
  const Fd copy(::fcntl(static_cast<int>(fd), F_DUPFD_CLOEXEC, 0));
  const std::uint32_t sent = copy ? static_cast<std::uint32_t>(copy.get()) : fd;
  if (!is_pool_memory(inode, sent)) {
    return PassResult::not_ours;
  }
  const bool is_sent = send_locked({inode, fd, NoteKind::memory}, static_cast<int>(sent));
  return is_sent ? PassResult::passed : PassResult::no_room;
}

bool Passage::send_locked(const Note& note, int passed) {
  if (connections_.empty()) {
    return false;
  }
  Note copy = note;
  iovec part{&copy, sizeof copy};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (passed >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(header), &passed, sizeof passed);
  }
  return ::sendmsg(connections_.front().fd().get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         ssize_t{sizeof copy};
}

bool Passage::receive() {
  std::uint64_t count = 0;
  (void)!::read(news_.get(), &count, sizeof count);
  const std::lock_guard guard(mutex_);
  const std::int64_t oldest = monotonic_now_ns() - kept_ns;
  std::erase_if(passed_, [oldest](const Passed& one) { return one.since_ns < oldest; });
  return receive_locked() || !notes_.empty();
}

bool Passage::receive_locked() {
  bool any = false;
  for (auto connection = connections_.begin(); connection != connections_.end();) {
    Received received = Received::note;
    for (std::size_t i = 0; i < most_notes && received <= Received::memory; ++i) {
      received = receive_one(*connection);
      any = any || received == Received::memory;
    }
    connection = received == Received::end ? connections_.erase(connection) : connection + 1;
  }
  return any;
}

Passage::Received Passage::receive_one(const Connection& connection) {
  if (notes_.size() >= most_notes) {
    return Received::none;  // the rest stays in the kernel until these are read
  }
  Note note;
  Message message = receive_message(connection.fd(), &note, sizeof note);
  if (message.size < 0) {
    return errno == EAGAIN || errno == EINTR ? Received::none : Received::end;
  }
  // No process of ours passes anything but memory: who does is not received from again.
  if (message.is_foreign) {
    has_passed_foreign_ = true;
    (void)send_locked({0, 0, NoteKind::refused}, -1);
    return Received::end;
  }
  // A note is written whole: half of one is from somebody else's hand.
  if (message.size != ssize_t{sizeof note}) {
    return Received::end;
  }
  if (note.kind == NoteKind::memory) {
    return keep(note.word, std::move(message.memory)) ? Received::memory : Received::note;
  }
  notes_.push_back(note);
  return Received::note;
}

/// False: it has come without its descriptor, for lack of one of ours, or because a security module
/// withholds it.
bool Passage::keep(std::uint64_t inode, Fd fd) {
  if (!fd) {
    note_loss();
    return false;
  }
  is_short_ = false;
  wanted_.erase(inode);
  std::erase_if(passed_, [inode](const Passed& one) { return one.inode == inode; });
  if (!is_settled_ && passed_.size() >= most_passed_unsettled) {
    return false;  // it is asked for again
  }
  if (passed_.size() == most_passed) {
    passed_.erase(passed_.begin());
  }
  passed_.push_back({inode, std::move(fd), monotonic_now_ns()});
  return true;
}

void Passage::settle() {
  const std::lock_guard guard(mutex_);
  is_settled_ = true;
}

void Passage::note_loss() {
  const Fd probe(
      connections_.empty() ? -1 : ::fcntl(connections_.front().fd().get(), F_DUPFD_CLOEXEC, 0));
  is_short_ = !probe && is_want_of_descriptors(last_error("descriptor"));
}

std::vector<Note> Passage::take_notes() {
  const std::lock_guard guard(mutex_);
  return std::exchange(notes_, {});
}

expected<Fd, SystemError> Passage::take(std::uint64_t inode, std::uint32_t fd) {
  const std::lock_guard guard(mutex_);
  const auto find = [this, inode] {
    return std::find_if(passed_.begin(), passed_.end(),
                        [inode](const Passed& one) { return one.inode == inode; });
  };
  auto found = find();
  if (found == passed_.end()) {
    const bool has_come = receive_locked();  // maybe what housekeeping waits for: it is told, too
    found = find();
    if (const std::uint64_t one = 1; (has_come || !notes_.empty()) && !connections_.empty()) {
      (void)!::write(news_.get(), &one, sizeof one);
    }
  }
  if (found != passed_.end()) {
    // A copy: several subscriptions map it, and housekeeping and a take do so at once.
    Fd taken(::fcntl(found->fd.get(), F_DUPFD_CLOEXEC, 0));
    if (!taken) {
      return unexpected<SystemError>(last_error("a passed memory"));
    }
    return taken;
  }
  if (connections_.empty()) {
    return unexpected<SystemError>(SystemError{"a memory that was not passed", ENOENT});
  }
  ask_for(inode, fd);
  if (is_short_) {
    return unexpected<SystemError>(SystemError{"a passed memory", EMFILE});
  }
  return unexpected<SystemError>(SystemError{"a memory that has not been passed yet", EAGAIN});
}

void Passage::ask_for(std::uint64_t inode, std::uint32_t fd) {
  if (wanted_.size() >= most_wanted) {
    wanted_.clear();
  }
  const std::int64_t now = monotonic_now_ns();
  const auto asked = wanted_.find(inode);
  const bool is_due = asked == wanted_.end() || now - asked->second >= ask_again_ns;
  if (is_due && send_locked({inode, fd, NoteKind::wanted}, -1)) {
    wanted_[inode] = now;
  }
}

void Passage::merge(Passage& other) {
  const std::scoped_lock guard(mutex_, other.mutex_);
  for (Connection& connection : other.connections_) {
    if (connections_.size() < most_connections) {
      connections_.push_back(std::move(connection));
    }
  }
  for (Passed& passed : other.passed_) {
    (void)keep(passed.inode, std::move(passed.fd));
  }
  std::copy(other.notes_.begin(), other.notes_.end(), std::back_inserter(notes_));
  other.connections_.clear();
  other.passed_.clear();
  other.notes_.clear();
  wanted_.clear();  // what was asked for on the other connection is asked for again
}

void Passage::end() {
  const std::lock_guard guard(mutex_);
  (void)receive_locked();
  connections_.clear();
  std::uint64_t count = 0;  // nobody writes it any more: what is watched must not stay readable
  (void)!::read(news_.get(), &count, sizeof count);
}

bool Passage::has_ended() const {
  const std::lock_guard guard(mutex_);
  return connections_.empty();
}

bool Passage::has_passed_foreign() const {
  const std::lock_guard guard(mutex_);
  return has_passed_foreign_;
}

bool Passage::keeps_memory() const {
  const std::lock_guard guard(mutex_);
  return !passed_.empty();
}

std::vector<int> Passage::watched() const {
  const std::lock_guard guard(mutex_);
  std::vector<int> numbers{news_.get()};
  std::transform(connections_.begin(), connections_.end(), std::back_inserter(numbers),
                 [](const Connection& one) { return one.fd().get(); });
  return numbers;
}

}  // namespace ligament::pool::os
