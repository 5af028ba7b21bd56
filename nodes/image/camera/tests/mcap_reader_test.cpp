// SPDX-License-Identifier: Apache-2.0
#include "camera/mcap_reader.hpp"

#include <gmock/gmock.h>
#include <lz4frame.h>
#include <zstd.h>

#include "camera/decompress.hpp"
#include "camera/tests/mcap_bytes.hpp"

namespace ligament::nodes::image {
namespace {

using namespace mcap;  // NOLINT: the words of this test
using testing::ElementsAre;
using testing::HasSubstr;

struct Seen {
  std::vector<std::string> messages;
  std::string error;
};

Seen read_all(const std::string& bytes, McapOptions options = {}) {
  Seen seen;
  auto reader = McapReader::open(std::make_unique<MemoryInput>(bytes), std::move(options));
  if (!reader) return {{}, reader.error().text};
  while (true) {
    const auto message = (*reader)->next();
    if (!message) {
      seen.error = message.error().text;
      return seen;
    }
    if (!*message) return seen;
    const auto data = (*message)->data;
    seen.messages.push_back((*message)->topic->name + "=" +
                            std::string(reinterpret_cast<const char*>(data.data()), data.size()));
  }
}

std::string two_messages() {
  return schema(1, "std_msgs/msg/String") + channel(7, 1, "/a") + message(7, 10, "one") +
         message(7, 20, "two");
}

std::string zstd(const std::string& in) {
  std::string out(ZSTD_compressBound(in.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), in.data(), in.size(), 3));
  return out;
}

std::string lz4(const std::string& in) {
  std::string out(LZ4F_compressFrameBound(in.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), in.data(), in.size(), nullptr));
  return out;
}

TEST(McapReader, ReadsMessagesWithTopicAndType) {
  auto reader = McapReader::open(std::make_unique<MemoryInput>(file(two_messages())), {});
  ASSERT_TRUE(reader) << reader.error().text;
  const auto first = (*reader)->next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->topic->name, "/a");
  EXPECT_EQ((*first)->topic->type, "std_msgs/msg/String");
  EXPECT_EQ((*first)->topic->encoding, "cdr");
  EXPECT_EQ((*first)->log_time_ns, 10);
  EXPECT_EQ((*reader)->topics().size(), 1U);
}

TEST(McapReader, ReadsPlainAndCompressedChunks) {
  const std::string records = two_messages();
  const std::pair<const char*, std::string> forms[] = {
      {"", records}, {"zstd", zstd(records)}, {"lz4", lz4(records)}};
  for (const auto& [name, bytes] : forms) {
    const auto seen = read_all(file(chunk(bytes, name, records.size())));
    EXPECT_THAT(seen.messages, ElementsAre("/a=one", "/a=two")) << name << ": " << seen.error;
  }
}

TEST(McapReader, ChecksTheChecksumOfAChunk) {
  const std::string records = two_messages();
  const auto crc = crc32({reinterpret_cast<const std::byte*>(records.data()), records.size()});
  EXPECT_TRUE(read_all(file(chunk(records, "", records.size(), crc))).error.empty());
  EXPECT_THAT(read_all(file(chunk(records, "", records.size(), crc + 1))).error,
              HasSubstr("checksum"));
}

TEST(Crc32, IsZlibs) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32({reinterpret_cast<const std::byte*>(digits.data()), digits.size()}), 0xCBF43926U);
}

TEST(McapReader, StepsOverRecordsThatItDoesNotKnow) {
  const auto seen = read_all(file(record(0x0C, "metadata") + record(0x80, "private") +
                                  two_messages() + record(0x07, "an index")));
  EXPECT_THAT(seen.messages, ElementsAre("/a=one", "/a=two")) << seen.error;
}

TEST(McapReader, StartsAgain) {
  auto reader = McapReader::open(std::make_unique<MemoryInput>(file(two_messages())), {});
  ASSERT_TRUE(reader);
  for (int pass = 0; pass < 2; ++pass) {
    int count = 0;
    while (*(*reader)->next()) ++count;
    EXPECT_EQ(count, 2);
    ASSERT_TRUE((*reader)->rewind());
  }
}

TEST(McapReader, ReadsRosbagsMessageCompression) {
  McapOptions options;
  options.message_zstd = true;
  const auto seen =
      read_all(file(schema(1, "T") + channel(7, 1, "/a") + message(7, 1, zstd("one"))), options);
  EXPECT_THAT(seen.messages, ElementsAre("/a=one")) << seen.error;
}

TEST(McapReader, EveryTruncationIsAnErrorAfterTheWholeMessages) {
  const std::string whole = magic() + header() + two_messages();
  const std::string complete = file(two_messages());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto seen = read_all(complete.substr(0, length));
    EXPECT_FALSE(seen.error.empty()) << "cut after " << length << " bytes";
    EXPECT_LT(seen.messages.size(), 2U);
  }
  const auto cut = read_all(whole);
  EXPECT_EQ(cut.messages.size(), 2U) << "whole messages are delivered before the error";
  EXPECT_THAT(cut.error, HasSubstr("damaged"));
}

struct Broken {
  const char* what;
  std::string bytes;
  const char* error;
};

TEST(McapReader, SaysWhatIsWrong) {
  const std::string records = two_messages();
  const std::string inner = chunk(records, "", records.size());
  const std::string huge = number(std::uint8_t{6}) + number(~std::uint64_t{0});
  const Broken cases[] = {
      {"no magic", "PNG and so on", "magic"},
      {"empty", "", "magic"},
      {"record longer than the file", magic() + huge, "left in the file"},
      {"undeclared channel", file(message(3, 1, "x")), "channel 3"},
      {"short message", file(record(5, "ab")), "message is cut off"},
      {"short schema", file(record(3, "a")), "schema is cut off"},
      {"short channel", file(record(4, "a")), "channel is cut off"},
      {"short chunk", file(record(6, "a")), "chunk is cut off"},
      {"chunk of a wrong size", file(chunk(records, "", records.size() + 1)), "size"},
      {"garbage as zstd", file(chunk(records, "zstd", 100)), "zstd"},
      {"garbage as lz4", file(chunk(records, "lz4", 100)), "lz4"},
      {"lz4 longer than claimed", file(chunk(lz4(records), "lz4", records.size() - 1)), "lz4"},
      {"lz4 shorter than claimed", file(chunk(lz4(records), "lz4", records.size() + 1)), "lz4"},
      {"zstd shorter than claimed", file(chunk(zstd(records), "zstd", records.size() + 1)), "zstd"},
      {"unknown compression", file(chunk(records, "brotli", records.size())), "brotli"},
      {"chunk in a chunk", file(chunk(inner, "", inner.size())), "inside a chunk"},
      {"bomb", file(chunk(records, "zstd", std::uint64_t{1} << 40)), "limit"},
  };
  for (const Broken& broken : cases) {
    EXPECT_THAT(read_all(broken.bytes).error, HasSubstr(broken.error)) << broken.what;
  }
}

}  // namespace
}  // namespace ligament::nodes::image
