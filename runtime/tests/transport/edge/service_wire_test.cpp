// SPDX-License-Identifier: Apache-2.0
/// Bytes of services in DDS, compared with those of an AddTwoInts call between two processes of
/// rmw_cyclonedds (ROS 2 Jazzy), as they were captured.
#include "transport/dds/service_wire.hpp"

#include <gtest/gtest.h>

#include <ligament/example_interfaces/srv/add_two_ints.hpp>

#include "capture.hpp"
#include "messages.hpp"

namespace ligament::dds {
namespace {

using edge::stored;
using example_interfaces::srv::AddTwoInts;

std::vector<std::byte> captured_payload(const std::string& topic) {
  return edge::bytes_of(edge::captured("service_cyclonedds").first(topic).payload);
}
std::vector<std::byte> captured_request() { return captured_payload("rq/add_two_intsRequest"); }
std::vector<std::byte> captured_reply() { return captured_payload("rr/add_two_intsReply"); }
const RequestHeader captured_header{{0xa6, 0xc0, 0xe3, 0xc1, 0xae, 0x08, 0xfd, 0x85}, 1};

TEST(ServiceWire, WritesTheBytesOfRos) {
  AddTwoInts::Request request;
  request.a = 2;
  request.b = 3;
  EXPECT_EQ(with_header(stored(request), captured_header), captured_request());
  AddTwoInts::Response response;
  response.sum = 5;
  EXPECT_EQ(with_header(stored(response), captured_header), captured_reply());
}

TEST(ServiceWire, ReadsTheBytesOfRos) {
  auto payload = captured_request();
  EXPECT_EQ(take_header(payload), captured_header);
  payload.resize(payload.size() - request_header_size);
  AddTwoInts::Request request;
  ASSERT_TRUE(MessageTraits<AddTwoInts::Request>::deserialize(payload, request));
  EXPECT_EQ(request.a, 2);
  EXPECT_EQ(request.b, 3);
}

TEST(ServiceWire, RefusesWhatIsTooShort) {
  const auto request = captured_request();
  for (std::size_t size = 0; size < encapsulation_size + request_header_size; ++size) {
    std::vector<std::byte> payload(request.begin(),
                                   request.begin() + static_cast<std::ptrdiff_t>(size));
    const auto before = payload;
    EXPECT_EQ(take_header(payload), std::nullopt);
    EXPECT_EQ(payload, before);
  }
  std::vector<std::byte> empty_body(request.begin(), request.begin() + 20);
  EXPECT_EQ(take_header(empty_body), captured_header);
}

TEST(ServiceWire, KeepsClientsOutsideApartFromThoseOfThePool) {
  const auto identity = to_identity(captured_header);
  EXPECT_EQ(from_identity(identity), captured_header);
  pool::RequestIdentity own = identity;
  own.client[15] = 3;  // a gid of the pool ends with 00 00 12 03
  EXPECT_EQ(from_identity(own), std::nullopt);
}

}  // namespace
}  // namespace ligament::dds
