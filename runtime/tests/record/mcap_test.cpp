// SPDX-License-Identifier: Apache-2.0
/// What is written is read; a file that ends early gives what is whole; nonsense is refused.
#include <random>

#include "bag_fixture.hpp"

namespace ligament::record::test {
namespace {

using McapTest = BagTest;

TEST_F(McapTest, WhatIsWrittenIsRead) {
  const ReadBack back = read_back(write_sample(4));
  EXPECT_EQ(back.error, "");
  EXPECT_FALSE(back.is_cut);
  ASSERT_EQ(back.messages.size(), 12U);
  for (unsigned i = 0; i < 12; ++i) {
    EXPECT_EQ(back.messages[i].fields.sequence, i);
    EXPECT_EQ(back.messages[i].fields.log_time, 1000 + i);
    EXPECT_EQ(back.messages[i].fields.publish_time, i);
    EXPECT_EQ(back.messages[i].fields.channel, 1 + i % 3 % 2);
    EXPECT_EQ(back.payloads[i], payload_of(5 + std::size_t{10} * (i % 3), i));
  }
}

TEST_F(McapTest, AMessageIsWhereItsIndexesSay) {
  const auto file = path("indexed_0.mcap");
  auto writer = McapWriter::create(file).value();
  Chunk chunk;
  chunk.add(Schema{1, "a/msg/B", "", ""});
  chunk.add(Channel{1, 1, "/t", "cdr", {}});
  chunk.add_copied({1, 1, 30, 0}, payload_of(9, 1));
  chunk.add_copied({1, 2, 10, 0}, payload_of(9, 2));
  ASSERT_TRUE(writer->write(chunk));
  ASSERT_TRUE(writer->finish(""));
  const ByteVector bytes = bytes_of(file);
  const ChunkIndex& index = writer->contents().chunks.at(0);
  EXPECT_EQ(bytes.at(index.start), std::byte{6});
  EXPECT_EQ(index.first_time, 10U);
  EXPECT_EQ(index.last_time, 30U);
  const std::uint64_t at = index.message_indexes.at(1);
  EXPECT_EQ(bytes.at(at), std::byte{7});
  EXPECT_EQ(at, index.start + index.length);
  // Record header, channel, length of the list; then the first entry, which is the earlier message.
  std::uint64_t entry[2];
  std::memcpy(entry, bytes.data() + at + 9 + 2 + 4, sizeof entry);
  EXPECT_EQ(entry[0], 10U);
  const std::uint64_t record = index.start + 9 + 40 + entry[1];
  EXPECT_EQ(bytes.at(record), std::byte{5});
  std::uint32_t sequence = 0;
  std::memcpy(&sequence, bytes.data() + record + 9 + 2, sizeof sequence);
  EXPECT_EQ(sequence, 2U);
}

TEST_F(McapTest, OfACutFileEachWholeMessageIsRead) {
  const auto file = write_sample(3, false);
  const ByteVector bytes = bytes_of(file);
  const ReadBack whole = read_back(file);
  ASSERT_EQ(whole.messages.size(), 9U);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    put(file, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    const ReadBack back = read_back(file);
    std::size_t expected = 0;
    while (expected < 9 && whole.messages[expected].at + whole.messages[expected].size <= size) {
      ++expected;
    }
    ASSERT_EQ(back.messages.size(), expected) << "of " << size << " bytes: " << back.error;
    if (back.is_opened) {
      EXPECT_TRUE(back.is_cut);
      EXPECT_EQ(back.error, "") << "of " << size << " bytes";
    }
  }
}

TEST_F(McapTest, WithoutAnEndItIsCut) {
  const ReadBack back = read_back(write_sample(2, false));
  EXPECT_TRUE(back.is_cut);
  EXPECT_EQ(back.messages.size(), 6U);
}

/// Each byte takes each of some values; each run of 4 or 8 bytes those that a length may be made.
TEST_F(McapTest, NoChangedByteLeadsOutOfTheFile) {
  const auto file = write_sample(2);
  const ByteVector bytes = bytes_of(file);
  unsigned refused = 0;
  const auto try_with = [&](std::size_t at, const void* value, std::size_t size) {
    ByteVector changed = bytes;
    std::memcpy(changed.data() + at, value, std::min(size, changed.size() - at));
    put(file, changed);
    refused += read_back(file).error.empty() ? 0 : 1;
  };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x05U, 0x06U, 0x7FU, 0x80U, 0xFFU}) {
      try_with(at, &value, 1);
    }
    for (const std::uint64_t value :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 62) + 7,
          ~std::uint64_t{0} - 8, std::uint64_t{bytes.size()}}) {
      try_with(at, &value, sizeof(std::uint32_t));
      try_with(at, &value, sizeof value);
    }
  }
  EXPECT_GT(refused, 100U);
}

TEST_F(McapTest, RandomDamageNeverLeadsOutOfTheFile) {
  const auto file = write_sample(4);
  const ByteVector bytes = bytes_of(file);
  std::mt19937 random(17);
  for (unsigned round = 0; round < 3000; ++round) {
    ByteVector changed = bytes;
    for (unsigned i = 0; i < 1 + round % 8; ++i) {
      changed[random() % changed.size()] = static_cast<std::byte>(random());
    }
    if (round % 3 == 0) {
      changed.resize(random() % changed.size());
    }
    put(file, changed);
    (void)read_back(file);
  }
}

TEST_F(McapTest, AChunkThatSaysMoreThanItHoldsIsRefused) {
  const auto file = write_sample(1);
  ByteVector bytes = bytes_of(file);
  const ReadBack before = read_back(file);
  // The length of the first message's record, 8 bytes before its 22 bytes of fields.
  const std::size_t at = before.messages.at(0).at - 22 - 8;
  const std::uint64_t length = bytes.size();
  std::memcpy(bytes.data() + at, &length, sizeof length);
  bytes.resize(2 * bytes.size());  // so that it would fit into the file
  put(file, bytes);
  const ReadBack after = read_back(file);
  EXPECT_NE(after.error.find("does not fit into its chunk"), std::string::npos) << after.error;
  EXPECT_TRUE(after.messages.empty());
}

TEST_F(McapTest, CompressedChunksAreRefusedByName) {
  const auto file = path("zstd_0.mcap");
  Bytes bytes;
  bytes.append(mcap_magic.data(), mcap_magic.size());
  const std::size_t header = bytes.begin(Opcode::header);
  bytes.put(std::string_view("ros2"));
  bytes.put(std::string_view("other"));
  bytes.end(header);
  const std::size_t chunk = bytes.begin(Opcode::chunk);
  for (int i = 0; i < 3; ++i) {
    bytes.put(std::uint64_t{100});
  }
  bytes.put(std::uint32_t{0});
  bytes.put(std::string_view("zstd"));
  bytes.put(std::uint64_t{8});
  bytes.put(std::uint64_t{0});
  bytes.end(chunk);
  put(file, {bytes.span().begin(), bytes.span().end()});
  EXPECT_NE(read_back(file).error.find("zstd"), std::string::npos);
}

TEST_F(McapTest, AFileThatIsThereIsNotWrittenOver) {
  const auto file = write_sample(1);
  EXPECT_FALSE(McapWriter::create(file));
  EXPECT_EQ(read_back(file).messages.size(), 3U);
}

TEST_F(McapTest, NoMcapFileIsNamed) {
  put(path("text.mcap"), payload_of(100, 1));
  EXPECT_NE(read_back(path("text.mcap")).error.find("no MCAP file"), std::string::npos);
  EXPECT_NE(read_back(path("none.mcap")).error.find("No such file"), std::string::npos);
  EXPECT_NE(read_back(path("")).error.find("no regular file"), std::string::npos);
}

}  // namespace
}  // namespace ligament::record::test
