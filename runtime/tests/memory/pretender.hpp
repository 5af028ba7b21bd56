// SPDX-License-Identifier: Apache-2.0
/// \file How `pool_peer` plays a process of another pid namespace that passes what it should not.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "memory/os/passage.hpp"

namespace ligament::pool::test {

struct OwnMemory {
  std::uint64_t inode = 0;
  int fd = -1;
};

/// A memfd of this process whose name begins so.
inline OwnMemory memory_named(const std::string& name) {
  OwnMemory found;
  DIR* listing = ::opendir("/proc/self/fd");
  while (const dirent* entry = ::readdir(listing)) {
    char target[256] = {};
    const int fd = std::atoi(entry->d_name);
    struct stat status {};
    if (::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), target, sizeof target - 1) > 0 &&
        std::string(target).rfind("/memfd:" + name, 0) == 0 && ::fstat(fd, &status) == 0) {
      found = {status.st_ino, fd};
      break;
    }
  }
  ::closedir(listing);
  return found;
}

/// As `Passage::pass`, of anything.
inline void pass_anything(int connection, const os::Note& note, int fd) {
  os::Note copy = note;
  iovec part{&copy, sizeof copy};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  (void)!::sendmsg(connection, &message, MSG_NOSIGNAL);
}

inline void say(int connection, const std::string& what) {
  const OwnMemory directory = memory_named("ligament-directory");
  const OwnMemory rows = memory_named("ligament-rows");
  int pipe_ends[2] = {};
  (void)!::pipe(pipe_ends);
  OwnMemory passed = directory;  // "another's": the directory of our parent
  if (what == "rows") {
    passed = rows;
  } else if (what == "pipe") {
    passed = {directory.inode, pipe_ends[0]};
  } else if (what == "proc") {
    passed = {directory.inode, ::dirfd(::opendir("/proc"))};
  }
  const auto number = static_cast<std::uint32_t>(passed.fd);
  if (what == "noise") {
    std::vector<std::uint32_t> noise(4096);
    for (std::uint32_t i = 0; i < noise.size(); ++i) noise[i] = i * 2654435761U;
    (void)!::send(connection, noise.data(), noise.size() * 4, MSG_NOSIGNAL);
    return;
  }
  if (what == "half") {
    (void)!::send(connection, "hello", 5, MSG_NOSIGNAL);
    return;
  }
  if (what == "early") {  // asks before it has said who it is
    const os::Note wanted{passed.inode, number, os::NoteKind::wanted};
    (void)!::send(connection, &wanted, sizeof wanted, MSG_NOSIGNAL);
    return;
  }
  if (what == "flood") {
    for (int i = 0; i < 2000; ++i) {
      pass_anything(connection, {static_cast<std::uint64_t>(i), 0, os::NoteKind::memory},
                    pipe_ends[0]);
    }
  }
  if (what != "nothing") {
    pass_anything(connection, {passed.inode, number, os::NoteKind::memory}, passed.fd);
  }
  const os::Note hello{passed.inode, number, os::NoteKind::hello};
  (void)!::send(connection, &hello, sizeof hello, MSG_NOSIGNAL);
}

/// "ok " and the kinds of the notes that came back before the connection was closed.
inline std::string pretend(const std::string& name, const std::string& what) {
  int answer[2] = {};
  if (::pipe(answer) != 0) return "error pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(answer[0]);
    std::string text = "ok";
    if (auto called = os::call(name)) {
      const int connection = called->connection.fd().get();
      (void)::fcntl(connection, F_SETFL, 0);  // it may wait
      const timeval watchdog{30, 0};
      (void)::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &watchdog, sizeof watchdog);
      say(connection, what);
      os::Note note;
      while (::recv(connection, &note, sizeof note, MSG_WAITALL) == ssize_t{sizeof note}) {
        text += fmt::format(" {}", static_cast<std::uint32_t>(note.kind));
      }
    } else {
      text = "error " + called.error().text();
    }
    (void)!::write(answer[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(answer[1]);
  std::string text;
  for (char c = 0; ::read(answer[0], &c, 1) == 1;) text += c;
  ::close(answer[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace ligament::pool::test
