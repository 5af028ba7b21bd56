// SPDX-License-Identifier: Apache-2.0
/// \file Back-ends against the suite: the reference passes, each broken one is caught.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "conformance.hpp"
#include "stand_in.hpp"

namespace ligament::device::conformance {
namespace {

Subject cpu() {
  return {"cpu",
          [](const OpenOptions& options) { return device::open("cpu", options); },
          {PROGRAM_upper, "shared-library", {}},
          {{PROGRAM_old, "shared-library", {}},
           {LIGAMENT_REPO "/runtime/tests/device/device_test.cpp", "shared-library", {}}}};
}

/// A design on the stand-in of a board, in a process of its own.
Subject fpga_uio() {
  return {"fpga_uio",
          [](OpenOptions options) {
            static const StandIn board("upper");
            options.device = board.path();
            return device::open("fpga_uio", options);
          },
          {export_of("upper"), "export", {}},
          {{foreign_export("upper"), "export", {}},
           {LIGAMENT_REPO "/runtime/tests/device/device_test.cpp", "export", {}}}};
}

/// Every back-end that has to pass. A new one is a line in here. Stand-ins are there where somebody
/// has built them.
std::vector<Subject> subjects() {
  std::vector<Subject> all{cpu()};
  if (!boards().empty()) all.push_back(fpga_uio());
  return all;
}

class Conformance : public ::testing::TestWithParam<std::tuple<Subject, Check>> {};

TEST_P(Conformance, Holds) {
  const auto& [subject, check] = GetParam();
  const auto wrong = check.run(subject);
  EXPECT_FALSE(wrong) << *wrong;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance,
                         ::testing::Combine(::testing::ValuesIn(subjects()),
                                            ::testing::ValuesIn(checks())),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" +
                                  std::get<1>(tested.param).name;
                         });

// --- broken back-ends: the suite must see each defect
// ------------------------------------------------

/// The CPU device; a broken one overrides what it does wrong.
class Broken : public Device {
 public:
  explicit Broken(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Capabilities capabilities() const override { return inner_->capabilities(); }
  [[nodiscard]] Result<ProgramId> load(const Artefact& a) override { return inner_->load(a); }
  [[nodiscard]] Result<std::vector<Port>> ports(ProgramId p) const override {
    return inner_->ports(p);
  }
  [[nodiscard]] Result<void> bind(ProgramId p, const Binding& b) override {
    return inner_->bind(p, b);
  }
  [[nodiscard]] Result<void> start() override { return inner_->start(); }
  [[nodiscard]] Result<void> stop(std::chrono::nanoseconds deadline) override {
    return inner_->stop(deadline);
  }
  [[nodiscard]] State state() const override { return inner_->state(); }
  [[nodiscard]] std::optional<Error> take_error() override { return inner_->take_error(); }
  [[nodiscard]] std::vector<Span> take_spans() override { return inner_->take_spans(); }
  [[nodiscard]] Statistics statistics() const override { return inner_->statistics(); }
  [[nodiscard]] Result<ClockSample> sample_clock() override { return inner_->sample_clock(); }

 protected:
  std::unique_ptr<Device> inner_;
};

struct Nameless : Broken {
  using Broken::Broken;
  [[nodiscard]] Capabilities capabilities() const override {
    auto found = Broken::capabilities();
    found.alignment = 100;
    return found;
  }
};
struct Miscompiling : Broken {
  using Broken::Broken;
  [[nodiscard]] Result<ProgramId> load(const Artefact& artefact) override {
    return artefact.path == PROGRAM_upper ? Broken::load({PROGRAM_wrong, artefact.format, {}})
                                          : Broken::load(artefact);
  }
};
struct Credulous : Broken {  // takes any file
  using Broken::Broken;
  [[nodiscard]] Result<ProgramId> load(const Artefact& artefact) override {
    auto loaded = Broken::load(artefact);
    return loaded ? loaded : Broken::load({PROGRAM_upper, "shared-library", {}});
  }
};
struct Careless : Broken {  // does not look at types
  using Broken::Broken;
  [[nodiscard]] Result<void> bind(ProgramId program, const Binding& binding) override {
    auto bound = Broken::bind(program, binding);
    return !bound && bound.error().code == ErrorCode::type_mismatch ? Result<void>() : bound;
  }
};
struct Restless : Broken {  // says that it stopped
  using Broken::Broken;
  [[nodiscard]] Result<void> stop(std::chrono::nanoseconds /*deadline*/) override {
    return state() == State::started ? Result<void>()
                                     : unexpected<Error>(Error{ErrorCode::not_started, "idle"});
  }
};
struct Silent : Broken {  // keeps errors to itself
  using Broken::Broken;
  [[nodiscard]] std::optional<Error> take_error() override { return std::nullopt; }
};
struct Copying : Broken {  // copies, and says so, although it claims unified memory
  using Broken::Broken;
  [[nodiscard]] Statistics statistics() const override {
    auto figures = Broken::statistics();
    figures.copies = figures.taken;
    return figures;
  }
};
struct Backwards : Broken {  // a clock that runs backwards
  using Broken::Broken;
  [[nodiscard]] Result<ClockSample> sample_clock() override {
    auto sample = Broken::sample_clock();
    sample->ticks = ~sample->ticks;
    return sample;
  }
};
struct Jumping : Broken {  // a clock that jumps once
  using Broken::Broken;
  [[nodiscard]] Result<ClockSample> sample_clock() override {
    auto sample = Broken::sample_clock();
    sample->ticks += ++readings_ > 20 ? 1'000'000'000 : 0;
    return sample;
  }
  int readings_ = 0;
};
struct Wishful : Broken {  // host times taken long before the reading
  using Broken::Broken;
  [[nodiscard]] Result<ClockSample> sample_clock() override {
    auto sample = Broken::sample_clock();
    std::swap(sample->host_before_ns, sample->host_after_ns);
    sample->host_before_ns += 1;
    return sample;
  }
};
struct Patient : Broken {  // waits as long as it takes
  using Broken::Broken;
  [[nodiscard]] Result<void> stop(std::chrono::nanoseconds /*deadline*/) override {
    return Broken::stop(std::chrono::seconds(10));
  }
};
struct Twice : Broken {  // starts as often as it is told
  using Broken::Broken;
  [[nodiscard]] Result<void> start() override {
    return state() == State::started ? Result<void>() : Broken::start();
  }
};
struct Anonymous : Broken {  // spans without their message
  using Broken::Broken;
  [[nodiscard]] std::vector<Span> take_spans() override {
    auto spans = Broken::take_spans();
    for (auto& span : spans) span.publisher = 0;
    return spans;
  }
};

template <typename Defect>
Subject broken(const char* name) {
  Subject subject = cpu();
  subject.name = name;
  subject.open = [](const OpenOptions& options) -> Result<std::unique_ptr<Device>> {
    auto inner = device::open("cpu", options);
    if (!inner) return inner;
    return std::make_unique<Defect>(std::move(*inner));
  };
  return subject;
}

struct Defect {
  Subject subject;
  const char* caught_by;
};

void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.subject.name; }

class BrokenBackends : public ::testing::TestWithParam<Defect> {};

TEST_P(BrokenBackends, AreCaught) {
  for (const auto& check : checks()) {
    if (std::string(check.name) == GetParam().caught_by) {
      EXPECT_TRUE(check.run(GetParam().subject)) << "the suite does not see the defect";
      return;
    }
  }
  FAIL() << "there is no check " << GetParam().caught_by;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BrokenBackends,
    ::testing::Values(Defect{broken<Nameless>("odd_alignment"), "capabilities_are_stated"},
                      Defect{broken<Miscompiling>("miscompiling"), "messages_are_answered"},
                      Defect{broken<Credulous>("credulous"), "bad_artefacts_are_refused"},
                      Defect{broken<Careless>("careless"), "bad_bindings_are_refused"},
                      Defect{broken<Restless>("restless"), "stopped_means_stopped"},
                      Defect{broken<Silent>("silent"), "failures_are_told_and_survived"},
                      Defect{broken<Copying>("copying"), "copies_are_counted"},
                      Defect{broken<Backwards>("backwards"), "the_clock_can_be_mapped"},
                      Defect{broken<Jumping>("jumping"), "the_clock_can_be_mapped"},
                      Defect{broken<Wishful>("wishful"), "the_clock_can_be_mapped"},
                      Defect{broken<Patient>("patient"), "a_deadline_ends_waiting"},
                      Defect{broken<Twice>("twice"), "the_order_of_calls_is_kept"},
                      Defect{broken<Anonymous>("anonymous"), "spans_lie_in_device_time"}),
    [](const auto& tested) { return tested.param.subject.name; });

TEST(Backends, AreFoundByName) {
  EXPECT_EQ(backends(), (std::vector<std::string>{"cpu", "fpga_uio"}));
  const auto unknown = device::open("cpi", {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::backend_unknown);
  EXPECT_EQ(unknown.error().text,
            "there is no device back-end 'cpi' in this build (did you mean 'cpu'?); there are: "
            "'cpu', 'fpga_uio'");
}

}  // namespace
}  // namespace ligament::device::conformance
