// SPDX-License-Identifier: Apache-2.0
/// A process is killed at every labelled step of the protocol, in each role that passes it, at the
/// first and at a later occurrence, while others publish, take, come and go; and stopped for a
/// while at the first occurrence of each (a stop costs its neighbours a second, a death does not).
#include "faults/labels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "faults/crew.hpp"
#include "steps.hpp"

namespace ligament::pool::test {
namespace {

const std::map<std::string, std::string>& table() {
  static const auto* labels = new std::map<std::string, std::string>(labels_of_table());
  return *labels;
}

TEST(Labels, OfTheTableAndOfTheSourcesAreTheSame) {
  std::set<std::string> of_table;
  for (const auto& [label, roles] : table()) {
    of_table.insert(label);
  }
  EXPECT_EQ(of_table, labels_of_sources());
}

enum class Action { die, stop };
struct Case {
  char role;
  Action action;
};

class EveryLabel : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().action == Action::die) {
      take_the_safety_nets_away();
    } else {
      put_the_safety_nets_back();  // a stopped process is waited for until then
    }
  }
  /// The labels that this role passes.
  static std::vector<const char*> labels() {
    std::vector<const char*> mine;
    for (const auto& [label, roles] : table()) {
      if (roles.find(GetParam().role) != std::string::npos) {
        mine.push_back(label.c_str());
      }
    }
    return mine;
  }
  static std::vector<int> occurrences() {
    return GetParam().action == Action::die ? std::vector<int>{1, 4} : std::vector<int>{1};
  }
  static void live(Figures& figures, const std::string& domain) {
    const char role = GetParam().role;
    if (role == 'C') {
      contender(figures, domain, "another run");
    } else {
      many_lives(figures, domain, {.writes = role != 'S', .reads = role != 'P'});
    }
  }
};

/// Those who must not be disturbed: the crew, or, for the label of joining against another run,
/// another contender.
class Others {
 public:
  Others(std::string domain, char role) : domain_(std::move(domain)) {
    if (role == 'C') {
      rival_ = std::make_unique<Worker>(
          [this](Figures& figures) { contender(figures, domain_, "run"); });
    } else {
      crew_ = std::make_unique<Crew>(domain_);
    }
  }
  [[nodiscard]] std::string await_start() const {
    return crew_ != nullptr ? crew_->await_start() : await_progress();
  }
  [[nodiscard]] std::string await_progress() const {
    if (crew_ != nullptr) {
      return crew_->await_progress();
    }
    const Figures& figures = rival_->figures();
    const std::uint64_t rounds = figures.rounds;
    return within(std::chrono::seconds(60), [&] { return figures.rounds > rounds; })
               ? fault_of("the rival", figures)
               : "the rival hangs";
  }
  /// After the death of the victim: blocks are back, the name is free.
  [[nodiscard]] std::string await_order() const {
    if (crew_ != nullptr) {
      auto text = crew_->await_idle_fill();
      return text.empty() ? crew_->fault() : text;
    }
    const Figures& figures = rival_->figures();
    const std::uint64_t joined = figures.joined;
    return within(std::chrono::seconds(60), [&] { return figures.joined > joined; })
               ? ""
               : "the rival cannot join";
  }
  [[nodiscard]] std::string leave() const {
    return crew_ != nullptr ? crew_->leave() : rival_->leave() ? "" : "the rival did not leave";
  }

 private:
  std::string domain_;
  std::unique_ptr<Crew> crew_;
  std::unique_ptr<Worker> rival_;
};

std::string name_of(const char* what) { return fmt::format("faults-{}-{}", what, ::getpid()); }

void arm(Figures& figures, const char* label, int occurrence, AtLabel action) {
  figures.label = label;
  figures.action = action;
  figures.occurrences = occurrence;
}

void expect_death_at(const char* label, int occurrence, const Others& others, const auto& live) {
  SCOPED_TRACE(fmt::format("{}, occurrence {}", label, occurrence));
  Worker victim(live, [&](Figures& figures) { arm(figures, label, occurrence, AtLabel::die); });
  ASSERT_TRUE(within(std::chrono::seconds(120), [&] { return victim.has_ended(); }))
      << "this role does not pass it";
  ASSERT_TRUE(WIFSIGNALED(victim.status()) && WTERMSIG(victim.status()) == SIGKILL &&
              victim.figures().reached)
      << "status " << victim.status();
  EXPECT_EQ(fault_of("the victim", victim.figures()), "");
  ASSERT_EQ(others.await_progress(), "");
  ASSERT_EQ(others.await_order(), "");
}

TEST_P(EveryLabel, DisturbsNobody) {
  const std::string domain = name_of("labels");
  unsigned count = 0;
  {
    const Others others(domain, GetParam().role);
    ASSERT_EQ(others.await_start(), "");
    const auto live = [&](Figures& figures) { EveryLabel::live(figures, domain); };
    std::unique_ptr<Worker> stopped;
    for (const char* label : labels()) {
      for (const int occurrence : occurrences()) {
        if (GetParam().action == Action::die) {
          ASSERT_NO_FATAL_FAILURE(expect_death_at(label, occurrence, others, live));
        } else {
          SCOPED_TRACE(fmt::format("{}, occurrence {}", label, occurrence));
          Worker victim(live, [&](Figures& f) { arm(f, label, occurrence, AtLabel::stop); });
          ASSERT_TRUE(within(std::chrono::seconds(120), [&] { return victim.has_stopped(); }));
          ASSERT_EQ(others.await_progress(), "");
          const std::uint64_t rounds = victim.figures().rounds;
          victim.signal(SIGCONT);
          ASSERT_TRUE(within(std::chrono::seconds(60), [&] {
            return victim.figures().rounds > rounds;
          })) << "it does not go on";
          ASSERT_TRUE(victim.leave());
          EXPECT_EQ(fault_of("the victim", victim.figures()), "");
          ASSERT_EQ(others.await_order(), "");
        }
        ++count;
      }
    }
    EXPECT_EQ(others.leave(), "");
  }
  EXPECT_EQ(leftovers(domain), "");
  RecordProperty("count", static_cast<int>(count));
  std::cout << count << (GetParam().action == Action::die ? " deaths" : " stops") << '\n';
}

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  const std::map<char, std::string> roles{
      {'P', "publisher"}, {'S', "subscriber"}, {'B', "both"}, {'C', "contender"}};
  return (info.param.action == Action::die ? "killed_" : "stopped_") + roles.at(info.param.role);
}

INSTANTIATE_TEST_SUITE_P(Roles, EveryLabel,
                         testing::Values(Case{'P', Action::die}, Case{'S', Action::die},
                                         Case{'B', Action::die}, Case{'C', Action::die},
                                         Case{'P', Action::stop}, Case{'S', Action::stop},
                                         Case{'B', Action::stop}, Case{'C', Action::stop}),
                         name_of_case);

}  // namespace
}  // namespace ligament::pool::test
