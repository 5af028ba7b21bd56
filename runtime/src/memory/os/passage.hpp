// SPDX-License-Identifier: Apache-2.0
/// \file A connection to a process in another pid namespace, over which each hands its memory to
/// the other (spec/wire/pid-namespaces.md). It has no /proc/PID here, so its descriptors are
/// passed.
///
/// What was sent before its sender stopped or died is received all the same. Nobody waits: a memory
/// that has not come is asked for, and found later.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "memory/os/socket.hpp"
#include "memory/os/system.hpp"

namespace ligament::pool::os {

enum class NoteKind : std::uint32_t {
  greeting = 0,   ///< of a process that only looks who is there: its `Greeting`
  hello = 1,      ///< word: inode of my directory, fd: its number; the memory itself came before
  confirmed = 2,  ///< I have reached you too
  refused = 3,    ///< we shall not share memory
  wanted = 4,     ///< word, fd: inode and number of a memory of yours
  memory = 5,     ///< the same of one of mine; its descriptor comes with it
};

/// All that is ever sent over a passage. A `Greeting` has this form.
struct Note {
  std::uint64_t word = 0;
  std::uint32_t fd = 0;
  NoteKind kind = NoteKind::greeting;
};
static_assert(sizeof(Note) == 16 && sizeof(Greeting) == sizeof(Note));

enum class PassResult : std::uint8_t { passed, no_room, not_ours };

/// Called by the housekeeping thread, and by takes and loans.
class Passage {
 public:
  explicit Passage(Connection connection);

  /// Never waits. False: there is no room now, or nobody there any more.
  [[nodiscard]] bool send(const Note& note);
  /// Passes a memory of ours, if `fd` is the number of that one: memory of a pool alone.
  PassResult pass(std::uint64_t inode, std::uint32_t fd);
  /// Reads what has come, up to a bound. True: memory that can be taken, or notes.
  [[nodiscard]] bool receive();
  /// What was received and is not memory, oldest first.
  [[nodiscard]] std::vector<Note> take_notes();
  /// A memory that has been passed; asks for it where it has not (EAGAIN).
  [[nodiscard]] expected<Fd, SystemError> take(std::uint64_t inode, std::uint32_t fd);

  /// Both have met: from now on as much is kept as a peer's writers may pass at once.
  void settle();
  /// The connections of another one to the same process: what comes there is found here.
  void merge(Passage& other);
  /// Closes the connections. What has come can still be taken.
  void end();
  [[nodiscard]] bool has_ended() const;
  /// It has ended because what came was no memory.
  [[nodiscard]] bool has_passed_foreign() const;
  /// There is something that `receive` lets go of when nobody has taken it for a while.
  [[nodiscard]] bool keeps_memory() const;
  [[nodiscard]] std::vector<int> watched() const;  ///< readable when there is something to do

 private:
  struct Passed {
    std::uint64_t inode = 0;
    Fd fd;
    std::int64_t since_ns = 0;
  };
  enum class Received : std::uint8_t { note, memory, none, end };
  [[nodiscard]] bool send_locked(const Note& note, int passed);
  bool receive_locked();
  [[nodiscard]] Received receive_one(const Connection& connection);
  bool keep(std::uint64_t inode, Fd fd);
  void note_loss();
  void ask_for(std::uint64_t inode, std::uint32_t fd);

  const Fd news_;  ///< readable: a take has received what is not its own, or not its to answer
  mutable std::mutex mutex_;
  std::vector<Connection> connections_;
  std::vector<Passed> passed_;  ///< oldest first; not for long: it keeps memory that is closed
  std::vector<Note> notes_;
  std::map<std::uint64_t, std::int64_t> wanted_;  ///< by inode, when it was asked for
  bool is_settled_ = false;
  bool has_passed_foreign_ = false;
  bool is_short_ = false;  ///< the last one was lost because we had no descriptor for it
};

}  // namespace ligament::pool::os
