// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "core_bell.hpp"
#include "ends.hpp"
#include "pseudo_terminal.hpp"
#include "rpmsg/link.hpp"

namespace bench {

namespace rpmsg = ligament::rpmsg;

namespace {

constexpr std::uint32_t stream_address = LIGAMENT_RPMSG_FIRST_ADDRESS;
constexpr std::size_t largest_piece = 496;

/// Bytes between a core's endpoint and a pseudo terminal, as the published agent's transport has
/// them.
class Stream {
 public:
  explicit Stream(const StreamOptions& options)
      : sleep_us_(options.sleep_us), link_(area(options), await_bell(options.bell), handlers()) {}

  void run() {
    std::printf("%s\nready\n", end_.name().c_str());
    std::fflush(stdout);
    for (;;) {
      if (sleep_us_ != 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(sleep_us_));
      } else {
        std::array<pollfd, 2> sources{{{link_.fd(), POLLIN, 0}, {end_.fd(), POLLIN, 0}}};
        (void)::poll(sources.data(), is_there_ ? 2 : 1, 1000);
      }
      link_.work();
      if (is_there_) {
        to_core();
      }
    }
  }

 private:
  static rpmsg::Area area(const StreamOptions& options) {
    auto opened = rpmsg::Area::open(options.memory, 0, rpmsg::Map LIGAMENT_RPMSG_MAP(0x21000000));
    if (!opened) {
      fail(opened.error());
    }
    return *opened;
  }
  rpmsg::Handlers handlers() {
    rpmsg::Handlers handlers;
    handlers.channel = [this](const rpmsg::Channel& channel, bool there) {
      core_ = channel.address;
      is_there_ = there;
      if (there) {
        (void)link_.send(stream_address, core_, {});  // by it the core learns where we are
      }
    };
    handlers.message = [this](std::uint32_t, std::uint32_t, rpmsg::Bytes data) {
      if (::write(end_.fd(), data.data(), data.size()) != static_cast<ssize_t>(data.size())) {
        fail("the agent does not read");
      }
    };
    return handlers;
  }
  void to_core() {
    std::array<std::byte, largest_piece> bytes{};
    const ssize_t count = ::read(end_.fd(), bytes.data(), bytes.size());
    if (count <= 0) {
      return;
    }
    const std::array<rpmsg::Bytes, 1> pieces{
        rpmsg::Bytes(bytes.data(), static_cast<std::size_t>(count))};
    while (link_.send(stream_address, core_, pieces) == rpmsg::SendStatus::full) {
      link_.work();
    }
  }

  std::int64_t sleep_us_;
  PseudoTerminal end_;
  bool is_there_ = false;
  std::uint32_t core_ = 0;
  rpmsg::Link link_;
};

}  // namespace

void run_stream(const StreamOptions& options) { Stream(options).run(); }

}  // namespace bench
