// SPDX-License-Identifier: Apache-2.0
/// \file Cores that run natively: their thread, and those that do not return.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ligament/fpga_emulation.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ligament::fpga {
namespace {

constexpr double patient_s = 1e6;
constexpr double impatient_s = 0.05;

/// Lets cores return that would not, so that no test leaves a busy thread behind.
using Flag = std::shared_ptr<std::atomic<bool>>;

Answer twice(const std::vector<StoredMessage>& in) {
  StoredMessage out = in.at(0);
  out.insert(out.end(), in.at(1).begin(), in.at(1).end());
  return {{out, in.at(0)}, ""};
}

TEST(Emulation, GivesWhatTheCoreGives) {
  Emulation emulation(twice, patient_s);
  for (unsigned char number = 0; number < 100; ++number) {
    const Answer answer = emulation.run({{1, number}, {3}});
    EXPECT_EQ(answer.problem, "");
    ASSERT_EQ(answer.outputs.size(), 2U);
    EXPECT_EQ(answer.outputs[0], (StoredMessage{1, number, 3}));
    EXPECT_EQ(answer.outputs[1], (StoredMessage{1, number}));
  }
  EXPECT_FALSE(emulation.is_isolated());
}

TEST(Emulation, AProblemIsHandedOnAndTheCoreGoesOn) {
  Emulation emulation(
      [](const std::vector<StoredMessage>& in) {
        return in[0].empty() ? Answer{{}, "it refused it"} : Answer{{in[0]}, ""};
      },
      patient_s);
  EXPECT_EQ(emulation.run({{}}).problem, "it refused it");
  EXPECT_EQ(emulation.run({{7}}).outputs.at(0), StoredMessage{7});
}

TEST(Emulation, ACoreThatComputesForEverIsIsolated) {
  const Flag ends = std::make_shared<std::atomic<bool>>(false);
  {
    Emulation emulation(
        [ends](const std::vector<StoredMessage>&) {
          while (!ends->load()) {
          }
          return Answer{};
        },
        impatient_s);
    const Answer answer = emulation.run({{1}});
    EXPECT_EQ(answer.problem, "it gave no answer within 0.05 s of processor time");
    EXPECT_TRUE(emulation.is_isolated());
    EXPECT_EQ(emulation.run({{2}}).problem, answer.problem);
  }
  ends->store(true);
}

TEST(Emulation, ACoreThatWaitsForEverIsIsolatedToo) {
  const Flag ends = std::make_shared<std::atomic<bool>>(false);
  {
    Emulation emulation(
        [ends](const std::vector<StoredMessage>&) {
          while (!ends->load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
          }
          return Answer{};
        },
        impatient_s);
    EXPECT_NE(emulation.run({{1}}).problem, "");
    EXPECT_TRUE(emulation.is_isolated());
  }
  ends->store(true);
}

}  // namespace
}  // namespace ligament::fpga
