// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <ligament/device_clock.hpp>
#include <ostream>
#include <random>
#include <vector>

namespace ligament::device {
namespace {

/// A device whose clock truly runs evenly: what its readings look like.
struct TrueClock {
  double ns_per_tick;
  double offset_ns;
  std::mt19937_64 random{1};

  [[nodiscard]] double host_ns(std::uint64_t ticks) const {
    return offset_ns + static_cast<double>(ticks) * ns_per_tick;
  }
  ClockSample read(std::uint64_t ticks) {
    std::exponential_distribution<double> delay(1.0 / 800);
    const double truth = host_ns(ticks);
    return {ticks, static_cast<std::int64_t>(truth - delay(random)),
            static_cast<std::int64_t>(truth + delay(random)) + 1};
  }
};

/// For the test's name; without it GoogleTest prints the generator's state.
void PrintTo(const TrueClock& clock, std::ostream* out) { *out << clock.ns_per_tick << " ns"; }

class ClockFits : public ::testing::TestWithParam<TrueClock> {};

TEST_P(ClockFits, BoundTheTruth) {
  TrueClock truth = GetParam();
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<ClockSample> samples;
    std::uint64_t ticks = 1'000'000'000 + random() % 1'000'000;
    for (int i = 0; i < 30; ++i) {
      samples.push_back(truth.read(ticks));
      ticks += 1000 + random() % 1'000'000;
    }
    const auto mapping = fit_clock(samples);
    ASSERT_TRUE(mapping);
    const std::uint64_t length = samples.back().ticks - samples.front().ticks;
    for (const double where : {-1.0, -0.1, 0.0, 0.3, 0.5, 1.0, 1.5, 3.0}) {
      const auto at = static_cast<std::uint64_t>(static_cast<double>(samples.front().ticks) +
                                                 where * static_cast<double>(length));
      const auto mapped = mapping->to_host(at);
      EXPECT_LE(std::abs(static_cast<double>(mapped.ns) - truth.host_ns(at)),
                static_cast<double>(mapped.bound_ns) + 1)
          << where;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, ClockFits,
                         ::testing::Values(TrueClock{1.0, 0}, TrueClock{1.00005, 5e9},
                                           TrueClock{10.0, -3e6},      // 100 MHz
                                           TrueClock{4.0, 1e12},       // 250 MHz
                                           TrueClock{0.9999, 7e14}));  // a week of uptime

TEST(ClockFit, BoundIsNotIdle) {
  TrueClock truth{4.0, 0};
  std::vector<ClockSample> samples;
  for (std::uint64_t i = 0; i < 50; ++i) {
    samples.push_back(truth.read(i * 1'000'000));
  }
  const auto mapping = fit_clock(samples).value();
  EXPECT_LT(mapping.bound_ns, 20'000);  // delays are 0.8 us on average
  EXPECT_NEAR(mapping.drift_ppm(250e6), 0, 20);
  EXPECT_NEAR(mapping.drift_ppm(249.9e6), 400.16, 20);
}

TEST(ClockFit, TwoReadingsOfNoWidthAreOnItsLine) {
  const std::vector<ClockSample> samples{{10, 100, 100}, {12, 120, 120}};
  const auto mapping = fit_clock(samples).value();
  EXPECT_DOUBLE_EQ(mapping.ns_per_tick, 10);
  EXPECT_EQ(mapping.to_host(10).ns, 100);
  EXPECT_EQ(mapping.to_host(12).ns, 120);
}

TEST(ClockFit, GrowsUncertainWithDistance) {
  const std::vector<ClockSample> samples{{1000, 0, 10}, {2000, 1000, 1010}};
  const auto mapping = fit_clock(samples).value();
  EXPECT_EQ(mapping.to_host(1500).bound_ns, mapping.to_host(1000).bound_ns);
  EXPECT_GT(mapping.to_host(9000).bound_ns, 10 * mapping.to_host(2000).bound_ns);
  EXPECT_GT(mapping.to_host(0).bound_ns, mapping.to_host(1000).bound_ns);
}

TEST(ClockFit, OneLateAnswerDoesNotWidenTheBound) {
  TrueClock truth{1000.0, 0};
  std::vector<ClockSample> samples;
  for (std::uint64_t i = 0; i < 30; ++i) {
    samples.push_back(truth.read(i * 1000));
  }
  const double narrow = fit_clock(samples).value().bound_ns;
  samples[11].host_after_ns += 500'000'000;
  samples.back().host_before_ns -= 80'000'000;
  const auto mapping = fit_clock(samples).value();
  EXPECT_LT(mapping.bound_ns, 2 * narrow);
  EXPECT_LT(mapping.to_host(samples.back().ticks).bound_ns, 4 * narrow);
}

TEST(ClockFit, TheNominalRateBoundsWhatIsFarAway) {
  // Two readings close together say little of the rate.
  const std::vector<ClockSample> samples{{0, 0, 100'000}, {20'000, 20'000'000, 20'100'000}};
  const ClockRate nominal{1000, 1e-3};
  const std::uint64_t second = 1'020'000;
  EXPECT_GT(fit_clock(samples).value().to_host(second).bound_ns, 5'000'000);
  const auto mapped = fit_clock(samples, nominal).value().to_host(second);
  EXPECT_LT(mapped.bound_ns, 1'200'000);
  EXPECT_GE(mapped.bound_ns, 1'000'000);  // 1e-3 of a second
  EXPECT_NEAR(static_cast<double>(mapped.ns), 1.02e9, 1.2e6);
}

TEST_P(ClockFits, BoundTheTruthByTheirNominalRateToo) {
  TrueClock truth = GetParam();
  const ClockRate nominal{truth.ns_per_tick * 1.0004, 5e-4};
  for (int round = 0; round < 200; ++round) {
    std::vector<ClockSample> samples;
    for (std::uint64_t i = 0; i < 4; ++i) {
      samples.push_back(truth.read(1'000'000 + i * 3000));
    }
    const auto mapping = fit_clock(samples, nominal).value();
    for (const std::uint64_t at : {0U, 1'005'000U, 9'000'000U, 90'000'000U}) {
      const auto mapped = mapping.to_host(at);
      EXPECT_LE(std::abs(static_cast<double>(mapped.ns) - truth.host_ns(at)),
                static_cast<double>(mapped.bound_ns) + 1)
          << at;
    }
  }
}

TEST(ClockFit, ARateThatTheReadingsContradictIsLeftOut) {
  const std::vector<ClockSample> samples{{0, 0, 10}, {1000, 2000, 2010}, {2000, 4000, 4010}};
  const auto mapping = fit_clock(samples, ClockRate{1, 1e-3}).value();
  EXPECT_NEAR(mapping.ns_per_tick, 2, 0.01);
  EXPECT_EQ(mapping.to_host(1500).bound_ns, fit_clock(samples).value().to_host(1500).bound_ns);
}

TEST(ClockFit, RefusesReadingsThatCannotBe) {
  const std::vector<ClockSample> one{{1, 0, 1}};
  EXPECT_EQ(fit_clock(one).error(), ClockFitError::too_few_samples);
  const std::vector<ClockSample> still{{1, 0, 1}, {1, 5, 6}};
  EXPECT_EQ(fit_clock(still).error(), ClockFitError::not_increasing);
  const std::vector<ClockSample> torn{{1, 0, 1}, {2, 6, 5}};
  EXPECT_EQ(fit_clock(torn).error(), ClockFitError::torn_sample);
}

}  // namespace
}  // namespace ligament::device
