// SPDX-License-Identifier: Apache-2.0
/// How late a sample is at a reader of this host: from a board over UDP through the agent, and
/// beside it over UDP alone. The agent is a process of its own.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <ligament/detail/pool.hpp>
#include <thread>

#include "agent/server.hpp"
#include "agent/udp.hpp"
#include "bench.hpp"

namespace ligament::bench {

namespace {

constexpr std::int64_t period_ns = 1'000'000;
constexpr unsigned warm_up = 50;
constexpr std::array<std::uint8_t, 32> type_hash{1};

void sleep_until(std::int64_t time_ns) {
  const timespec until{time_ns / 1'000'000'000, time_ns % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

/// Of what came: the time at which it was sent lies in it.
class Arrivals {
 public:
  explicit Arrivals(unsigned count) : wanted_(count) { late_.reserve(count); }
  void note(const std::byte* sent_at) {
    std::int64_t sent = 0;
    std::memcpy(&sent, sent_at, sizeof sent);
    late_.push_back(now_ns() - sent);
    is_done_ = late_.size() >= wanted_;
  }
  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] std::vector<std::int64_t> late() const {
    return {late_.begin() + warm_up, late_.end()};
  }

 private:
  unsigned wanted_;
  std::vector<std::int64_t> late_;
  std::atomic<bool> is_done_{false};
};

/// Sends at the pace until all have come; a datagram may be lost.
void pace(int fd, std::vector<std::uint8_t> datagram, Board* board, const Settings& settings,
          const Arrivals& arrivals) {
  const std::size_t at = datagram.size() - settings.bytes;
  std::int64_t due = now_ns();
  while (!arrivals.is_done()) {
    due += period_ns;
    sleep_until(due);
    if (board != nullptr) {
      datagram = board->datagram(1, settings.bytes);
    }
    const std::int64_t sent = now_ns();
    std::memcpy(datagram.data() + at, &sent, sizeof sent);
    (void)::send(fd, datagram.data(), datagram.size(), 0);
  }
}

/// A process that serves the socket until it is killed.
pid_t start_agent(xrce::UdpTransport& transport, const Settings& settings) {
  const pid_t agent = ::fork();
  if (agent != 0) {
    return agent;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  xrce::ServerOptions options;
  options.agent.domain = settings.domain;
  options.spin_ns = std::int64_t{settings.spin_us} * 1000;
  options.bus.types["std_msgs/msg/String"] = type_hash;
  options.bus.wants_edge = false;
  auto server = xrce::Server::make(std::move(options));
  std::array<int, 2> never{};
  if (server && ::pipe(never.data()) == 0) {
    (*server)->serve(transport, never[0]);
  }
  ::_exit(1);
}

std::vector<std::int64_t> through_the_agent(const Settings& settings) {
  auto transport = xrce::UdpTransport::open("127.0.0.1", 0);
  if (!transport) {
    throw std::runtime_error(transport.error());
  }
  const pid_t agent = start_agent(**transport, settings);
  auto domain = pool::Domain::join(
      {std::string(pool::ros_domain_prefix) + std::to_string(settings.domain), "ros"});
  auto waiter =
      domain ? (*domain)->create_waiter() : unexpected<pool::EndpointError>(pool::EndpointError{});
  if (!waiter) {
    throw std::runtime_error("the pool cannot be joined");
  }
  pool::EndpointDescription what{topic, "std_msgs/msg/String", "/bench_reader", type_hash, {}};
  what.qos.depth = 100;
  what.qos.reliability = ReliabilityPolicy::best_effort;
  auto reader = (*domain)->create_reader(what, **waiter);
  if (!reader) {
    throw std::runtime_error(reader.error().text);
  }
  Board board((*transport)->port());
  Arrivals arrivals(settings.passes + warm_up);
  std::thread receiver([&] {
    (*waiter)->wait_for([&] {
      while (auto sample = (*reader)->take()) {
        if (!*sample || arrivals.is_done()) {
          break;
        }
        arrivals.note((*sample)->payload().data() + 4);  // behind the encapsulation
      }
      return arrivals.is_done();
    });
  });
  pace(board.fd(), board.datagram(1, settings.bytes), &board, settings, arrivals);
  receiver.join();
  ::kill(agent, SIGKILL);
  ::waitpid(agent, nullptr, 0);
  return arrivals.late();
}

std::vector<std::int64_t> over_udp_alone(const Settings& settings) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const int to = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const int from = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (::bind(to, plain, length) != 0 || ::getsockname(to, plain, &length) != 0 ||
      ::connect(from, plain, length) != 0) {
    throw std::runtime_error("no UDP socket");
  }
  Arrivals arrivals(settings.passes + warm_up);
  std::thread receiver([&] {
    std::vector<std::byte> memory(65'536);
    while (!arrivals.is_done()) {
      const ssize_t size = ::recv(to, memory.data(), memory.size(), 0);
      if (size >= static_cast<ssize_t>(settings.bytes)) {
        arrivals.note(memory.data() + size - settings.bytes);
      }
    }
  });
  pace(from, std::vector<std::uint8_t>(settings.bytes + 12), nullptr, settings, arrivals);
  receiver.join();
  ::close(to);
  ::close(from);
  return arrivals.late();
}

}  // namespace

nlohmann::json measure_latency(const Settings& settings) {
  return {{"agent_ns", through_the_agent(settings)}, {"udp_ns", over_udp_alone(settings)}};
}

}  // namespace ligament::bench
