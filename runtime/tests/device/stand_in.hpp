// SPDX-License-Identifier: Apache-2.0
/// \file A board's stand-in as a process of its own, for tests of the back-end `fpga_uio`. The test
/// `tool/tests/export/test_fpga_uio.py` exports the designs, builds their stand-ins, and says
/// where: LIGAMENT_TEST_BOARDS is a folder with upper/export.json, upper/stand-in, and so on.
#pragma once

#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace ligament::device::conformance {

/// Where the boards are; empty: nobody has built any.
inline std::string boards() {
  const char* const folder = std::getenv("LIGAMENT_TEST_BOARDS");
  return folder == nullptr ? "" : folder;
}

class StandIn {
 public:
  explicit StandIn(const std::string& board, const std::vector<std::string>& options = {}) {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("ligament-board-" + std::to_string(::getpid()) + "-" + std::to_string(++count)))
                .string();
    const std::string program = boards() + "/" + board + "/stand-in";
    std::vector<const char*> words{program.c_str(), path_.c_str()};
    for (const std::string& option : options) words.push_back(option.c_str());
    words.push_back(nullptr);
    if (::posix_spawn(&process_, program.c_str(), nullptr, nullptr,
                      const_cast<char* const*>(words.data()), environ) != 0) {
      process_ = -1;
    }
    for (int i = 0; i < 5000 && !is_there(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  ~StandIn() {
    kill();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = -1;
    }
  }

 private:
  /// It has its name when it can be connected to.
  [[nodiscard]] bool is_there() const {
    struct stat state {};
    return ::stat(path_.c_str(), &state) == 0;
  }
  std::string path_;
  pid_t process_ = -1;
};

inline std::string export_of(const std::string& board) {
  return boards() + "/" + board + "/export.json";
}

/// A copy of an export.json with one text for another.
inline std::string changed_export(const std::string& board, const std::string& from,
                                  const std::string& to) {
  std::ifstream in(export_of(board));
  std::stringstream all;
  all << in.rdbuf();
  std::string text = all.str();
  const auto at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
  static int count = 0;
  const std::string path =
      (std::filesystem::temp_directory_path() /
       ("ligament-export-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + ".json"))
          .string();
  std::ofstream(path) << text;
  return path;
}

/// A copy of an export.json of another identity, of as many digits.
inline std::string foreign_export(const std::string& board) {
  std::ifstream in(export_of(board));
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const std::string key = "\"identity\": \"0x";
  const auto at = text.find(key);
  const std::string digit = at == std::string::npos ? "" : text.substr(at + key.size(), 1);
  return changed_export(board, key + digit, key + (digit == "0" ? "1" : "0"));
}

}  // namespace ligament::device::conformance
