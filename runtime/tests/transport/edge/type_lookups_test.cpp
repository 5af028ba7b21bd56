// SPDX-License-Identifier: Apache-2.0
/// Samples of Fast DDS 3's answers about types, among other submessages.
#include "transport/dds/type_lookups.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ligament::dds {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_in(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

const std::string header = "525450530202010ffd780f01cc1f62cb00000000";
const std::string timestamp = "0901080034fc086b870c0c18";
/// Behind id, flags and length: to the inline QoS, reader, writer, number, payload.
const std::string to_reader = "00001000000301c4";
const std::string number = "0000000001000000";
const std::string payload = "0001000001020304";
const std::string answer = to_reader + "000301c3" + number + payload;
const std::string question = to_reader + "000300c3" + number + payload;

TEST(TypeLookups, AnswersLoseTheirPayloadAndOthersKeepIt) {
  const std::string before = header + timestamp + "15051c00" + question;
  auto datagram = bytes_in(before + "15051c00" + answer + timestamp + "15050000" + answer);
  const auto expected = bytes_in(before + "15011c00" + answer + timestamp + "15010000" + answer);
  EXPECT_EQ(empty_type_lookups(datagram), 2U);
  EXPECT_EQ(datagram, expected);
  EXPECT_EQ(empty_type_lookups(datagram), 0U) << "they have none any more";
}

TEST(TypeLookups, AreFoundInEitherByteOrder) {
  auto datagram = bytes_in(header + "1504001c" + answer + "1508001c" + answer);
  EXPECT_EQ(empty_type_lookups(datagram), 2U);
  EXPECT_EQ(datagram, bytes_in(header + "1500001c" + answer + "1500001c" + answer));
}

TEST(TypeLookups, OtherSubmessagesOfThatWriterStay) {
  auto datagram = bytes_in(header + "07011c00" + answer);
  const auto expected = datagram;
  EXPECT_EQ(empty_type_lookups(datagram), 0U);
  EXPECT_EQ(datagram, expected);
}

TEST(TypeLookups, AnyBytesMayCome) {
  const auto whole = bytes_in(header + timestamp + "15051c00" + answer);
  std::mt19937 random(7);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)empty_type_lookups(cut);
    for (int i = 0; i < 20 && size > 0; ++i) {
      cut[random() % size] = static_cast<std::byte>(random() % 256);
      (void)empty_type_lookups(cut);
    }
  }
}

}  // namespace
}  // namespace ligament::dds
