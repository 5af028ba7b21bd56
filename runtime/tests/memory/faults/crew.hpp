// SPDX-License-Identifier: Apache-2.0
/// \file The processes that must survive what happens to others: a publisher, two subscribers, and
/// one that joins and leaves all the time. And what must be true of them at any time.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "faults/roles.hpp"
#include "faults/worker.hpp"

namespace ligament::pool::test {

/// How long, in all, threads were ready to run but had no core.
struct CoreWait {
  std::int64_t publisher_ns = 0;
  std::int64_t subscribers_ns = 0;
};

class Crew {
 public:
  enum class Passer { no, yes };
  /// Without a passer nobody else's holds disturb what is measured.
  explicit Crew(std::string domain, Passer passer = Passer::yes);

  /// Everybody has joined and takes what is published. Empty, or what is missing.
  [[nodiscard]] std::string await_start() const;
  /// Everybody does some work from now on. Empty, or who does not.
  [[nodiscard]] std::string await_progress() const;
  /// Publishing pauses; everything is taken and released; then each writer's blocks are free or in
  /// its ring; then publishing goes on. Empty, or what is wrong.
  [[nodiscard]] std::string await_idle_fill();
  /// Empty, or the first violation in words.
  [[nodiscard]] std::string fault() const;
  /// Ends everybody. Empty, or who did not leave in order.
  [[nodiscard]] std::string leave();

  [[nodiscard]] const std::string& domain() const { return domain_; }
  [[nodiscard]] Figures& publisher() const { return publisher_->figures(); }
  [[nodiscard]] std::vector<const Figures*> subscribers() const {
    return {&subscribers_[0]->figures(), &subscribers_[1]->figures()};
  }
  [[nodiscard]] std::vector<pid_t> pids() const;
  [[nodiscard]] CoreWait waited_for_core() const;
  static constexpr std::uint64_t steady_readers = 2;

 private:
  struct Member {
    const char* what;
    const Worker* worker;
  };
  [[nodiscard]] std::vector<Member> members() const;
  [[nodiscard]] bool is_drained() const;

  std::string domain_;
  std::unique_ptr<Worker> publisher_;
  std::array<std::unique_ptr<Worker>, steady_readers> subscribers_;
  std::unique_ptr<Worker> passer_;  ///< may be null
};

/// The first violation of a process in words; empty: none.
[[nodiscard]] std::string fault_of(const char* who, const Figures& figures);

/// What is left of a domain on this machine: sockets, memories, files, children of ours. Empty:
/// nothing.
[[nodiscard]] std::string leftovers(const std::string& domain);

}  // namespace ligament::pool::test
