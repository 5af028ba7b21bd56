// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/qtest_bell.hpp"

#include <fmt/format.h>
#include <ligament/alarm_byte.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace ligament::rpmsg {

namespace {

/// An emulator that listens may not have accepted us: the core's first bytes are lost. So it is
/// rung again for a while.
constexpr int first_rings = 25;
constexpr long check_us = 20'000;

itimerspec timer_of(long microseconds, bool is_periodic) {
  constexpr long microsecond_ns = 1'000;
  itimerspec timer{};
  timer.it_value.tv_nsec = microseconds * microsecond_ns;  // less than a second
  timer.it_interval.tv_nsec = is_periodic ? timer.it_value.tv_nsec : 0;
  return timer;
}

/// What is there, once; false: nobody is at the other end any more.
bool receive_some(int fd, std::array<unsigned char, 256>& bytes, std::size_t& count) {
  const auto got = ::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
  count = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

std::unique_ptr<QtestBell> QtestBell::connect(const Places& places, std::uint32_t& cause) {
  const int serial = connect_socket(places.serial.c_str());
  const int qtest = serial < 0 ? -1 : connect_socket(places.qtest.c_str());
  if (qtest < 0) {
    const int why = errno;
    if (serial >= 0) {
      ::close(serial);
    }
    errno = why;
    return nullptr;
  }
  return std::unique_ptr<QtestBell>(new QtestBell(serial, qtest, places.core, cause));
}

QtestBell::QtestBell(int serial, int qtest, std::string core, std::uint32_t& cause)
    : serial_(serial),
      qtest_(qtest),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      check_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      core_(std::move(core)),
      cause_(cause),
      first_rings_(first_rings) {
  for (const int fd : {serial_, qtest_, timer_, check_}) {
    epoll_event event{};
    event.events = EPOLLIN;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
  set_line(false);  // a host before us may have left it high
  ring();           // the core may wait for a timer that died with that host
}

QtestBell::~QtestBell() {
  set_line(false);
  for (const int fd : {serial_, qtest_, timer_, check_, epoll_}) {
    ::close(fd);
  }
}

void QtestBell::set_line(bool level) {
  const std::string command =
      fmt::format("set_irq_in {} unnamed-gpio-in 0 {}\n", core_, level ? 1 : 0);
  [[maybe_unused]] const auto sent =
      ::send(qtest_, command.data(), command.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  is_high_ = level;
}

void QtestBell::ring() {
  std::atomic_ref(cause_).store(1, std::memory_order_seq_cst);
  if (!is_high_) {
    set_line(true);
  }
  if (!is_checking_) {
    start_checks(true);
  }
}

bool QtestBell::read_serial() {
  std::array<unsigned char, 256> bytes;
  std::size_t count = 0;
  const bool is_there = receive_some(serial_, bytes, count);
  long asked = 0;
  for (std::size_t i = 0; i < count; ++i) {  // the latest counts
    const long one = ligament_alarm_us(bytes[i]);
    asked = one != 0 ? one : asked;
  }
  if (asked != 0) {
    const itimerspec once = timer_of(asked, false);
    ::timerfd_settime(timer_, 0, &once, nullptr);
  }
  return is_there;
}

/// Each command is answered by a line; what it says is not needed.
bool QtestBell::read_answers() {
  std::array<unsigned char, 256> bytes;
  std::size_t count = 0;
  return receive_some(qtest_, bytes, count);
}

/// What is not the rule: a core that was reset has forgotten its interrupt, and bytes of before we
/// were accepted are lost.
void QtestBell::check() {
  if (first_rings_ > 0) {
    --first_rings_;
    ring();
  }
  if (is_high_ && std::atomic_ref(cause_).load(std::memory_order_seq_cst) != 0) {
    set_line(true);
  } else if (first_rings_ == 0) {
    start_checks(false);
  }
}

void QtestBell::start_checks(bool shall_run) {
  const itimerspec period = timer_of(shall_run ? check_us : 0, true);
  ::timerfd_settime(check_, 0, &period, nullptr);
  is_checking_ = shall_run;
}

Bell::Heard QtestBell::clear() {
  const bool is_there = read_serial() && read_answers();
  std::uint64_t times = 0;
  if (::read(timer_, &times, sizeof times) > 0) {
    ring();
  }
  if (::read(check_, &times, sizeof times) > 0) {
    check();
  }
  // Only we write 1: a cause that was taken is not one that comes between look and command.
  if (is_high_ && std::atomic_ref(cause_).load(std::memory_order_seq_cst) == 0) {
    set_line(false);
  }
  return is_there ? Heard::alive : Heard::gone;
}

}  // namespace ligament::rpmsg
