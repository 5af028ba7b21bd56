// SPDX-License-Identifier: Apache-2.0
// The host and an emulated core that runs the firmware: the same link, two instruction sets.
#include <algorithm>
#include <cstdio>

#include "emulator.hpp"
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

using Clock = std::chrono::steady_clock;

/// One emulator for all tests of this file, as a start takes a while.
class RpmsgEmulated : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::string(LIGAMENT_NO_EMULATOR).empty()) {
      emulator = std::make_unique<Emulator>(
          ::testing::TempDir() + "ligament_core_" + std::to_string(::getpid()), LIGAMENT_ECHO_ELF);
      auto bell = emulator->start();
      ASSERT_TRUE(bell);
      host = std::make_unique<Host>(*Area::open(emulator->memory(), 0, usual_map), std::move(bell));
    }
  }
  static void TearDownTestSuite() {
    host.reset();
    emulator.reset();
  }
  void SetUp() override {
    if (!emulator) {
      GTEST_SKIP() << LIGAMENT_NO_EMULATOR;
    }
    ASSERT_TRUE(host);
    host->got.clear();
    ASSERT_TRUE(until([] { return !host->link.channels().empty(); })) << emulator->console();
  }
  /// Works until it is so. The limit is for a core that hangs.
  template <typename Condition>
  static bool until(const Condition& condition) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    bool met = condition();  // which may do something: it is asked once a round
    while (!met && Clock::now() < end) {
      pollfd waits{host->link.fd(), POLLIN, 0};
      ::poll(&waits, 1, 1000);
      host->link.work();
      ++wakes;
      met = condition();
    }
    return met;
  }
  static bool echo(const std::string& text) {
    host->got.clear();
    // Full: the core has not given back the extent of the message before.
    return until([&] { return host->send(text) == SendStatus::ok; }) &&
           until([] { return !host->got.empty(); }) && host->got.front() == text;
  }

  static std::unique_ptr<Emulator> emulator;
  static std::unique_ptr<Host> host;
  static std::size_t wakes;
};
std::unique_ptr<Emulator> RpmsgEmulated::emulator;
std::unique_ptr<Host> RpmsgEmulated::host;
std::size_t RpmsgEmulated::wakes = 0;

TEST_F(RpmsgEmulated, EchoesEachSize) {
  for (const std::size_t size : {1U, 16U, 496U, 497U, 4096U, 65536U, 131072U}) {
    EXPECT_TRUE(echo(std::string(size, static_cast<char>('a' + size % 23)))) << size;
  }
  EXPECT_EQ(host->link.figures().breaches, 0U);
}

TEST_F(RpmsgEmulated, EchoesManyAndSaysHowFast) {
  for (const std::size_t size : {std::size_t{16}, std::size_t{496}, std::size_t{4096}}) {
    std::vector<double> microseconds;
    const std::string text(size, 'e');
    wakes = 0;
    for (int round = 0; round < 2000; ++round) {
      const auto begin = Clock::now();
      ASSERT_TRUE(echo(text)) << round;
      microseconds.push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
    std::sort(microseconds.begin(), microseconds.end());
    std::printf("%zu bytes: round trip p50 %.0f us, p99 %.0f us, 2000 messages, %zu wakes\n", size,
                microseconds[1000], microseconds[1980], wakes);
    // Each message woke us once or twice: nobody spins.
    EXPECT_LE(wakes, 4000U);
  }
}

TEST_F(RpmsgEmulated, CarriesManyInFlight) {
  constexpr std::size_t count = 5000;
  std::size_t sent = 0;
  const auto send_more = [&sent] {
    while (sent < count && sent < host->got.size() + 32 &&
           host->send("message " + std::to_string(sent)) == SendStatus::ok) {
      ++sent;
    }
  };
  ASSERT_TRUE(until([&] {
    send_more();
    return host->got.size() == count;
  })) << host->got.size();
  for (std::size_t index = 0; index < count; ++index) {
    ASSERT_EQ(host->got[index], "message " + std::to_string(index));
  }
}

TEST_F(RpmsgEmulated, ACrashIsToldAndANewStartIsFound) {
  host->downs.clear();
  ASSERT_EQ(host->send("crash"), SendStatus::ok);
  ASSERT_TRUE(until([] { return !host->downs.empty(); }));
  EXPECT_EQ(host->downs.front(), "the core has crashed");
  emulator->kill();
  auto bell = emulator->start();
  ASSERT_TRUE(bell);
  host->link.attach(std::move(bell));
  ASSERT_TRUE(until([] { return !host->link.channels().empty(); })) << emulator->console();
  EXPECT_TRUE(echo("after the crash"));
}

TEST_F(RpmsgEmulated, AKilledCoreIsSeenAtOnceAndANewOneIsFound) {
  ASSERT_TRUE(echo("before"));
  host->downs.clear();
  ASSERT_EQ(host->send("nobody will read this"), SendStatus::ok);
  emulator->kill();
  ASSERT_TRUE(until([] { return !host->downs.empty(); }));
  EXPECT_EQ(host->downs.front(), "the core is gone");
  auto bell = emulator->start();
  ASSERT_TRUE(bell);
  host->link.attach(std::move(bell));
  ASSERT_TRUE(until([] { return !host->link.channels().empty(); })) << emulator->console();
  EXPECT_TRUE(echo("after"));
}

TEST_F(RpmsgEmulated, AHostThatStartsAnewFindsTheCore) {
  ASSERT_TRUE(echo("before"));
  const std::size_t starts = emulator->console().size();
  // The bell of QEMU serves one host at a time: the old one goes first.
  host.reset();
  auto bell = SocketBell::connect((emulator->folder() + "/bell").c_str());
  ASSERT_TRUE(bell);
  host = std::make_unique<Host>(*Area::open(emulator->memory(), 0, usual_map), std::move(bell));
  ASSERT_TRUE(until([] { return !host->link.channels().empty(); }));
  EXPECT_TRUE(echo("after"));
  EXPECT_EQ(emulator->console().size(), starts) << "the core ran on";
}

}  // namespace
}  // namespace ligament::rpmsg::twin
