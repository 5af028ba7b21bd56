// SPDX-License-Identifier: Apache-2.0
#include "rpmsg/link.hpp"

#include <poll.h>

#include <ligament/detail/pool.hpp>

#include "core_bell.hpp"
#include "ends.hpp"

namespace bench {

namespace rpmsg = ligament::rpmsg;

namespace {

constexpr std::uint32_t base = 0x21000000;
constexpr std::uint32_t ours = LIGAMENT_RPMSG_FIRST_ADDRESS;
/// As in image/ring.c: a buffer holds the longest message.
constexpr rpmsg::Map raw_map{base, 16, 65536, 0, 0};

std::int64_t now_ns() { return ligament::pool::monotonic_now_ns(); }

/// The core's echo, and what it has sent last.
class Echo {
 public:
  explicit Echo(const LinkOptions& options)
      : is_raw_(options.is_raw),
        link_(area(options), await_bell(options.bell), handlers(), features()) {}

  void await_core() {
    await(now_ns() + patience_ns, "the core does not come", [this] { return is_there_; });
  }

  std::int64_t round_trip_ns(const std::string& text) {
    const std::int64_t begin = now_ns();
    const std::array<rpmsg::Bytes, 1> pieces{std::as_bytes(std::span(text))};
    rpmsg::SendStatus sent = rpmsg::SendStatus::full;
    // Full: the core has not given back the block of the message before.
    await(begin + patience_ns, "the link has no room", [&] {
      sent = sent == rpmsg::SendStatus::full ? link_.send(ours, core_, pieces) : sent;
      return sent != rpmsg::SendStatus::full;
    });
    if (sent != rpmsg::SendStatus::ok) {
      fail(std::to_string(text.size()) + " bytes cannot be sent");
    }
    await(begin + patience_ns, "no answer", [this] { return has_come_; });
    const std::int64_t end = now_ns();
    has_come_ = false;
    if (came_ != text) {
      fail("an answer is not what was said");
    }
    return end - begin;
  }

 private:
  static rpmsg::Area area(const LinkOptions& options) {
    auto opened = rpmsg::Area::open(options.memory, 0,
                                    options.is_raw ? raw_map : rpmsg::Map LIGAMENT_RPMSG_MAP(base));
    if (!opened) {
      fail(opened.error());
    }
    return *opened;
  }
  rpmsg::Handlers handlers() {
    rpmsg::Handlers handlers;
    handlers.up = [this] { is_there_ = is_raw_; };
    handlers.channel = [this](const rpmsg::Channel& channel, bool there) {
      core_ = channel.address;
      is_there_ = there;
    };
    handlers.message = [this](std::uint32_t, std::uint32_t, rpmsg::Bytes data) {
      came_.assign(reinterpret_cast<const char*>(data.data()), data.size());
      has_come_ = true;
    };
    return handlers;
  }
  [[nodiscard]] rpmsg::Options features() const {
    rpmsg::Options options;
    if (is_raw_) {
      options.features = LIGAMENT_RPMSG_F_RAW;
    }
    return options;
  }
  template <typename Condition>
  void await(std::int64_t deadline, const char* failure, const Condition& is_met) {
    while (!is_met()) {
      pollfd source{link_.fd(), POLLIN, 0};
      (void)::poll(&source, 1, 1000);
      link_.work();
      if (now_ns() > deadline) {
        fail(failure);
      }
    }
  }

  bool is_raw_;
  bool is_there_ = false;
  bool has_come_ = false;
  std::uint32_t core_ = 0;
  std::string came_;
  rpmsg::Link link_;
};

}  // namespace

void measure_link(const LinkOptions& options) {
  Echo echo(options);
  echo.await_core();
  std::vector<std::int64_t> times;
  times.reserve(options.messages);
  for (std::size_t count = 0; count < options.warmup + options.messages; ++count) {
    const std::int64_t time = echo.round_trip_ns(text_of(options.bytes, count));
    if (count >= options.warmup) {
      times.push_back(time);
    }
  }
  print_round_trips(times);
}

}  // namespace bench
