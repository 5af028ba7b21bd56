// SPDX-License-Identifier: Apache-2.0
/// The soak: full load on several topics while processes are killed, stopped, and come and go, for
/// as long as asked. Ends at the first violation with a sentence. See dev/soak.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "faults/storm.hpp"

namespace ligament::pool::test {
namespace {

struct Options {
  double minutes = 60;
  std::string report;
  std::string commit;
  unsigned kills_per_minute = 0;  ///< 0: as many as there is time for
};

#ifdef LIGAMENT_SANITIZED
constexpr bool is_memory_ours = false;  // a sanitizer keeps records of what ran
#else
constexpr bool is_memory_ours = true;
#endif

/// What a process occupies.
struct Usage {
  std::uint64_t resident_kb = 0;
  std::uint64_t descriptors = 0;
  std::uint64_t mappings = 0;
};

std::uint64_t entries_of(const std::string& folder) {
  std::uint64_t count = 0;
  if (DIR* listing = ::opendir(folder.c_str())) {
    while (::readdir(listing) != nullptr) {
      ++count;
    }
    ::closedir(listing);
  }
  return count > 2 ? count - 2 : 0;  // without . and ..
}

Usage usage_of(pid_t pid) {
  Usage usage;
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) {
      usage.resident_kb = std::strtoull(line.c_str() + 6, nullptr, 10);
    }
  }
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    ++usage.mappings;
  }
  usage.descriptors = entries_of(fmt::format("/proc/{}/fd", pid));
  return usage;
}

class Soak {
 public:
  explicit Soak(Options options) : options_(std::move(options)) {}
  /// The process's exit status.
  int run();

 private:
  [[nodiscard]] std::string storm_on(Crew& crew, Storm& storm);
  [[nodiscard]] std::string one_kill(Storm& storm);
  [[nodiscard]] std::string check_growth(const Crew& crew);
  [[nodiscard]] std::string check_kills() const;
  void note_usage(const Crew& crew);
  void sum_up(const Crew& crew, Times& times);
  void show(const Crew& crew, Times& times) const;
  void write_report(const std::string& fault) const;
  [[nodiscard]] double seconds() const {
    return static_cast<double>(monotonic_now_ns() - start_) / 1e9;
  }

  Options options_;
  std::int64_t start_ = monotonic_now_ns();
  std::uint64_t kills_ = 0;
  bool is_grown_ = false;
  std::map<std::string, std::uint64_t> by_kind_;
  std::vector<Usage> first_;
  std::vector<Usage> last_;
  nlohmann::json figures_;
};

std::string Soak::one_kill(Storm& storm) {
  const auto prey = static_cast<Prey>(kills_ % 4);
  const bool stop = kills_ / 4 % 4 == 3;
  ++kills_;
  ++by_kind_[fmt::format("{}{}", name_of(prey), stop ? ", stopped before" : "")];
  return stop ? storm.stop_and_kill_one(prey) : storm.kill_one(prey);
}

std::string Soak::storm_on(Crew& crew, Storm& storm) {
  double shown = 0;
  while (seconds() < options_.minutes * 60) {
    if (auto fault = one_kill(storm); !fault.empty()) {
      return fault;
    }
    if (kills_ % 64 == 0) {
      for (const auto& fault : {crew.await_progress(), crew.await_idle_fill(), crew.fault()}) {
        if (!fault.empty()) {
          return fault;
        }
      }
    }
    if (!is_grown_ && seconds() >= options_.minutes * 15) {  // a quarter: all has what it needs
      is_grown_ = true;
      note_usage(crew);
    }
    if (seconds() - shown > 30) {
      shown = seconds();
      show(crew, storm.times());
    }
    if (options_.kills_per_minute != 0) {
      std::this_thread::sleep_for(
          std::chrono::microseconds(60'000'000 / options_.kills_per_minute));
    }
  }
  return crew.await_idle_fill();
}

void Soak::note_usage(const Crew& crew) {
  first_.clear();
  for (const pid_t pid : crew.pids()) {
    first_.push_back(usage_of(pid));
  }
}

/// After the same history of growth, what a survivor occupies is what it occupied.
std::string Soak::check_growth(const Crew& crew) {
  last_.clear();
  for (const pid_t pid : crew.pids()) {
    last_.push_back(usage_of(pid));
  }
  // A reader maps what others grew at that moment, hence the slack; whoever lives is the same.
  constexpr std::uint64_t slack_kb = 4 * 1024;
  constexpr std::uint64_t slack_count = 16;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (is_memory_ours && last_[i].resident_kb > first_[i].resident_kb + slack_kb) {
      return fmt::format("survivor {} grew from {} to {} kB", i, first_[i].resident_kb,
                         last_[i].resident_kb);
    }
    if (last_[i].descriptors > first_[i].descriptors + slack_count ||
        (is_memory_ours && last_[i].mappings > first_[i].mappings + slack_count)) {
      return fmt::format("survivor {} had {} descriptors and {} mappings, and has {} and {}", i,
                         first_[i].descriptors, first_[i].mappings, last_[i].descriptors,
                         last_[i].mappings);
    }
  }
  return {};
}

/// A soak that hardly killed shows little: the whole hour is to have 10,000 kills.
std::string Soak::check_kills() const {
  const auto wanted = static_cast<std::uint64_t>(10'000 * std::floor(options_.minutes / 60));
  if (kills_ >= wanted) {
    return {};
  }
  return fmt::format(
      "only {} kills, {} were wanted: raise --kills-per-minute (0: as many as there is time for), "
      "or give the machine to the soak alone",
      kills_, wanted);
}

void Soak::show(const Crew& crew, Times& times) const {
  std::uint64_t published = 0;
  for (const WriterFigures& writer : crew.publisher().writer) {
    published += writer.published;
  }
  std::cout << fmt::format(
                   "soak: {:.0f} s, {} kills, blocks back p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} "
                   "ms (without the system's part {:.2f}, {:.2f}, {:.2f} ms), {} samples published "
                   "by the survivor",
                   seconds(), kills_, times.ms(0.5), times.ms(0.99), times.ms(1), times.own_ms(0.5),
                   times.own_ms(0.99), times.own_ms(1), published)
            << std::endl;
}

/// What the slowest waited for: a core that the machine gave to others is not the pool's doing.
nlohmann::json to_json(const std::vector<Return>& slowest) {
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) / 1e6; };
  nlohmann::json list = nlohmann::json::array();
  for (const Return& one : slowest) {
    list.push_back({{"back", ms(one.back_ns)},
                    {"victim_buried", ms(one.buried_ns)},
                    {"publisher_waited_for_core", ms(one.publisher_waited_ns)},
                    {"subscribers_waited_for_core", ms(one.subscribers_waited_ns)}});
  }
  return list;
}

void Soak::sum_up(const Crew& crew, Times& times) {
  nlohmann::json topics;
  for (std::size_t i = 0; i < topic_count; ++i) {
    nlohmann::json entry{{"published", crew.publisher().writer[i].published.load()}};
    for (const Figures* subscriber : crew.subscribers()) {
      const ReaderFigures& reader = subscriber->reader[i];
      entry["subscribers"].push_back({{"taken", reader.taken.load()},
                                      {"lost_by_overwriting", reader.lost.load()},
                                      {"dropped_as_corrupt", reader.corrupt.load()}});
    }
    topics[topic(i).name] = entry;
  }
  figures_["topics"] = topics;
  figures_["blocks_back_ms"] = {
      {"count", times.size()},        {"p50", times.ms(0.5)},
      {"p99", times.ms(0.99)},        {"max", times.ms(1)},
      {"own_p50", times.own_ms(0.5)}, {"own_p99", times.own_ms(0.99)},
      {"own_max", times.own_ms(1)},   {"slowest", to_json(times.slowest())}};
}

nlohmann::json to_json(const std::vector<Usage>& all) {
  nlohmann::json list = nlohmann::json::array();
  for (const Usage& usage : all) {
    list.push_back({{"resident_kb", usage.resident_kb},
                    {"descriptors", usage.descriptors},
                    {"mappings", usage.mappings}});
  }
  return list;
}

void Soak::write_report(const std::string& fault) const {
  utsname machine{};
  (void)::uname(&machine);
  nlohmann::json report = figures_;
  report["result"] = fault.empty() ? "no violation" : fault;
  report["context"] = {{"system", machine.release},
                       {"architecture", machine.machine},
                       {"cores", std::thread::hardware_concurrency()},
                       {"commit", options_.commit},
                       {"ended", std::time(nullptr)}};
  report["seconds"] = seconds();
  report["kills"] = kills_;
  report["kills_by_kind"] = by_kind_;
  report["survivors"] = {{"first", to_json(first_)}, {"last", to_json(last_)}};
  if (!options_.report.empty()) {
    std::ofstream(options_.report) << report.dump(2) << '\n';
  }
}

int Soak::run() {
  const std::string domain = fmt::format("soak-{}", ::getpid());
  std::string fault;
  {
    Crew crew(domain, Crew::Passer::no);  // victims come and go enough
    fault = crew.await_start();
    note_usage(crew);
    Storm storm(crew, 7);
    if (fault.empty()) {
      fault = storm_on(crew, storm);
    }
    if (fault.empty()) {
      fault = check_growth(crew);
    }
    if (fault.empty()) {
      fault = check_kills();
    }
    show(crew, storm.times());
    sum_up(crew, storm.times());
    if (const auto who = crew.leave(); fault.empty()) {
      fault = who;
    }
  }
  if (const auto left = leftovers(domain); fault.empty() && !left.empty()) {
    fault = "left behind: " + left;
  }
  write_report(fault);
  std::cout << "soak: " << (fault.empty() ? "no violation" : fault) << std::endl;
  return fault.empty() ? 0 : 1;
}

}  // namespace
}  // namespace ligament::pool::test

int main(int argc, char** argv) {
  ligament::pool::test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--minutes") {
      options.minutes = std::atof(argv[i + 1]);
    } else if (key == "--report") {
      options.report = argv[i + 1];
    } else if (key == "--commit") {
      options.commit = argv[i + 1];
    } else if (key == "--kills-per-minute") {
      options.kills_per_minute = static_cast<unsigned>(std::atoi(argv[i + 1]));
    } else {
      std::cerr << "soak: unknown option " << key << '\n';
      return 2;
    }
  }
  if (argc % 2 == 0 || options.minutes <= 0) {
    std::cerr << "soak [--minutes N] [--report FILE] [--commit ID] [--kills-per-minute N]\n";
    return 2;
  }
  return ligament::pool::test::Soak(options).run();
}
