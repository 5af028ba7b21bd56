// SPDX-License-Identifier: Apache-2.0
#include "faults/crew.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ligament::pool::test {

namespace {

constexpr std::chrono::seconds patience{20};

std::uint64_t work_done(const Figures& figures) {
  std::uint64_t sum = figures.rounds;
  for (const WriterFigures& writer : figures.writer) {
    sum += writer.published;
  }
  for (const ReaderFigures& reader : figures.reader) {
    sum += reader.taken;
  }
  return sum;
}

}  // namespace

Crew::Crew(std::string domain, Passer passer) : domain_(std::move(domain)) {
  publisher_ =
      std::make_unique<Worker>([this](Figures& figures) { steady_publisher(figures, domain_); });
  for (auto& subscriber : subscribers_) {
    subscriber =
        std::make_unique<Worker>([this](Figures& figures) { steady_subscriber(figures, domain_); });
  }
  if (passer == Passer::yes) {
    passer_ = std::make_unique<Worker>([this](Figures& figures) {
      many_lives(figures, domain_, {.writes = true, .reads = true, .steps = 4, .pause_us = 5000});
    });
  }
}

std::vector<Crew::Member> Crew::members() const {
  std::vector<Member> all{{"the publisher", publisher_.get()},
                          {"subscriber 1", subscribers_[0].get()},
                          {"subscriber 2", subscribers_[1].get()}};
  if (passer_ != nullptr) {
    all.push_back({"the one that comes and goes", passer_.get()});
  }
  return all;
}

std::vector<pid_t> Crew::pids() const {
  std::vector<pid_t> all;
  for (const Member& member : members()) {
    all.push_back(member.worker->pid());
  }
  return all;
}

CoreWait Crew::waited_for_core() const {
  const auto of = [](const Worker& worker) {
    std::int64_t sum = 0;
    std::error_code ignored;
    const auto threads = std::filesystem::path("/proc") / std::to_string(worker.pid()) / "task";
    for (const auto& thread : std::filesystem::directory_iterator(threads, ignored)) {
      // Running, waiting for a core (both in ns), turns.
      std::ifstream file(thread.path() / "schedstat");
      std::int64_t ran = 0;
      std::int64_t waited = 0;
      file >> ran >> waited;
      sum += waited;
    }
    return sum;
  };
  return {of(*publisher_), of(*subscribers_[0]) + of(*subscribers_[1])};
}

std::string Crew::await_start() const {
  const bool started = within(patience, [this] {
    return publisher().writer[topic_main].readers >= steady_readers &&
           subscribers_[0]->figures().reader[topic_main].taken != 0 &&
           subscribers_[1]->figures().reader[topic_main].taken != 0;
  });
  const std::string text = fault();
  return started || !text.empty() ? text : "the processes do not find each other";
}

std::string Crew::await_progress() const {
  for (const Member& member : members()) {
    const Figures& figures = member.worker->figures();
    const std::uint64_t before = work_done(figures);
    if (!within(patience, [&] { return work_done(figures) >= before + 3; })) {
      return fmt::format("{} hangs {}", member.what, fault_of("with", figures));
    }
  }
  if (passer_ == nullptr) {
    return {};
  }
  // Joining is not delayed either: somebody comes and goes.
  const Figures& passer = passer_->figures();
  const std::uint64_t rounds = passer.rounds;
  return within(patience, [&] { return passer.rounds > rounds; }) ? "" : "nobody can join";
}

bool Crew::is_drained() const {
  for (const auto& subscriber : subscribers_) {
    const Figures& figures = subscriber->figures();
    if (figures.held != 0) {
      return false;
    }
    for (const std::size_t index : {topic_aside, topic_kept}) {
      if (figures.reader[index].newest != publisher().writer[index].published) {
        return false;
      }
    }
  }
  return true;
}

std::string Crew::await_idle_fill() {
  Figures& figures = publisher();
  const auto tell_all = [&](Command command) {
    figures.command = command;
    if (passer_ != nullptr) {
      passer_->figures().command = command;
    }
  };
  tell_all(Command::pause);
  std::string fault;
  if (!within(patience, [&] {
        return figures.paused && (passer_ == nullptr || passer_->figures().paused);
      })) {
    fault = "the publisher cannot be paused";
  } else if (!within(patience, [this] { return is_drained(); })) {
    fault = "a subscriber does not take what is there";
  }
  for (const std::size_t index :
       {topic_main, topic_aside, topic_late, topic_all, topic_kept, topic_big}) {
    const WriterFigures& writer = figures.writer[index];
    if (fault.empty() && !within(patience, [&] {
          return writer.blocks != 0 && writer.blocks_free + writer.ring == writer.blocks;
        })) {
      fault = fmt::format("{}: {} blocks, {} free, {} in the ring", topic(index).name,
                          writer.blocks.load(), writer.blocks_free.load(), writer.ring.load());
    }
  }
  tell_all(Command::run);
  return fault;
}

std::string fault_of(const char* who, const Figures& figures) {
  if (figures.violations.sum() != 0) {
    return fmt::format("{}: {} violations, the first: {}", who, figures.violations.sum(),
                       figures.complaint.data());
  }
  for (std::size_t i = 0; i < figures.reader.size(); ++i) {
    const ReaderFigures& reader = figures.reader[i];
    if (reader.corrupt != 0) {
      return fmt::format("{}: {}: {} writers dropped as corrupt", who, topic(i).name,
                         reader.corrupt.load());
    }
  }
  return {};
}

std::string Crew::fault() const {
  for (const Member& member : members()) {
    if (auto text = fault_of(member.what, member.worker->figures()); !text.empty()) {
      return text;
    }
  }
  for (const auto& subscriber : subscribers_) {
    for (const std::size_t index : {topic_aside, topic_kept}) {
      if (const std::uint64_t lost = subscriber->figures().reader[index].lost; lost != 0) {
        return fmt::format("a subscriber lost {} samples of {}", lost, topic(index).name);
      }
    }
  }
  return {};
}

std::string Crew::leave() {
  // The publisher last: it wakes the others.
  std::string who;
  for (Worker* worker :
       {passer_.get(), subscribers_[0].get(), subscribers_[1].get(), publisher_.get()}) {
    if (worker != nullptr && !worker->leave() && who.empty()) {
      who = fmt::format("a process of the crew ended with status {:#x}", worker->status());
    }
  }
  return who;
}

// --- leftovers ---------------------------------------------------------------------------------

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A process that has a directory of this domain open.
std::string holder_of(const std::string& domain) {
  namespace fs = std::filesystem;
  const std::string wanted = "/memfd:ligament-directory:" + domain + " (deleted)";
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    for (const auto& entry : fs::directory_iterator(process.path() / "fd", ignored)) {
      if (fs::read_symlink(entry.path(), ignored) == wanted) {
        return process.path().filename();
      }
    }
  }
  return {};
}

}  // namespace

std::string leftovers(const std::string& domain) {
  if (text_of("/proc/net/unix").find("/" + domain + "/") != std::string::npos) {
    return "a socket name of " + domain;
  }
  if (const std::string pid = holder_of(domain); !pid.empty()) {
    return "a directory of " + domain + " in process " + pid;
  }
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    if (entry.path().string().find("ligament") != std::string::npos) {
      return entry.path();
    }
  }
  if (::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) {
    return "a child process";
  }
  return {};
}

}  // namespace ligament::pool::test
