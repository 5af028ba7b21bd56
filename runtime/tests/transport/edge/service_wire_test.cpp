// SPDX-License-Identifier: Apache-2.0
/// Bytes of services in DDS, compared with those of an AddTwoInts call between two processes of
/// rmw_cyclonedds (ROS 2 Jazzy), as they were captured.
#include "transport/dds/service_wire.hpp"

#include <gtest/gtest.h>

#include <ligament/example_interfaces/srv/add_two_ints.hpp>

namespace ligament::dds {
namespace {

using example_interfaces::srv::AddTwoInts;

std::vector<std::byte> bytes_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

const auto captured_request =
    bytes_of("00010000a6c0e3c1ae08fd85010000000000000002000000000000000300000000000000");
const auto captured_reply = bytes_of("00010000a6c0e3c1ae08fd8501000000000000000500000000000000");
const RequestHeader captured_header{{0xa6, 0xc0, 0xe3, 0xc1, 0xae, 0x08, 0xfd, 0x85}, 1};

template <typename Message>
std::vector<std::byte> stored(const Message& message) {
  using Traits = MessageTraits<Message>;
  std::vector<std::byte> bytes(Traits::layout_of(message)->size);
  EXPECT_TRUE(Traits::serialize(message, bytes));
  return bytes;
}

TEST(ServiceWire, WritesTheBytesOfRos) {
  AddTwoInts::Request request;
  request.a = 2;
  request.b = 3;
  EXPECT_EQ(with_header(stored(request), captured_header), captured_request);
  AddTwoInts::Response response;
  response.sum = 5;
  EXPECT_EQ(with_header(stored(response), captured_header), captured_reply);
}

TEST(ServiceWire, ReadsTheBytesOfRos) {
  auto payload = captured_request;
  EXPECT_EQ(take_header(payload), captured_header);
  payload.resize(payload.size() - request_header_size);
  AddTwoInts::Request request;
  ASSERT_TRUE(MessageTraits<AddTwoInts::Request>::deserialize(payload, request));
  EXPECT_EQ(request.a, 2);
  EXPECT_EQ(request.b, 3);
}

TEST(ServiceWire, RefusesWhatIsTooShort) {
  for (std::size_t size = 0; size < encapsulation_size + request_header_size; ++size) {
    std::vector<std::byte> payload(captured_request.begin(),
                                   captured_request.begin() + static_cast<std::ptrdiff_t>(size));
    const auto before = payload;
    EXPECT_EQ(take_header(payload), std::nullopt);
    EXPECT_EQ(payload, before);
  }
  std::vector<std::byte> empty_body(captured_request.begin(), captured_request.begin() + 20);
  EXPECT_EQ(take_header(empty_body), captured_header);
}

TEST(ServiceWire, KeepsClientsOutsideApartFromThoseOfThePool) {
  const auto identity = to_identity(captured_header);
  EXPECT_EQ(from_identity(identity), captured_header);
  pool::RequestIdentity own = identity;
  own.client[15] = 3;  // a gid of the pool ends with 00 00 12 03
  EXPECT_EQ(from_identity(own), std::nullopt);
}

TEST(ServiceWire, SaysOfItsEndsWhatRosSays) {
  const pool::Gid client{0x01, 0x10, 0x8d, 0xbf, 0xb6, 0x99, 0xeb, 0xad,
                         0x94, 0x69, 0xd2, 0xee, 0x00, 0x00, 0x00, 0x08};
  const pool::Gid server{0x01, 0x10, 0xa2, 0x89, 0xb3, 0xd2, 0xa6, 0xaf,
                         0x43, 0x1b, 0xf5, 0xb8, 0x00, 0x00, 0x00, 0x08};
  EXPECT_EQ(
      service_user_data(ServiceEnd::client, client, MessageTraits<AddTwoInts::Request>::type_hash),
      "clientid= 1.10.8d.bf.b6.99.eb.ad.94.69.d2.ee.0.0.0.8;typehash=RIHS01_"
      "000c5fd92d6b2e1a05949348f584d6d652adea1e92d691792011ac2273508302;");
  EXPECT_EQ(
      service_user_data(ServiceEnd::server, server, MessageTraits<AddTwoInts::Response>::type_hash),
      "serviceid= 1.10.a2.89.b3.d2.a6.af.43.1b.f5.b8.0.0.0.8;typehash=RIHS01_"
      "de5c030d4af33cba2749310b249737b631594703f9300495f48bffb2b44dcc2f;");
}

}  // namespace
}  // namespace ligament::dds
