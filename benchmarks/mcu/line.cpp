// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <deque>
#include <ligament/detail/pool.hpp>
#include <utility>

#include "ends.hpp"
#include "pseudo_terminal.hpp"

namespace bench {

namespace {

constexpr std::int64_t bits_per_byte = 10;  // a start and a stop bit

/// Bytes on their way in one direction: each arrives when its last bit has.
class Wire {
 public:
  explicit Wire(std::uint32_t baud) : byte_ns_(bits_per_byte * 1'000'000'000 / baud) {}

  void take(const PseudoTerminal& from, std::int64_t now) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(from.fd(), bytes.data(), bytes.size());
    for (ssize_t index = 0; index < count; ++index) {
      last_ns_ = std::max(last_ns_, now) + byte_ns_;
      bytes_.emplace_back(last_ns_, bytes[static_cast<std::size_t>(index)]);
    }
  }
  void give(const PseudoTerminal& to, std::int64_t now) {
    while (!bytes_.empty() && bytes_.front().first <= now &&
           ::write(to.fd(), &bytes_.front().second, 1) == 1) {
      bytes_.pop_front();
    }
  }
  [[nodiscard]] std::int64_t due_ns() const {
    return bytes_.empty() ? ligament::pool::no_deadline : bytes_.front().first;
  }

 private:
  std::int64_t byte_ns_;
  std::int64_t last_ns_ = 0;
  std::deque<std::pair<std::int64_t, char>> bytes_;
};

void sleep(const std::array<PseudoTerminal, 2>& ends, std::int64_t until, std::int64_t now) {
  std::array<pollfd, 2> sources{{{ends[0].fd(), POLLIN, 0}, {ends[1].fd(), POLLIN, 0}}};
  const std::int64_t left = std::max<std::int64_t>(0, until - now);
  const timespec time{left / 1'000'000'000, left % 1'000'000'000};
  (void)::ppoll(sources.data(), sources.size(),
                until == ligament::pool::no_deadline ? nullptr : &time, nullptr);
}

}  // namespace

void run_line(const LineOptions& options) {
  (void)::prctl(PR_SET_TIMERSLACK, 1UL);  // 50 us, the default, is most of a byte
  std::array<PseudoTerminal, 2> ends;
  std::array<Wire, 2> wires{Wire(options.baud), Wire(options.baud)};
  std::printf("%s %s\nready\n", ends[0].name().c_str(), ends[1].name().c_str());
  std::fflush(stdout);
  for (;;) {
    const std::int64_t now = ligament::pool::monotonic_now_ns();
    wires[0].give(ends[1], now);
    wires[1].give(ends[0], now);
    sleep(ends, std::min(wires[0].due_ns(), wires[1].due_ns()), ligament::pool::monotonic_now_ns());
    const std::int64_t came = ligament::pool::monotonic_now_ns();
    wires[0].take(ends[0], came);
    wires[1].take(ends[1], came);
  }
}

}  // namespace bench
