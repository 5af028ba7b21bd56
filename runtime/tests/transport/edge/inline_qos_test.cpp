// SPDX-License-Identifier: Apache-2.0
/// Inline QoS of an AddTwoInts call between two processes of rmw_fastrtps (ROS 2 Jazzy), as it was
/// captured.
#include "transport/dds/inline_qos.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capture.hpp"
#include "transport/dds/service_wire.hpp"

namespace ligament::dds {
namespace {

std::vector<std::byte> bytes_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

edge::Capture::Sample captured(const std::string& topic) {
  return edge::captured("service_fastrtps").first(topic);
}
/// The client's: its reply reader, and no number.
std::vector<std::byte> captured_request() {
  return edge::bytes_of(captured("rq/add_two_intsRequest").inline_qos);
}
/// The server's: that reader, and the request's number.
std::vector<std::byte> captured_reply() {
  return edge::bytes_of(captured("rr/add_two_intsReply").inline_qos);
}
const pool::Gid reply_reader{0x01, 0x0f, 0x78, 0xfd, 0x74, 0x7a, 0x05, 0xcd,
                             0,    0,    0,    0,    0,    0,    0x14, 0x04};

std::vector<std::byte> written(const SampleIdentity& identity) {
  const auto parameters = related_parameters(identity);
  return {parameters.begin(), parameters.end()};
}

TEST(InlineQos, WritesTheBytesOfRos) {
  EXPECT_EQ(written({reply_reader, unknown_sequence}), captured_request());
  EXPECT_EQ(written({reply_reader, 1}), captured_reply());
}

TEST(InlineQos, ReadsTheBytesOfRos) {
  EXPECT_EQ(find_related(captured_request(), std::endian::little),
            (SampleIdentity{reply_reader, unknown_sequence}));
  EXPECT_EQ(find_related(captured_reply(), std::endian::little), (SampleIdentity{reply_reader, 1}));
}

TEST(InlineQos, FindsTheVendorsParameterBehindOthers) {
  auto list = bytes_of("71000400000000017000040001020304");
  const auto reply = captured_reply();
  list.insert(list.end(), reply.begin() + 28, reply.end());
  EXPECT_EQ(find_related(list, std::endian::little), (SampleIdentity{reply_reader, 1}));
}

TEST(InlineQos, ReadsBigEndianLists) {
  const auto list = bytes_of("00830018010f78fd747a05cd0000000000001404000000020000000700010000");
  EXPECT_EQ(find_related(list, std::endian::big),
            (SampleIdentity{reply_reader, (std::int64_t{2} << 32) + 7}));
}

TEST(InlineQos, FindsNothingInCutOrEndedLists) {
  const auto reply = captured_reply();
  for (std::size_t size = 0; size < 28; ++size) {
    EXPECT_EQ(find_related({reply.data(), size}, std::endian::little), std::nullopt);
  }
  auto ended = bytes_of("01000000");
  ended.insert(ended.end(), reply.begin(), reply.end());
  EXPECT_EQ(find_related(ended, std::endian::little), std::nullopt);
  auto small = reply;
  small[2] = std::byte{20};  // an identity of 20 bytes is none
  EXPECT_EQ(find_related(std::span(small).first(24), std::endian::little), std::nullopt);
}

/// The beginning of the captured reply's data submessage, as it is without inline QoS: 60 bytes
/// less.
std::vector<std::byte> plain_header() {
  auto header = edge::bytes_of(captured("rr/add_two_intsReply").header);
  header[1] = std::byte{5};
  header[2] = static_cast<std::byte>(std::to_integer<unsigned>(header[2]) - related_size);
  return header;
}

TEST(InlineQos, HeaderAnnouncesItAndItsLength) {
  auto before = bytes_of("0901080000000000000000ff");  // what goes before it in a datagram
  const auto plain = plain_header();
  before.insert(before.end(), plain.begin(), plain.end());
  const auto header = header_with_related(before);
  ASSERT_TRUE(header);
  EXPECT_EQ(edge::text_of(std::span(header->bytes).first(header->size)),
            captured("rr/add_two_intsReply").header);
}

TEST(InlineQos, HeaderOfAFragmentToo) {
  const auto before = bytes_of(
      "160140050000"
      "1c00"
      "0000140400001503"
      "0000000001000000"
      "01000000"
      "0100"
      "4005"
      "00000100");
  const auto header = header_with_related(before);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size, 36U);
  EXPECT_EQ(header->bytes[1], std::byte{3});
}

TEST(InlineQos, LeavesOtherSubmessagesAlone) {
  const auto plain = plain_header();
  auto has_some = plain;
  has_some[1] = std::byte{7};
  auto big_endian = plain;
  big_endian[1] = std::byte{4};
  auto heartbeat = plain;
  heartbeat[0] = std::byte{7};
  auto full = plain;
  full[2] = full[3] = std::byte{0xff};
  for (const auto& before : {has_some, big_endian, heartbeat, full}) {
    EXPECT_FALSE(header_with_related(before));
  }
  EXPECT_FALSE(header_with_related(std::span(plain).first(23)));
  auto last = plain;
  last[2] = last[3] = std::byte{0};  // to the end of the message: stays so
  EXPECT_EQ(header_with_related(last)->bytes[2], std::byte{0});
}

/// RTPS header, then a DATA submessage of that writer; its payload is apart.
std::vector<std::byte> announcement(std::string_view writer, std::string_view flags = "05") {
  return bytes_of("52545053020101100110aabbccddeeff00112233" + std::string("15") +
                  std::string(flags) + "4000" + "00001000" + "00000000" + std::string(writer) +
                  "0000000001000000");
}
constexpr std::string_view of_writers = "000003c2";
constexpr std::string_view of_readers = "000004c2";

TEST(Announcements, GetTheirParticipant) {
  const auto payload = bytes_of("000300005a001000");
  for (const auto writer : {of_writers, of_readers}) {
    const auto before = announcement(writer);
    const auto header = header_with_participant(before, payload);
    ASSERT_TRUE(header);
    EXPECT_EQ(header->size, 24U);
    auto expected = std::vector(before.end() - 24, before.end());
    expected[2] = std::byte{0x40 + participant_size};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), header->bytes.begin()));
  }
}

/// By the endpoint's guid: whose message it comes in does not tell.
TEST(Announcements, TellTheParticipantOfTheEndpoint) {
  const std::string before = "000300001500040002010000";
  const std::string guid = "5a0010000110aabbccddeeff0011223300001a03";
  const auto parameter = participant_parameter(bytes_of(before + guid + "01000000"));
  ASSERT_TRUE(parameter);
  EXPECT_EQ(std::vector(parameter->begin(), parameter->end()),
            bytes_of("500010000110aabbccddeeff00112233000001c1"));
  EXPECT_FALSE(participant_parameter(bytes_of(before + "01000000" + guid))) << "behind the end";
  EXPECT_FALSE(participant_parameter(bytes_of((before + guid).substr(0, 2 * 31)))) << "cut";
  EXPECT_FALSE(participant_parameter(bytes_of("000300005a00ff00" + guid)));
  EXPECT_FALSE(participant_parameter(bytes_of("0003")));
}

TEST(Announcements, OtherSubmessagesStayAsTheyAre) {
  const auto list = bytes_of("00030000");
  EXPECT_FALSE(header_with_participant(announcement("000100c2"), list)) << "of a participant";
  EXPECT_FALSE(header_with_participant(announcement("00001a03"), list)) << "of a user";
  EXPECT_FALSE(header_with_participant(announcement(of_writers, "09"), list)) << "a key: it ends";
  EXPECT_FALSE(header_with_participant(announcement(of_writers, "07"), list)) << "has inline QoS";
  EXPECT_FALSE(header_with_participant(announcement(of_writers), bytes_of("00010000")));
  EXPECT_FALSE(header_with_participant(announcement(of_writers), bytes_of("000300")));
  EXPECT_FALSE(header_with_participant(bytes_of("1505"), list));
  auto longest = announcement(of_writers);
  longest[longest.size() - 22] = longest[longest.size() - 21] = std::byte{0xff};
  EXPECT_FALSE(header_with_participant(longest, list)) << "its length would not fit";
}

TEST(ServiceForms, AreKnownByUserData) {
  EXPECT_EQ(form_of("serviceid= 1.2;typehash=RIHS01_00;"), ServiceForm::header);
  EXPECT_EQ(form_of("typehash=x;clientid= 1.2;"), ServiceForm::header);
  for (const char* text : {"", "typehash=RIHS01_00;", "xserviceid=1", "serviceid"}) {
    EXPECT_EQ(form_of(text), ServiceForm::related) << text;
  }
}

TEST(ServiceForms, ForeignClientsKeepApart) {
  const SampleIdentity request{reply_reader, 5};
  const auto identity = to_identity(request);
  ASSERT_TRUE(identity);
  EXPECT_EQ(related_from_identity(*identity), request);
  EXPECT_EQ(from_identity(*identity), std::nullopt);  // no client of the header's form
  pool::RequestIdentity own{reply_reader, 5};
  own.client.back() = 3;  // a gid of the pool
  EXPECT_EQ(related_from_identity(own), std::nullopt);
  EXPECT_EQ(to_identity(SampleIdentity{}), std::nullopt);
  SampleIdentity built_in = request;
  built_in.writer.back() = 0xc4;
  EXPECT_EQ(to_identity(built_in), std::nullopt);
}

}  // namespace
}  // namespace ligament::dds
