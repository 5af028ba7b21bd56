// SPDX-License-Identifier: Apache-2.0
/// \file A core that an emulator stands for: runs its image, and shares its memory with us.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <ligament/expected.hpp>
#include <memory>
#include <string>
#include <vector>

#include "rpmsg/bell.hpp"

namespace ligament::mcu {

/// What is known of a board that an emulator knows, too.
struct Board {
  const char* name;
  const char* program;    ///< of the emulator
  const char* package;    ///< of Debian, that has it
  const char* memory_id;  ///< that it shares, as the machine names it
  const char* core;       ///< in QEMU's object tree, where its bell is rung by qtest; else null
  std::vector<std::string> arguments;  ///< IMAGE stands for the file, MEMORY for the memory's size
};
/// Null: there is none of that name.
[[nodiscard]] const Board* find_board(const std::string& name);

/// The memory outlives the core, and ends with this process: it has no name.
class Emulator {
 public:
  /// `size` of the memory that it shares.
  [[nodiscard]] static expected<std::unique_ptr<Emulator>, std::string> make(const Board& board,
                                                                             std::string image,
                                                                             std::uint64_t size);
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  [[nodiscard]] int memory() const { return memory_; }
  /// Starts the core; its bell. By the thread that lives as long: the core ends with it. `cause` is
  /// a word of the area, which outlives the bell.
  [[nodiscard]] expected<std::unique_ptr<rpmsg::Bell>, std::string> start(std::uint32_t& cause);
  void kill();
  /// Whether it runs. One that has ended is gone after this; `ended` says how.
  [[nodiscard]] bool is_running();
  [[nodiscard]] const std::string& ended() const { return ended_; }
  /// Readable when it has said something.
  [[nodiscard]] int console() const { return console_; }
  /// Hands out whole lines of its console.
  void read_console(const std::function<void(const std::string&)>& say);

 private:
  struct Memory {
    int file;
    std::uint64_t size;
  };
  Emulator(const Board& board, std::string program, std::string image, Memory memory)
      : board_(board),
        program_(std::move(program)),
        image_(std::move(image)),
        memory_(memory.file),
        size_(memory.size) {}

  const Board& board_;
  std::string program_;
  std::string image_;
  int memory_ = -1;
  std::uint64_t size_;
  int console_ = -1;
  pid_t process_ = 0;
  [[nodiscard]] std::vector<std::string> words(int console, int bell, int qtest) const;

  std::string line_;
  std::string ended_;
};

}  // namespace ligament::mcu
