// SPDX-License-Identifier: Apache-2.0
/// \file Reads the messages of an MCAP file in the order of the file. Nothing in it is believed
/// unchecked: each length has to fit into what it is in.
///
///   auto reader = McapReader::open("run_0.mcap").value();
///   while (auto message = reader->next().value()) {      // errors are sentences
///     reader->read(*message, into);                      // straight to where it is to be
///   }
///   reader->is_cut();      // the file ends in the middle: its recorder was killed
///
/// Summaries and indexes are not read: a file without them, whose recorder was killed, is read as
/// any other. Compressed chunks are refused.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ligament/expected.hpp"
#include "record/mcap.hpp"

namespace ligament::record {

struct StoredMessage {
  MessageFields fields;
  std::uint64_t at = 0;  ///< of the payload in the file
  std::uint64_t size = 0;
};

class McapReader {
 public:
  [[nodiscard]] static expected<std::unique_ptr<McapReader>, std::string> open(
      const std::filesystem::path& path);
  ~McapReader();
  McapReader(const McapReader&) = delete;
  McapReader& operator=(const McapReader&) = delete;

  /// Nothing: that was the last one. Its channel is known, and its channel's schema.
  [[nodiscard]] expected<std::optional<StoredMessage>, std::string> next();
  /// `into` is as large as the message.
  [[nodiscard]] expected<void, std::string> read(const StoredMessage& message,
                                                 std::span<std::byte> into) const;
  /// From the first message on again.
  void rewind();

  [[nodiscard]] const std::map<std::uint16_t, Channel>& channels() const { return channels_; }
  [[nodiscard]] const std::map<std::uint16_t, Schema>& schemas() const { return schemas_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& profile() const { return profile_; }

 private:
  struct Record {
    Opcode opcode{};
    std::uint64_t at = 0;  ///< of its content
    std::uint64_t size = 0;
    [[nodiscard]] std::uint64_t end() const { return at + size; }
  };
  McapReader(std::filesystem::path path, int fd, std::uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}
  [[nodiscard]] expected<void, std::string> begin();
  [[nodiscard]] expected<std::optional<Record>, std::string> next_record();
  [[nodiscard]] expected<StoredMessage, std::string> message_of(const Record& record);
  [[nodiscard]] expected<void, std::string> enter_chunk(const Record& record);
  [[nodiscard]] expected<void, std::string> learn(const Record& record);
  [[nodiscard]] expected<void, std::string> learn_schema(const std::vector<std::byte>& content,
                                                         std::uint64_t at);
  [[nodiscard]] expected<void, std::string> learn_channel(const std::vector<std::byte>& content,
                                                          std::uint64_t at);
  [[nodiscard]] bool fetch(std::uint64_t at, std::span<std::byte> into) const;
  [[nodiscard]] bool peek(std::uint64_t at, std::span<std::byte> into);
  [[nodiscard]] unexpected<std::string> wrong(std::uint64_t at, const std::string& what) const;

  std::filesystem::path path_;
  int fd_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;      ///< record after the header
  std::uint64_t at_ = 0;         ///< the next record
  std::uint64_t chunk_end_ = 0;  ///< 0: not within one
  bool is_cut_ = false;
  bool is_done_ = false;
  std::string profile_;
  std::map<std::uint16_t, Schema> schemas_;
  std::map<std::uint16_t, Channel> channels_;
  std::vector<std::byte> window_;  ///< of the file, for what is small
  std::uint64_t window_at_ = 0;
};

}  // namespace ligament::record
