// SPDX-License-Identifier: Apache-2.0
/// \file A reader of MCAP's data section, front to back.
///
/// An MCAP file is a magic, then records {opcode u8, length u64, content}, then the magic again. We
/// read Schema, Channel, Message and Chunk and step over all others by their length, as the format
/// asks of readers. The index at the end is not used: a recording that was cut off by a crash gives
/// all its whole records, and then an error that says at which byte it breaks off.
///
/// Memory is bounded by the largest record of the file, and by `max_chunk_bytes` once decompressed.
#pragma once

#include <map>

#include "camera/bag_reader.hpp"

namespace ligament::nodes::image {

/// Random access to the bytes of a file, or of a test.
class McapInput {
 public:
  McapInput() = default;
  McapInput(const McapInput&) = delete;
  McapInput& operator=(const McapInput&) = delete;
  virtual ~McapInput() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// Fills `out` from `offset`; false if the bytes are not there.
  [[nodiscard]] virtual bool read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

struct McapOptions {
  std::string name = "recording";              ///< for errors
  std::uint64_t max_chunk_bytes = 1ULL << 30;  ///< a larger decompressed chunk is refused
  bool message_zstd = false;                   ///< rosbag2's MESSAGE compression on top
};

/// Cuts fields off the front of a record; every read says whether the bytes were there.
class McapCursor {
 public:
  explicit McapCursor(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename T>
  [[nodiscard]] bool number(T& out);
  [[nodiscard]] bool text(std::string& out);
  [[nodiscard]] bool bytes(std::uint64_t count, std::span<const std::byte>& out);
  [[nodiscard]] std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

class McapReader final : public BagReader {
 public:
  /// Checks the magic.
  [[nodiscard]] static expected<std::unique_ptr<McapReader>, SourceError> open(
      std::unique_ptr<McapInput> input, McapOptions options);

  expected<std::optional<BagMessage>, SourceError> next() override;
  expected<void, SourceError> rewind() override;
  std::vector<BagTopic> topics() const override;

 private:
  struct Record {
    std::uint8_t opcode = 0;
    std::span<const std::byte> content;
  };

  McapReader(std::unique_ptr<McapInput> input, McapOptions options)
      : input_(std::move(input)), options_(std::move(options)) {}

  [[nodiscard]] expected<std::optional<Record>, SourceError> next_record();
  [[nodiscard]] expected<std::optional<Record>, SourceError> next_in_chunk();
  [[nodiscard]] expected<std::optional<Record>, SourceError> next_in_file();
  [[nodiscard]] expected<void, SourceError> on_schema(std::span<const std::byte> content);
  [[nodiscard]] expected<void, SourceError> on_channel(std::span<const std::byte> content);
  [[nodiscard]] expected<void, SourceError> on_chunk(std::span<const std::byte> content);
  [[nodiscard]] expected<BagMessage, SourceError> on_message(std::span<const std::byte> content);
  [[nodiscard]] unexpected<SourceError> corrupt(const std::string& what) const;

  std::unique_ptr<McapInput> input_;
  McapOptions options_;
  std::uint64_t offset_ = 0;     ///< next record in the file
  std::uint64_t record_at_ = 0;  ///< the current one, for errors
  bool in_chunk_ = false;
  bool at_end_ = false;
  std::size_t chunk_offset_ = 0;
  std::vector<std::byte> record_;   ///< content of the current record of the file
  std::vector<std::byte> chunk_;    ///< decompressed records
  std::vector<std::byte> message_;  ///< decompressed message
  std::map<std::uint16_t, std::string> schemas_;
  std::map<std::uint16_t, BagTopic> channels_;
};

}  // namespace ligament::nodes::image
