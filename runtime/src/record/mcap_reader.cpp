// SPDX-License-Identifier: Apache-2.0
#include "record/mcap_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "record/fields.hpp"

namespace ligament::record {

namespace {

/// A schema or a channel is text; larger ones are none.
constexpr std::uint64_t largest_text_record = std::uint64_t{16} << 20;
constexpr std::size_t window_bytes = std::size_t{4} << 10;
/// Of a chunk that is not all there; so that no sum of offsets overflows.
constexpr std::uint64_t largest_record = std::uint64_t{1} << 62;

}  // namespace

expected<std::unique_ptr<McapReader>, std::string> McapReader::open(
    const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (fd < 0 || ::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    const std::string why = fd < 0 ? ::strerror(errno) : "no regular file";
    if (fd >= 0) {
      ::close(fd);
    }
    return unexpected<std::string>(fmt::format("{}: {}", path.string(), why));
  }
  std::unique_ptr<McapReader> self(
      new McapReader(path, fd, static_cast<std::uint64_t>(about.st_size)));
  if (auto begun = self->begin(); !begun) {
    return unexpected<std::string>(begun.error());
  }
  return self;
}

McapReader::~McapReader() { ::close(fd_); }

unexpected<std::string> McapReader::wrong(std::uint64_t at, const std::string& what) const {
  return unexpected<std::string>(fmt::format("{}: at byte {}: {}", path_.string(), at, what));
}

bool McapReader::fetch(std::uint64_t at, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;  // also a file that has become shorter since
    }
    into = into.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return true;
}

/// Of something small that lies within the file.
bool McapReader::peek(std::uint64_t at, std::span<std::byte> into) {
  const bool is_there = at >= window_at_ && into.size() <= window_.size() &&
                        at - window_at_ <= window_.size() - into.size();
  if (!is_there) {
    window_.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(window_bytes, into.size()), size_ - at)));
    window_at_ = at;
    if (!fetch(at, window_)) {
      window_.clear();
      return false;
    }
  }
  std::memcpy(into.data(), window_.data() + (at - window_at_), into.size());
  return true;
}

expected<void, std::string> McapReader::begin() {
  std::array<std::byte, mcap_magic.size()> magic{};
  if (size_ < magic.size() || !peek(0, magic) ||
      std::memcmp(magic.data(), mcap_magic.data(), magic.size()) != 0) {
    return unexpected<std::string>(fmt::format("{}: no MCAP file", path_.string()));
  }
  at_ = magic.size();
  const auto header = next_record();
  if (!header) {
    return unexpected<std::string>(header.error());
  }
  if (!*header || (*header)->opcode != Opcode::header || (*header)->size > largest_text_record) {
    return wrong(magic.size(), "no header");
  }
  std::vector<std::byte> content(static_cast<std::size_t>((*header)->size));
  Fields fields(content);
  if (!fetch((*header)->at, content)) {
    return wrong((*header)->at, "cannot be read");
  }
  profile_ = fields.text();
  (void)fields.text();
  if (!fields.is_good()) {
    return wrong((*header)->at, "a header whose lengths do not fit");
  }
  first_ = at_;
  return {};
}

void McapReader::rewind() {
  at_ = first_;
  chunk_end_ = 0;
  is_done_ = is_cut_ = false;
}

/// Nothing: the file ends here, maybe in the middle of a record. One that does not fit into its
/// chunk is an error: no recorder that was killed has left that.
expected<std::optional<McapReader::Record>, std::string> McapReader::next_record() {
  const bool is_in_chunk = chunk_end_ != 0;
  const std::uint64_t end = is_in_chunk ? std::min(chunk_end_, size_) : size_;
  std::array<std::byte, record_header_bytes> header{};
  const std::uint64_t left = end - at_;
  bool fits = left >= header.size();
  Record record;
  if (fits) {
    if (!peek(at_, header)) {
      return wrong(at_, "cannot be read");
    }
    record.opcode = static_cast<Opcode>(header[0]);
    std::memcpy(&record.size, header.data() + 1, sizeof record.size);
    record.at = at_ + header.size();
    fits = record.size <= left - header.size();
    // A chunk that was being written when its recorder was killed is read as far as it is there.
    const bool is_cut_chunk =
        !fits && !is_in_chunk && record.opcode == Opcode::chunk && record.size <= largest_record;
    if (is_cut_chunk && left - header.size() >= chunk_fields_bytes) {
      is_cut_ = true;
      at_ = size_;
      return record;
    }
  }
  if (!fits && is_in_chunk && chunk_end_ <= size_) {
    return wrong(at_, "a record that does not fit into its chunk");
  }
  if (!fits) {
    is_cut_ = true;
    return std::optional<Record>();
  }
  at_ = record.end();
  return record;
}

expected<std::optional<StoredMessage>, std::string> McapReader::next() {
  while (!is_done_) {
    if (chunk_end_ != 0 && at_ >= std::min(chunk_end_, size_)) {
      is_done_ = chunk_end_ > size_;
      at_ = std::min(chunk_end_, size_);
      chunk_end_ = 0;
      continue;
    }
    const auto record = next_record();
    if (!record) {
      return unexpected<std::string>(record.error());
    }
    if (!*record || (*record)->opcode == Opcode::data_end || (*record)->opcode == Opcode::footer) {
      break;
    }
    if ((*record)->opcode == Opcode::message) {
      auto message = message_of(**record);
      return message ? expected<std::optional<StoredMessage>, std::string>(*message)
                     : unexpected<std::string>(message.error());
    }
    if (auto learnt = learn(**record); !learnt) {
      return unexpected<std::string>(learnt.error());
    }
  }
  is_done_ = true;
  return std::optional<StoredMessage>();
}

expected<StoredMessage, std::string> McapReader::message_of(const Record& record) {
  std::array<std::byte, message_fields_bytes> bytes{};
  if (record.size < bytes.size()) {
    return wrong(record.at, "a message that is too short");
  }
  if (!peek(record.at, bytes)) {
    return wrong(record.at, "cannot be read");
  }
  Fields fields(bytes);
  StoredMessage message;
  message.fields.channel = fields.number<std::uint16_t>();
  message.fields.sequence = fields.number<std::uint32_t>();
  message.fields.log_time = fields.number<std::uint64_t>();
  message.fields.publish_time = fields.number<std::uint64_t>();
  message.at = record.at + bytes.size();
  message.size = record.size - bytes.size();
  if (!channels_.contains(message.fields.channel)) {
    return wrong(record.at, fmt::format("a message of channel {}, which is not known",
                                        message.fields.channel));
  }
  return message;
}

expected<void, std::string> McapReader::learn(const Record& record) {
  if (record.opcode == Opcode::chunk) {
    return enter_chunk(record);
  }
  if (record.opcode != Opcode::schema && record.opcode != Opcode::channel) {
    return {};
  }
  if (record.size > largest_text_record) {
    return wrong(record.at, "a schema or channel that is too large");
  }
  std::vector<std::byte> content(static_cast<std::size_t>(record.size));
  if (!fetch(record.at, content)) {
    return wrong(record.at, "cannot be read");
  }
  return record.opcode == Opcode::schema ? learn_schema(content, record.at)
                                         : learn_channel(content, record.at);
}

expected<void, std::string> McapReader::enter_chunk(const Record& record) {
  if (chunk_end_ != 0) {
    return wrong(record.at, "a chunk within a chunk");
  }
  // Times, size, CRC; then the compression's name and how long the records are.
  constexpr std::size_t fixed = 28;
  std::array<std::byte, chunk_fields_bytes + 32> bytes{};
  const std::uint64_t there = std::min(record.size, size_ - record.at);
  const std::span<std::byte> front(
      bytes.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), there)));
  if (there < chunk_fields_bytes || !peek(record.at, front)) {
    return wrong(record.at, "a chunk that is too short");
  }
  Fields fields(front.subspan(fixed));
  const std::string compression = fields.text();
  const auto records_bytes = fields.number<std::uint64_t>();
  if (fields.is_good() && !compression.empty()) {
    return wrong(record.at,
                 fmt::format("a chunk compressed with {}, which is not supported", compression));
  }
  if (!fields.is_good() || records_bytes != record.size - chunk_fields_bytes) {
    return wrong(record.at, "a chunk whose lengths do not fit");
  }
  at_ = record.at + chunk_fields_bytes;
  chunk_end_ = record.end();
  return {};
}

expected<void, std::string> McapReader::learn_schema(const std::vector<std::byte>& content,
                                                     std::uint64_t at) {
  Fields fields(content);
  Schema schema;
  schema.id = fields.number<std::uint16_t>();
  schema.name = fields.text();
  schema.encoding = fields.text();
  schema.text = fields.text();
  if (!fields.is_good() || schema.id == 0) {
    return wrong(at, "a schema whose lengths do not fit");
  }
  const auto [known, is_new] = schemas_.try_emplace(schema.id, schema);
  if (!is_new && known->second != schema) {
    return wrong(at, fmt::format("another schema {}", schema.id));
  }
  return {};
}

expected<void, std::string> McapReader::learn_channel(const std::vector<std::byte>& content,
                                                      std::uint64_t at) {
  Fields fields(content);
  Channel channel;
  channel.id = fields.number<std::uint16_t>();
  channel.schema = fields.number<std::uint16_t>();
  channel.topic = fields.text();
  channel.encoding = fields.text();
  channel.metadata = fields.map();
  if (!fields.is_good()) {
    return wrong(at, "a channel whose lengths do not fit");
  }
  if (channel.schema != 0 && !schemas_.contains(channel.schema)) {
    return wrong(at, fmt::format("channel {} has schema {}, which is not known", channel.topic,
                                 channel.schema));
  }
  const auto [known, is_new] = channels_.try_emplace(channel.id, channel);
  if (!is_new && known->second != channel) {
    return wrong(at, fmt::format("another channel {}", channel.id));
  }
  return {};
}

expected<void, std::string> McapReader::read(const StoredMessage& message,
                                             std::span<std::byte> into) const {
  return fetch(message.at, into) ? expected<void, std::string>()
                                 : wrong(message.at, "cannot be read");
}

}  // namespace ligament::record
