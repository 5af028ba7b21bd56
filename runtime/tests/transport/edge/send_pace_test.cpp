// SPDX-License-Identifier: Apache-2.0
/// \file Large datagrams wait for room at sockets of this host: nothing is lost to a reader that is
/// slow, and a reader that stands still holds nobody up for long.
#include "transport/dds/send_pace.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace ligament::dds {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t datagram = 64000;

/// A UDP socket on loopback with the kernel's default buffer, or a smaller one.
class Socket {
 public:
  Socket() {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(handle_, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::getsockname(handle_, reinterpret_cast<sockaddr*>(&address_), &size), 0);
    const timeval limit{0, 100'000};
    EXPECT_EQ(::setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
  }
  ~Socket() { ::close(handle_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  [[nodiscard]] UdpPlace place() const { return {address_.sin_addr.s_addr, address_.sin_port}; }
  void send(const Socket& to) const {
    std::vector<std::byte> bytes(datagram);
    (void)::sendto(handle_, bytes.data(), bytes.size(), 0,
                   reinterpret_cast<const sockaddr*>(&to.address_), sizeof to.address_);
  }
  /// False: nothing came for a while.
  [[nodiscard]] bool receive() const {
    std::vector<std::byte> bytes(datagram);
    return ::recv(handle_, bytes.data(), bytes.size(), 0) >= 0;
  }

 private:
  int handle_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address_{};
};

/// How many of 100 come to a reader that takes 0.3 ms for each.
int received_of_100(SendPace* pace) {
  const Socket reader;
  const Socket writer;
  std::atomic<int> received{0};
  std::thread slow([&] {
    while (reader.receive()) {
      ++received;
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  for (int i = 0; i < 100; ++i) {
    if (pace != nullptr) {
      pace->wait_for_room(reader.place(), datagram);
    }
    writer.send(reader);
  }
  slow.join();
  return received;
}

bool kernel_tells() {
  const Socket reader;
  return SocketLook().at(reader.place()).has_value();
}

TEST(SendPace, ASlowReaderGetsAllDatagrams) {
  if (!kernel_tells()) {
    GTEST_SKIP() << "the kernel has no udp_diag";
  }
  SendPace pace;
  EXPECT_LT(received_of_100(nullptr), 100) << "this shows nothing";
  EXPECT_EQ(received_of_100(&pace), 100);
}

TEST(SendPace, TheKernelTellsHowFullABufferIs) {
  if (!kernel_tells()) {
    GTEST_SKIP() << "the kernel has no udp_diag";
  }
  const SocketLook look;
  const Socket reader;
  const Socket writer;
  const auto before = look.at(reader.place());
  ASSERT_TRUE(before);
  EXPECT_EQ(before->used, 0U);
  writer.send(reader);
  const auto after = look.at(reader.place());
  ASSERT_TRUE(after);
  EXPECT_GE(after->used, datagram);
  EXPECT_LT(after->used, datagram + 4096);
  EXPECT_FALSE(look.at({reader.place().address, htons(9)})) << "nobody listens there";
}

TEST(SendPace, OnlyAddressesOfThisHostAreHere) {
  EXPECT_TRUE(is_of_this_host(htonl(INADDR_LOOPBACK)));
  EXPECT_FALSE(is_of_this_host(inet_addr("239.255.0.1")));
  EXPECT_FALSE(is_of_this_host(inet_addr("192.0.2.1")));  // of documentation (RFC 5737)
}

/// A buffer that the test fills.
struct Asked {
  std::optional<ReceiveBuffer> buffer{ReceiveBuffer{200'000, 212'992}};
  bool is_here = true;
  int looks = 0;

  SendPace pace() {
    return SendPace({[this](const UdpPlace&) {
                       ++looks;
                       return buffer;
                     },
                     [this](std::uint32_t) { return is_here; }});
  }
};

constexpr UdpPlace somewhere{1, 2};

TEST(SendPace, WhoTakesNothingIsWaitedForOnce) {
  Asked asked;
  SendPace pace = asked.pace();
  const auto begin = steady_clock::now();
  pace.wait_for_room(somewhere, datagram);
  EXPECT_GE(steady_clock::now() - begin, std::chrono::nanoseconds(SendPace::patience_ns));
  asked.looks = 0;
  for (int i = 0; i < 100; ++i) {
    pace.wait_for_room(somewhere, datagram);
  }
  EXPECT_EQ(asked.looks, 100) << "it was waited for again";
  asked.buffer->used = 190'000;  // it has taken something: it is waited for again
  pace.wait_for_room(somewhere, datagram);
  EXPECT_GT(asked.looks, 110);
}

TEST(SendPace, AReaderThatIsAlwaysSlowDelaysOthersForAShareOfTheTime) {
  Asked asked;
  int step = 0;
  SendPace pace({[&](const UdpPlace&) {
                   // Each look finds a little less: it is never stuck.
                   asked.buffer->used = 212'992 - static_cast<std::size_t>(++step % 100'000);
                   return asked.buffer;
                 },
                 [](std::uint32_t) { return true; }});
  const auto begin = steady_clock::now();
  while (steady_clock::now() - begin < milliseconds(300)) {
    pace.wait_for_room(somewhere, datagram);
  }
  const int in_300_ms = step;
  const auto again = steady_clock::now();
  int sent = 0;
  while (steady_clock::now() - again < milliseconds(300)) {
    pace.wait_for_room(somewhere, datagram);
    ++sent;
  }
  EXPECT_GT(in_300_ms, 0);
  EXPECT_GT(sent, 100) << "it was waited for without end";
}

TEST(SendPace, OtherHostsSmallDatagramsAndUnseenSocketsGoAtOnce) {
  Asked asked;
  SendPace pace = asked.pace();
  pace.wait_for_room(somewhere, SendPace::smallest - 1);
  EXPECT_EQ(asked.looks, 0);
  asked.is_here = false;
  SendPace elsewhere = asked.pace();
  elsewhere.wait_for_room(somewhere, datagram);
  EXPECT_EQ(asked.looks, 0);
  asked.is_here = true;
  asked.buffer.reset();
  SendPace unseen = asked.pace();
  unseen.wait_for_room(somewhere, datagram);
  unseen.wait_for_room(somewhere, datagram);
  EXPECT_EQ(asked.looks, 1) << "who cannot be seen is not looked for each time";
}

TEST(SendPace, ManyDestinationsAreForgotten) {
  Asked asked;
  asked.buffer->used = 0;
  SendPace pace = asked.pace();
  for (std::uint32_t i = 0; i < 5000; ++i) {
    pace.wait_for_room({i, 1}, datagram);
  }
  EXPECT_EQ(asked.looks, 5000);
}

}  // namespace
}  // namespace ligament::dds
