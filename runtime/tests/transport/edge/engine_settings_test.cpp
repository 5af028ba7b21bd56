// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>
#include <fstream>

#include "dds_domain.hpp"
#include "transport/dds/participant.hpp"
#include "transport/dds/send_pace.hpp"

namespace ligament::edge {
namespace {

/// Of the sockets that receive samples in that domain, by the ports that RTPS gives them.
std::size_t largest_receive_buffer(unsigned domain) {
  constexpr unsigned participants = 10;
  const dds::SocketLook look;
  std::size_t largest = 0;
  for (unsigned i = 0; i < participants; ++i) {
    const auto port = static_cast<std::uint16_t>(7400 + 250 * domain + 11 + 2 * i);
    const auto buffer = look.at({htonl(INADDR_LOOPBACK), htons(port)});
    largest = std::max(largest, buffer ? buffer->size : 0);
  }
  return largest;
}

TEST(EngineSettings, ReceiveBuffersAreAsLargeAsTheSystemAllows) {
  std::size_t most = 0;
  std::ifstream("/proc/sys/net/core/rmem_max") >> most;
  const unsigned domain = take_dds_domain();
  const auto participant = dds::Participant::create({.domain = domain}, [] {});
  ASSERT_TRUE(participant);
  const auto writer = (*participant)->create_writer({"rt/any", "any", QoS(1).profile(), ""});
  ASSERT_TRUE(writer);
  const std::size_t found = largest_receive_buffer(domain);
  if (found == 0) {
    GTEST_SKIP() << "the kernel does not tell of sockets (udp_diag)";
  }
  // The kernel reserves as much again for itself.
  EXPECT_GE(found, 2 * std::min<std::size_t>(most, std::size_t{4} << 20));
}

}  // namespace
}  // namespace ligament::edge
