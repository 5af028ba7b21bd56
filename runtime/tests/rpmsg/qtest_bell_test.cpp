// SPDX-License-Identifier: Apache-2.0
// The bell of a core without interrupt controller, against sockets that are QEMU's here.
#include "rpmsg/qtest_bell.hpp"

#include <gtest/gtest.h>
#include <ligament/alarm_byte.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

namespace ligament::rpmsg {
namespace {

/// A listening socket, and whoever connects.
class Listener {
 public:
  explicit Listener(std::string path)
      : path_(std::move(path)), fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
  }
  ~Listener() {
    ::close(fd_);
    ::close(client_);
    std::filesystem::remove(path_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void accept() {
    client_ = ::accept(fd_, nullptr, nullptr);
    const timeval watchdog{60, 0};
    ::setsockopt(client_, SOL_SOCKET, SO_RCVTIMEO, &watchdog, sizeof watchdog);
  }
  void hang_up() { ::close(std::exchange(client_, -1)); }
  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(client_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  /// What has come so far; there is something, or it waits for it.
  [[nodiscard]] std::string take() const {
    std::string bytes(4096, '\0');
    const auto got = ::recv(client_, bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  [[nodiscard]] bool has_more() const {
    pollfd waits{client_, POLLIN, 0};
    return ::poll(&waits, 1, 0) == 1;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_;
  int client_ = -1;
};

TEST(RpmsgAlarmByte, IsNotMuchLaterThanWhatIsLeft) {
  for (std::int64_t left = 1; left <= 66'000; ++left) {
    const std::uint8_t byte = ligament_alarm_byte(left);
    ASSERT_GT(byte, LIGAMENT_ALARM) << left;
    ASSERT_LT(ligament_alarm_us(byte), left + 50) << left;
    ASSERT_GE(ligament_alarm_us(byte), left <= 3200 ? left : left - 1000) << left;
  }
  for (const std::int64_t left : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}}) {
    EXPECT_EQ(ligament_alarm_us(ligament_alarm_byte(left)), 50U) << left;
  }
  EXPECT_EQ(ligament_alarm_us(ligament_alarm_byte(INT64_MAX)), 66'000U);
  EXPECT_EQ(ligament_alarm_us(1), 0U) << "a ring";
  EXPECT_EQ(ligament_alarm_us(LIGAMENT_ALARM), 0U);
}

class RpmsgQtestBell : public ::testing::Test {
 protected:
  RpmsgQtestBell() {
    bell = QtestBell::connect({serial.path(), qtest.path(), "/core"}, cause);
    serial.accept();
    qtest.accept();
  }
  /// The level of the last command, as the core sees it.
  int level() {
    const std::string said = qtest.take();
    EXPECT_EQ(said.find("set_irq_in /core unnamed-gpio-in 0 "), 0U) << said;
    return said.empty() ? -1 : said[said.size() - 2] - '0';
  }
  void wait() const {
    pollfd waits{bell->fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&waits, 1, 60'000), 1) << "nothing came: a watchdog";
  }
  /// The core takes the interrupt.
  void take_cause() {
    cause = 0;
    serial.send("\1");
    wait();
    EXPECT_EQ(bell->clear(), Bell::Heard::alive);
  }
  /// Until it does not ring by itself any more, as it does after a connection: then no timer runs.
  void settle() {
    pollfd waits{bell->fd(), POLLIN, 0};
    do {
      take_cause();
    } while (::poll(&waits, 1, 500) == 1);
    while (qtest.has_more()) {
      (void)qtest.take();
    }
  }

  std::string folder = ::testing::TempDir() + "qtest_bell_" + std::to_string(::getpid());
  Listener serial{folder + "_serial"};
  Listener qtest{folder + "_qtest"};
  std::uint32_t cause = 0;
  std::unique_ptr<QtestBell> bell;
};

TEST_F(RpmsgQtestBell, IsRungWhenItIsConnected) {
  ASSERT_TRUE(bell);
  EXPECT_EQ(cause, 1U);
  EXPECT_EQ(level(), 1);
}

TEST_F(RpmsgQtestBell, IsLoweredWhenTheCoreHasTakenTheCause) {
  settle();
  bell->ring();
  EXPECT_EQ(cause, 1U);
  EXPECT_EQ(level(), 1);
  serial.send("\1");  // a ring of the core's, which has not taken ours yet
  wait();
  (void)bell->clear();
  EXPECT_FALSE(qtest.has_more() && level() == 0);
  take_cause();
  EXPECT_EQ(level(), 0);
}

TEST_F(RpmsgQtestBell, IsRaisedAgainForACoreThatForgotIt) {
  settle();
  bell->ring();
  EXPECT_EQ(level(), 1);
  wait();  // the core was reset, and says nothing
  (void)bell->clear();
  EXPECT_EQ(level(), 1);
}

TEST_F(RpmsgQtestBell, IsTheCoresTimer) {
  settle();
  serial.send("\x85");  // soon
  wait();
  (void)bell->clear();
  wait();
  (void)bell->clear();
  EXPECT_EQ(cause, 1U);
  EXPECT_EQ(level(), 1);
}

TEST_F(RpmsgQtestBell, HearsThatTheEmulatorIsGone) {
  serial.hang_up();
  wait();
  EXPECT_EQ(bell->clear(), Bell::Heard::gone);
}

TEST(RpmsgQtestBellAlone, NeedsBothSockets) {
  std::uint32_t cause = 0;
  const std::string path = ::testing::TempDir() + "qtest_bell_alone_" + std::to_string(::getpid());
  const Listener serial(path);
  EXPECT_EQ(QtestBell::connect({path, path + "_none", "/core"}, cause), nullptr);
  EXPECT_EQ(QtestBell::connect({path + "_none", path, "/core"}, cause), nullptr);
}

}  // namespace
}  // namespace ligament::rpmsg
