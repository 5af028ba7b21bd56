// SPDX-License-Identifier: Apache-2.0
/// \file Starts the real container, reads its status lines, and sees how it ends.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ligament::testing {

using Json = nlohmann::json;

/// A folder that is gone with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("ligament_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name) << content;
    return path_ / name;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

/// One running container. Its standard error goes to the file `log`; it gets `death_signal` when we
/// end.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::string& log,
          bool with_status = true, int death_signal = 0) {
    int ends[2] = {-1, -1};
    if (with_status) {
      EXPECT_EQ(::pipe(ends), 0);
    }
    std::vector<std::string> words{LIGAMENT_CONTAINER};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (with_status) {
      words.insert(words.end(), {"--status-fd", std::to_string(ends[1])});
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      if (with_status) ::close(ends[0]);
      ::prctl(PR_SET_PDEATHSIG, death_signal);
      if (std::freopen(log.c_str(), "w", stderr) == nullptr) ::_exit(99);
      std::vector<char*> pointers;
      for (auto& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      ::execv(pointers[0], pointers.data());
      ::_exit(98);
    }
    if (with_status) {
      ::close(ends[1]);
      input_ = ::fdopen(ends[0], "r");
    }
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    close_status();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The next line with this event; null when the status ends before.
  Json next(const std::string& event) {
    char* line = nullptr;
    std::size_t room = 0;
    Json found;
    while (found.is_null() && ::getline(&line, &room, input_) > 0) {
      auto parsed = Json::parse(line);
      events_.push_back(parsed["event"]);
      if (parsed["event"] == event) found = std::move(parsed);
    }
    std::free(line);
    return found;
  }
  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// It is not buried yet: `wait` says how.
  [[nodiscard]] bool has_ended() const {
    siginfo_t end{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == pid_;
  }
  void close_status() {
    if (input_ != nullptr) std::fclose(input_);
    input_ = nullptr;
  }
  /// Waits for its end: the exit status, or minus the signal that killed it.
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }

 private:
  pid_t pid_ = -1;
  std::FILE* input_ = nullptr;
  std::vector<std::string> events_;
};

inline std::string unique_name() {
  static int count = 0;
  return "c" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

/// A node of the test library.
inline Json node(const std::string& name, const std::string& class_name,
                 Json parameters = Json::object()) {
  return {{"id", "/" + name},
          {"name", name},
          {"namespace", "/"},
          {"type", "test/" + name},
          {"library", LIGAMENT_TEST_NODES},
          {"class", "test_nodes::" + class_name},
          {"remap", {{"text", "/chat"}, {"image", "/img"}}},
          {"parameters", std::move(parameters)},
          {"parameter_files", Json::array()}};
}

inline Json config(const std::string& domain, Json nodes) {
  return {
      {"schema", "ligament/container/1"},
      {"graph", "test"},
      {"run_id", "r"},
      {"variant", "default"},
      {"container", "one"},
      {"domain", domain},
      {"trace", nullptr},
      {"log_level", "info"},
      {"wait", {{"strategy", "sleep"}, {"spin_us", 50}}},
      {"executor_threads", 1},
      {"nodes", std::move(nodes)},
      {"topics",
       {{"/chat",
         {{"message", "std_msgs/msg/String"}, {"qos", {{"depth", 50}}}, {"bound_bytes", nullptr}}},
        {"/img", {{"message", "sensor_msgs/msg/Image"}, {"bound_bytes", 8192}}}}}};
}

}  // namespace ligament::testing
