// SPDX-License-Identifier: Apache-2.0
/// \file Writes an MCAP file, chunk by chunk, so that at any moment what is there can be read: no
/// record is written before its length is known, and none is changed later.
///
///   auto writer = McapWriter::create("run_0.mcap").value();
///   Chunk chunk;  chunk.add(schema);  chunk.add(channel);  chunk.add_copied(fields, payload);
///   auto written = writer->write(chunk);
///   auto finished = writer->finish(yaml);         // the summary, for those who seek
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ligament/expected.hpp"
#include "record/chunk.hpp"

namespace ligament::record {

struct ChunkIndex {
  std::uint64_t first_time = 0;
  std::uint64_t last_time = 0;
  std::uint64_t start = 0;                                 ///< of the chunk's record in the file
  std::uint64_t length = 0;                                ///< of the whole record
  std::map<std::uint16_t, std::uint64_t> message_indexes;  ///< channel -> where its record starts
  std::uint64_t message_index_length = 0;
  std::uint64_t records_bytes = 0;
};

/// What a file holds, as its summary says it.
struct Contents {
  std::vector<Schema> schemas;
  std::vector<Channel> channels;
  std::vector<ChunkIndex> chunks;
  std::map<std::uint16_t, std::uint64_t> counts;  ///< messages by channel
  std::uint64_t messages = 0;
  std::uint64_t first_time = 0;  ///< 0 while there are none
  std::uint64_t last_time = 0;
};

class McapWriter {
 public:
  /// The file must not exist yet.
  [[nodiscard]] static expected<std::unique_ptr<McapWriter>, std::string> create(
      const std::filesystem::path& path);
  ~McapWriter();
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  /// From where the messages lie, in as few system calls as the kernel lets us. After an error the
  /// file ends with the last whole chunk.
  [[nodiscard]] expected<void, std::string> write(Chunk& chunk);
  /// `yaml`: what rosbag2 keeps in the file of its metadata.yaml.
  [[nodiscard]] expected<void, std::string> finish(const std::string& yaml);

  [[nodiscard]] const Contents& contents() const { return contents_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  McapWriter(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  [[nodiscard]] expected<void, std::string> write_all(std::vector<iovec> pieces);
  [[nodiscard]] expected<void, std::string> write_all(const Bytes& bytes);
  void remember(const ChunkIndex& index, const Chunk& chunk, const Chunk::Layout& layout);

  std::filesystem::path path_;
  int fd_;
  std::uint64_t size_ = 0;
  Contents contents_;
};

}  // namespace ligament::record
