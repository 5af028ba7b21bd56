// SPDX-License-Identifier: Apache-2.0
/// \file An emulated Cortex-M4F (QEMU's mps2-an386) that runs real firmware and shares its memory
/// with this process.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rpmsg/bell.hpp"

extern char** environ;

namespace ligament::rpmsg::twin {

class Emulator {
 public:
  /// `memory`: a file of 16 MB that is the board's memory at 0x21000000.
  Emulator(std::string folder, std::string firmware)
      : folder_(std::move(folder)), firmware_(std::move(firmware)) {
    std::filesystem::create_directories(folder_);
    std::ofstream(memory(), std::ios::binary).close();
    std::filesystem::resize_file(memory(), size);
  }
  ~Emulator() {
    kill();
    std::filesystem::remove_all(folder_);
  }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  [[nodiscard]] std::string memory() const { return folder_ + "/memory"; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string console() const {
    std::ifstream file(folder_ + "/console");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Starts it, and connects its bell; null: it did not come up (its console and stderr say why).
  std::unique_ptr<Bell> start() {
    std::filesystem::remove(folder_ + "/bell");
    std::vector<std::string> words = {
        LIGAMENT_QEMU_ARM, "-M", "mps2-an386,memory-backend=ram", "-m", "16M", "-object",
        "memory-backend-file,id=ram,size=16M,share=on,mem-path=" + memory(), "-kernel", firmware_,
        "-display", "none", "-monitor", "none", "-serial", "file:" + folder_ + "/console",
        // It begins when we listen: no ring is lost.
        "-serial", "unix:" + folder_ + "/bell,server=on,wait=on"};
    std::vector<char*> arguments;
    for (auto& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    if (::posix_spawn(&process_, LIGAMENT_QEMU_ARM, nullptr, nullptr, arguments.data(), environ) !=
        0) {
      return nullptr;
    }
    for (int tries = 0; tries < 3000; ++tries) {
      if (auto bell = SocketBell::connect((folder_ + "/bell").c_str())) {
        return bell;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return nullptr;
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }

  static constexpr std::uintmax_t size = 16U << 20U;

 private:
  std::string folder_;
  std::string firmware_;
  pid_t process_ = 0;
};

}  // namespace ligament::rpmsg::twin
