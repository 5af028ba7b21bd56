// SPDX-License-Identifier: Apache-2.0
/// The first acknowledgements of a reader: the engine's, and those of Fast DDS, as captured in ROS
/// 2 Jazzy.
#include "transport/dds/first_acks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ligament::dds {
namespace {

const std::string header = "525450530201011001108dbfb699ebad9469d2ee";
const std::string to_fastdds = "0e010c00010f78fd747a05cd00000000";
const std::string to_cyclone = "0e010c000110a289b3d2a6af431bf5b8";
const std::string by_engine = "06011800000200c7000200c200000000010000000000000000000000";
const std::string by_fastdds = "06011800000200c7000200c200000000000000000000000001000000";
/// The next one of that reader.
const std::string by_fastdds_again = "06011800000200c7000200c200000000000000000000000002000000";

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string hex_of(const pool::Gid& gid) {
  std::string hex;
  for (const std::uint8_t byte : gid) {
    hex += fmt::format("{:02x}", byte);
  }
  return hex;
}

struct Sent {
  std::size_t changed = 0;
  std::vector<std::byte> bytes;
  bool operator==(const Sent&) const = default;
};
Sent sent(const std::vector<std::string>& parts) {
  std::uint32_t count = 0;
  FirstAcks acks([&count](const pool::Gid& reader, const pool::Gid& writer) {
    EXPECT_EQ(hex_of(reader), header.substr(16) + "000200c7");
    EXPECT_EQ(hex_of(writer), to_fastdds.substr(8) + "000200c2");
    return ++count;
  });
  Sent result;
  for (const std::string& part : parts) {
    auto bytes = bytes_of(part);
    result.changed += acks.adapt(bytes);
    result.bytes.insert(result.bytes.end(), bytes.begin(), bytes.end());
  }
  return result;
}
Sent unchanged(const std::string& hex) { return {0, bytes_of(hex)}; }

TEST(FirstAcks, ToFastDdsHaveItsForm) {
  const Sent expected{1, bytes_of(header + to_fastdds + by_fastdds)};
  EXPECT_EQ(sent({header, to_fastdds + by_engine}), expected);
  EXPECT_EQ(sent({header, to_fastdds, by_engine}), expected);
  EXPECT_EQ(sent({header + to_fastdds + by_engine}), expected);
  EXPECT_EQ(sent({header, to_fastdds + by_fastdds}), (Sent{0, expected.bytes})) << "sent again";
}

/// Fast DDS answers each count once.
TEST(FirstAcks, EachHasACountOfItsOwn) {
  EXPECT_EQ(sent({header, to_fastdds, by_engine, by_engine}),
            (Sent{2, bytes_of(header + to_fastdds + by_fastdds + by_fastdds_again)}));
}

TEST(FirstAcks, ToOthersStayAsTheyAre) {
  EXPECT_EQ(sent({header, to_cyclone + by_engine}), unchanged(header + to_cyclone + by_engine));
  EXPECT_EQ(sent({header, by_engine}), unchanged(header + by_engine));
  const std::string both = to_cyclone + by_engine + to_fastdds + by_engine + to_cyclone;
  const std::string expected = to_cyclone + by_engine + to_fastdds + by_fastdds + to_cyclone;
  EXPECT_EQ(sent({header, both, by_engine}), (Sent{1, bytes_of(header + expected + by_engine)}));
}

/// A heartbeat was there, or something is missing: the engine's numbers are meant.
TEST(FirstAcks, LaterAcknowledgementsStayAsTheyAre) {
  const std::string before = header + to_fastdds;
  const std::string ids = "000200c7000200c2";
  for (const auto& later : {
           "06031800" + ids + "00000000010000000000000000000000",          // final
           "06011800" + ids + "00000000010000000000000001000000",          // counted
           "06011800" + ids + "00000000020000000000000000000000",          // from 2
           "06011800" + ids + "01000000010000000000000000000000",          // from 2^32 + 1
           "06011c00" + ids + "0000000001000000010000000000008000000000",  // one is missing
           "06001800" + ids + "00000000010000000000000000000000",          // big-endian, so to say
           "07011800" + ids + "00000000010000000000000000000000",          // no AckNack
       }) {
    EXPECT_EQ(sent({before, later}), unchanged(before + later));
  }
}

TEST(FirstAcks, PayloadsAreNoSubmessages) {
  const std::string data = "15053000000010000000140400001503" + std::string("0000000001000000");
  const std::string payload = to_fastdds + by_engine.substr(0, 24);
  EXPECT_EQ(sent({header, to_fastdds + data, payload}),
            unchanged(header + to_fastdds + data + payload));
  EXPECT_EQ(sent({header, to_fastdds + data, payload, by_engine}),
            (Sent{1, bytes_of(header + to_fastdds + data + payload + by_fastdds)}))
      << "behind a payload";
  std::string last = data;
  last.replace(4, 4, "0000");  // to the end of the message
  EXPECT_EQ(sent({header, to_fastdds + last, by_engine, by_engine}),
            unchanged(header + to_fastdds + last + by_engine + by_engine));
}

TEST(FirstAcks, EmptySubmessagesAreWalkedOver) {
  const std::string empty = "0101000009030000";  // padding; a timestamp that is taken back
  EXPECT_EQ(sent({header, to_fastdds + empty + by_engine}),
            (Sent{1, bytes_of(header + to_fastdds + empty + by_fastdds)}));
}

TEST(FirstAcks, CutDatagramsAreNotReadBeyondTheirEnd) {
  const std::string whole = header + to_fastdds + by_engine;
  for (std::size_t size = 0; size < whole.size(); size += 2) {
    EXPECT_EQ(sent({whole.substr(0, size)}), unchanged(whole.substr(0, size)));
  }
}

}  // namespace
}  // namespace ligament::dds
