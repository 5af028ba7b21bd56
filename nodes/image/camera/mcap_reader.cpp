// SPDX-License-Identifier: Apache-2.0
#include "camera/mcap_reader.hpp"

#include <array>
#include <cstring>
#include <fstream>

#include "camera/decompress.hpp"

namespace ligament::nodes::image {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
constexpr std::size_t kRecordHeader = 9;  // opcode and length

enum Opcode : std::uint8_t {
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kDataEnd = 0x0F,
};

class FileInput final : public McapInput {
 public:
  explicit FileInput(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    stream_.seekg(0, std::ios::end);
    const auto end = stream_.tellg();
    size_ = end < 0 ? 0 : static_cast<std::uint64_t>(end);
  }
  std::uint64_t size() const override { return size_; }
  bool read(std::uint64_t offset, std::span<std::byte> out) override {
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    return static_cast<std::size_t>(stream_.gcount()) == out.size();
  }

 private:
  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

}  // namespace

// Files are little-endian, as are the machines we run on.
template <typename T>
bool McapCursor::number(T& out) {
  if (left_.size() < sizeof(T)) return false;
  std::memcpy(&out, left_.data(), sizeof(T));
  left_ = left_.subspan(sizeof(T));
  return true;
}

bool McapCursor::bytes(std::uint64_t count, std::span<const std::byte>& out) {
  if (count > left_.size()) return false;
  out = left_.first(static_cast<std::size_t>(count));
  left_ = left_.subspan(static_cast<std::size_t>(count));
  return true;
}

bool McapCursor::text(std::string& out) {
  std::uint32_t length = 0;
  std::span<const std::byte> found;
  if (!number(length) || !bytes(length, found)) return false;
  out.assign(reinterpret_cast<const char*>(found.data()), found.size());
  return true;
}

unexpected<SourceError> McapReader::corrupt(const std::string& what) const {
  return source_error(SourceErrorCode::corrupt,
                      "recording '" + options_.name + "' is damaged: " + what +
                          " (record at byte " + std::to_string(record_at_) +
                          "); copy it again, or repair it with `mcap recover`");
}

expected<std::unique_ptr<McapReader>, SourceError> McapReader::open(
    std::unique_ptr<McapInput> input, McapOptions options) {
  std::unique_ptr<McapReader> reader(new McapReader(std::move(input), std::move(options)));
  std::array<std::byte, kMagic.size()> magic{};
  if (!reader->input_->read(0, magic) ||
      std::memcmp(magic.data(), kMagic.data(), magic.size()) != 0) {
    return source_error(SourceErrorCode::corrupt,
                        "'" + reader->options_.name +
                            "' is no MCAP recording (it does not begin with MCAP's magic bytes); "
                            "check the file");
  }
  if (auto rewound = reader->rewind(); !rewound) return unexpected<SourceError>(rewound.error());
  return reader;
}

expected<void, SourceError> McapReader::rewind() {
  offset_ = kMagic.size();
  in_chunk_ = false;
  at_end_ = false;
  return {};
}

std::vector<BagTopic> McapReader::topics() const {
  std::vector<BagTopic> all;
  all.reserve(channels_.size());
  for (const auto& [id, topic] : channels_) all.push_back(topic);
  return all;
}

expected<std::optional<McapReader::Record>, SourceError> McapReader::next_in_chunk() {
  if (chunk_offset_ == chunk_.size()) {
    in_chunk_ = false;
    return std::optional<Record>();
  }
  McapCursor cursor(std::span<const std::byte>(chunk_).subspan(chunk_offset_));
  Record record;
  std::uint64_t length = 0;
  if (!cursor.number(record.opcode) || !cursor.number(length) ||
      !cursor.bytes(length, record.content)) {
    return corrupt("a record in a chunk is longer than the chunk");
  }
  chunk_offset_ += kRecordHeader + record.content.size();
  return std::optional<Record>(record);
}

expected<std::optional<McapReader::Record>, SourceError> McapReader::next_in_file() {
  record_at_ = offset_;
  std::array<std::byte, kRecordHeader> header{};
  if (!input_->read(offset_, header)) {
    return corrupt("it ends without the record that closes the data");
  }
  McapCursor cursor(header);
  Record record;
  std::uint64_t length = 0;
  if (!cursor.number(record.opcode) || !cursor.number(length)) return corrupt("no record header");
  const std::uint64_t left = input_->size() - offset_ - kRecordHeader;
  if (length > left) {
    return corrupt("a record of " + std::to_string(length) + " bytes has only " +
                   std::to_string(left) + " left in the file");
  }
  const bool wanted = record.opcode >= kSchema && record.opcode <= kChunk;
  record_.resize(wanted ? static_cast<std::size_t>(length) : 0);
  if (wanted && !input_->read(offset_ + kRecordHeader, record_)) {
    return corrupt("the file got shorter while it was read");
  }
  offset_ += kRecordHeader + length;
  record.content = record_;
  return std::optional<Record>(record);
}

expected<std::optional<McapReader::Record>, SourceError> McapReader::next_record() {
  if (in_chunk_) {
    auto record = next_in_chunk();
    if (!record || *record) return record;
  }
  if (at_end_) return std::optional<Record>();
  return next_in_file();
}

expected<std::optional<BagMessage>, SourceError> McapReader::next() {
  while (true) {
    const auto record = next_record();
    if (!record) return unexpected<SourceError>(record.error());
    if (!*record) return std::optional<BagMessage>();
    const auto content = (*record)->content;
    expected<void, SourceError> done;
    switch ((*record)->opcode) {
      case kSchema:
        done = on_schema(content);
        break;
      case kChannel:
        done = on_channel(content);
        break;
      case kChunk:
        done = in_chunk_ ? corrupt("a chunk inside a chunk") : on_chunk(content);
        break;
      case kMessage: {
        auto message = on_message(content);
        if (!message) return unexpected<SourceError>(message.error());
        return std::optional<BagMessage>(*message);
      }
      case kDataEnd:
      case kFooter:
        if (in_chunk_) return corrupt("the end of the data inside a chunk");
        at_end_ = true;
        break;
      default:
        break;  // indexes, attachments, metadata, and records of later versions
    }
    if (!done) return unexpected<SourceError>(done.error());
  }
}

expected<void, SourceError> McapReader::on_schema(std::span<const std::byte> content) {
  McapCursor cursor(content);
  std::uint16_t id = 0;
  std::string name;
  if (!cursor.number(id) || !cursor.text(name)) return corrupt("a schema is cut off");
  schemas_[id] = std::move(name);
  return {};
}

expected<void, SourceError> McapReader::on_channel(std::span<const std::byte> content) {
  McapCursor cursor(content);
  std::uint16_t id = 0;
  std::uint16_t schema = 0;
  BagTopic topic;
  if (!cursor.number(id) || !cursor.number(schema) || !cursor.text(topic.name) ||
      !cursor.text(topic.encoding)) {
    return corrupt("a channel is cut off");
  }
  const auto found = schemas_.find(schema);
  if (found != schemas_.end()) topic.type = found->second;
  // Messages hold pointers to topics: a repeated channel must not move or change them.
  channels_.try_emplace(id, std::move(topic));
  return {};
}

expected<void, SourceError> McapReader::on_chunk(std::span<const std::byte> content) {
  McapCursor cursor(content);
  std::uint64_t ignored = 0;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  std::string compression;
  std::uint64_t stored = 0;
  std::span<const std::byte> records;
  if (!cursor.number(ignored) || !cursor.number(ignored) || !cursor.number(size) ||
      !cursor.number(crc) || !cursor.text(compression) || !cursor.number(stored) ||
      !cursor.bytes(stored, records)) {
    return corrupt("a chunk is cut off");
  }
  if (size > options_.max_chunk_bytes) {
    return corrupt("a chunk claims " + std::to_string(size) + " bytes, more than the limit of " +
                   std::to_string(options_.max_chunk_bytes));
  }
  expected<void, DecompressError> done;
  if (compression.empty()) {
    if (records.size() != size) return corrupt("a chunk has not the size that it claims");
    chunk_.assign(records.begin(), records.end());
  } else if (compression == "zstd") {
    done = decompress_zstd(records, static_cast<std::size_t>(size), chunk_);
  } else if (compression == "lz4") {
    done = decompress_lz4(records, static_cast<std::size_t>(size), chunk_);
  } else {
    return source_error(SourceErrorCode::unsupported,
                        "recording '" + options_.name + "' uses the chunk compression '" +
                            compression + "'; only zstd and lz4 are read");
  }
  if (!done) return corrupt("a " + compression + " chunk cannot be decompressed");
  if (crc != 0 && crc32(chunk_) != crc) return corrupt("a chunk's checksum is wrong");
  in_chunk_ = true;
  chunk_offset_ = 0;
  return {};
}

expected<BagMessage, SourceError> McapReader::on_message(std::span<const std::byte> content) {
  McapCursor cursor(content);
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  std::uint64_t log_time = 0;
  std::uint64_t publish_time = 0;
  if (!cursor.number(channel) || !cursor.number(sequence) || !cursor.number(log_time) ||
      !cursor.number(publish_time)) {
    return corrupt("a message is cut off");
  }
  const auto topic = channels_.find(channel);
  if (topic == channels_.end()) {
    return corrupt("a message on channel " + std::to_string(channel) + ", which was not declared");
  }
  BagMessage message{&topic->second, static_cast<std::int64_t>(log_time), cursor.rest()};
  if (options_.message_zstd) {
    if (!decompress_zstd_message(message.data, options_.max_chunk_bytes, message_)) {
      return corrupt("a zstd message cannot be decompressed");
    }
    message.data = message_;
  }
  return message;
}

BagResult open_mcap(const std::filesystem::path& path, bool message_zstd) {
  McapOptions options;
  options.name = path.string();
  options.message_zstd = message_zstd;
  return McapReader::open(std::make_unique<FileInput>(path), std::move(options));
}

}  // namespace ligament::nodes::image
