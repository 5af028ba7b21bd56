// SPDX-License-Identifier: Apache-2.0
/// \file A folder for one test, and files of recordings in it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record/mcap_reader.hpp"
#include "record/mcap_writer.hpp"

namespace ligament::record::test {

using ByteVector = std::vector<std::byte>;

inline ByteVector payload_of(std::size_t size, unsigned seed) {
  ByteVector payload(size);
  for (std::size_t i = 0; i < size; ++i) {
    payload[i] = static_cast<std::byte>((i * 31 + seed * 7) & 0xFF);
  }
  return payload;
}

class BagTest : public ::testing::Test {
 protected:
  BagTest() {
    std::string name = std::filesystem::temp_directory_path() / "ligament-bag-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~BagTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  /// Two channels; of `chunks` chunks each has three messages, of other sizes.
  std::filesystem::path write_sample(unsigned chunks, bool is_finished = true) {
    const auto file = path("sample_0.mcap");
    std::filesystem::remove(file);
    auto writer = McapWriter::create(file).value();
    for (unsigned i = 0; i < chunks; ++i) {
      Chunk chunk;
      if (i == 0) {
        chunk.add(Schema{1, "std_msgs/msg/String", "ros2msg", "string data\n"});
        chunk.add(Channel{1, 1, "/one", "cdr", {{"offered_qos_profiles", "[]"}}});
        chunk.add(Channel{2, 1, "/two", "cdr", {}});
      }
      for (unsigned k = 0; k < 3; ++k) {
        const unsigned number = 3 * i + k;
        chunk.add_copied({static_cast<std::uint16_t>(1 + k % 2), number, 1000 + number, number},
                         payload_of(5 + 10 * k, number));
      }
      EXPECT_TRUE(writer->write(chunk));
    }
    if (is_finished) {
      EXPECT_TRUE(writer->finish("version: 9"));
    }
    return file;
  }

  static ByteVector bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    ByteVector bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
  }
  void put(const std::filesystem::path& file, const ByteVector& bytes) const {
    std::filesystem::remove(file);  // a file that is cut short and written anew is slow
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::filesystem::path folder_;
};

/// What a file gives, to its end or to what is wrong with it.
struct ReadBack {
  std::vector<StoredMessage> messages;
  std::vector<ByteVector> payloads;
  bool is_opened = false;
  bool is_cut = false;
  std::string error;
};

inline ReadBack read_back(const std::filesystem::path& file) {
  ReadBack back;
  auto reader = McapReader::open(file);
  if (!reader) {
    back.error = reader.error();
    return back;
  }
  back.is_opened = true;
  for (;;) {
    const auto message = (*reader)->next();
    if (!message) {
      back.error = message.error();
      break;
    }
    if (!*message) {
      break;
    }
    const auto size = std::filesystem::file_size(file);
    if ((*message)->at > size || (*message)->size > size - (*message)->at) {
      ADD_FAILURE() << "a message beyond the file's end";
      break;
    }
    ByteVector payload((*message)->size);
    EXPECT_TRUE((*reader)->read(**message, payload));
    back.messages.push_back(**message);
    back.payloads.push_back(std::move(payload));
  }
  back.is_cut = (*reader)->is_cut();
  return back;
}

}  // namespace ligament::record::test
