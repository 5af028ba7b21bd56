// SPDX-License-Identifier: Apache-2.0
/// How fast the agent takes datagrams from a full socket into the pool, beside a bare loop that
/// only receives them. One thread on one core does both, alternately: no scheduler takes part.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "agent/agent.hpp"
#include "agent/pool_bus.hpp"
#include "agent/udp.hpp"
#include "bench.hpp"

namespace ligament::bench {

namespace {

constexpr unsigned burst = 128;  // fits into the socket buffer that every system allows
constexpr std::size_t batch = 32;
constexpr std::size_t largest = 65'536;
constexpr std::size_t stride = largest + 320;  // as the agent: not all in one set of the cache

/// The agent without its loop.
struct Rig {
  xrce::PoolBus bus;
  xrce::Profiles profiles;
  xrce::Agent agent;
  std::unique_ptr<xrce::UdpTransport> transport;

  explicit Rig(int domain)
      : bus(options()), agent({domain, 30'000'000'000, nullptr}, bus, profiles) {
    transport = std::move(*xrce::UdpTransport::open("127.0.0.1", 0));
  }
  static xrce::PoolBus::Options options() {
    xrce::PoolBus::Options options;
    options.types["std_msgs/msg/String"] = {1};
    options.on_samples = [] {};
    options.wants_edge = false;
    return options;
  }
  /// As the server does it for each wake-up; false: nothing had come.
  bool work() {
    const std::int64_t now = now_ns();
    const auto came = transport->work([&](const xrce::Address& from, xrce::Bytes message) {
      agent.receive(*transport, from, message, now, now);
    });
    if (came != xrce::Transport::Came::something) {
      return false;
    }
    agent.flush(now);
    return true;
  }
  [[nodiscard]] std::uint64_t received() const { return agent.clients().at(0).session.received; }
};

/// Receives and does nothing.
class Bare {
 public:
  Bare() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    from_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, plain, length) != 0 || ::getsockname(fd_, plain, &length) != 0 ||
        ::connect(from_, plain, length) != 0) {
      throw std::runtime_error("no UDP socket");
    }
  }
  ~Bare() {
    ::close(fd_);
    ::close(from_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;
  [[nodiscard]] int from() const { return from_; }
  unsigned drain() {
    std::array<sockaddr_in, batch> addresses{};
    std::array<iovec, batch> places{};
    std::array<mmsghdr, batch> headers{};
    for (std::size_t i = 0; i < batch; ++i) {
      places[i] = {memory_.data() + i * stride, largest};
      headers[i].msg_hdr.msg_name = &addresses[i];
      headers[i].msg_hdr.msg_namelen = sizeof(sockaddr_in);
      headers[i].msg_hdr.msg_iov = &places[i];
      headers[i].msg_hdr.msg_iovlen = 1;
    }
    unsigned all = 0;
    for (;;) {
      const int count = ::recvmmsg(fd_, headers.data(), batch, MSG_DONTWAIT, nullptr);
      if (count <= 0) {
        return all;
      }
      all += static_cast<unsigned>(count);
    }
  }

 private:
  std::vector<std::byte> memory_ = std::vector<std::byte>(batch * stride);
  int fd_ = -1;
  int from_ = -1;
};

void fill(int fd, Board& board, const Settings& settings) {
  for (unsigned i = 0; i < burst; ++i) {
    const auto datagram = board.datagram(settings.samples, settings.bytes);
    (void)::send(fd, datagram.data(), datagram.size(), 0);
  }
}

/// The board logs in while another thread serves it.
std::unique_ptr<Board> make_board(Rig& rig) {
  std::atomic<bool> is_made{false};
  std::thread server([&] {
    while (!is_made) {
      if (!rig.work()) {
        std::this_thread::yield();
      }
    }
  });
  auto board = std::make_unique<Board>(rig.transport->port());
  is_made = true;
  server.join();
  return board;
}

}  // namespace

nlohmann::json measure_drain(const Settings& settings) {
  Rig rig(settings.domain);
  const auto board = make_board(rig);
  Bare bare;
  std::vector<double> agent_ns;
  std::vector<double> bare_ns;
  for (unsigned pass = 0; pass < settings.passes + 2; ++pass) {
    fill(bare.from(), *board, settings);
    std::int64_t begun = now_ns();
    const unsigned came = bare.drain();
    const double of_bare = static_cast<double>(now_ns() - begun) / came;
    fill(board->fd(), *board, settings);
    const std::uint64_t before = rig.received();
    begun = now_ns();
    while (rig.work()) {
    }
    const double of_agent = static_cast<double>(now_ns() - begun) / burst;
    const std::uint64_t published = rig.received() - before;
    if (came != burst || published != std::uint64_t{burst} * settings.samples) {
      throw std::runtime_error("the socket's buffer is too small for " + std::to_string(burst) +
                               " datagrams (net.core.rmem_max)");
    }
    if (pass >= 2) {  // the first ones make memory
      agent_ns.push_back(of_agent);
      bare_ns.push_back(of_bare);
    }
  }
  return {{"agent_ns", agent_ns}, {"bare_ns", bare_ns}};
}

}  // namespace ligament::bench
