// SPDX-License-Identifier: Apache-2.0
#include "record/mcap_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <functional>

namespace ligament::record {

namespace {

iovec piece_of(const Bytes& bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};  // NOLINT: as in chunk.cpp
}

/// Leaves out what has been written of the pieces from `first` on.
std::size_t skip(std::vector<iovec>& pieces, std::size_t first, std::size_t written) {
  while (first < pieces.size() && written >= pieces[first].iov_len) {
    written -= pieces[first].iov_len;
    ++first;
  }
  if (first < pieces.size()) {
    pieces[first].iov_base = static_cast<std::byte*>(pieces[first].iov_base) + written;
    pieces[first].iov_len -= written;
  }
  return first;
}

/// Everything before the messages of a chunk: what they need to be known, then the chunk's fields.
std::size_t put_front(Bytes& out, const Chunk& chunk, const Chunk::Layout& layout) {
  for (const Schema& schema : chunk.schemas()) {
    put_schema(out, schema);
  }
  for (const Channel& channel : chunk.channels()) {
    put_channel(out, channel);
  }
  const std::size_t start = out.size();
  if (chunk.messages() == 0) {
    return start;
  }
  const std::size_t record = out.begin(Opcode::chunk);
  out.put(layout.first_time);
  out.put(layout.last_time);
  out.put(std::uint64_t{chunk.bytes()});
  out.put(std::uint32_t{0});    // no CRC
  out.put(std::string_view());  // not compressed
  out.put(std::uint64_t{chunk.bytes()});
  out.end(record, chunk.bytes());
  return start;
}

void put_message_index(Bytes& out, std::uint16_t channel,
                       const Chunk::Index::mapped_type& messages) {
  const std::size_t record = out.begin(Opcode::message_index);
  out.put(channel);
  out.put(static_cast<std::uint32_t>(16 * messages.size()));
  for (const auto& [time, offset] : messages) {
    out.put(time);
    out.put(offset);
  }
  out.end(record);
}

void put_chunk_index(Bytes& out, const ChunkIndex& index) {
  const std::size_t record = out.begin(Opcode::chunk_index);
  out.put(index.first_time);
  out.put(index.last_time);
  out.put(index.start);
  out.put(index.length);
  out.put(static_cast<std::uint32_t>(10 * index.message_indexes.size()));
  for (const auto& [channel, offset] : index.message_indexes) {
    out.put(channel);
    out.put(offset);
  }
  out.put(index.message_index_length);
  out.put(std::string_view());
  out.put(index.records_bytes);
  out.put(index.records_bytes);
  out.end(record);
}

void put_statistics(Bytes& out, const Contents& contents) {
  const std::size_t record = out.begin(Opcode::statistics);
  out.put(contents.messages);
  out.put(static_cast<std::uint16_t>(contents.schemas.size()));
  out.put(static_cast<std::uint32_t>(contents.channels.size()));
  out.put(std::uint32_t{0});  // attachments
  out.put(std::uint32_t{1});  // metadata
  out.put(static_cast<std::uint32_t>(contents.chunks.size()));
  out.put(contents.first_time);
  out.put(contents.last_time);
  out.put(static_cast<std::uint32_t>(10 * contents.counts.size()));
  for (const auto& [channel, count] : contents.counts) {
    out.put(channel);
    out.put(count);
  }
  out.end(record);
}

/// The summary in groups of one opcode, and where each lies. `start`: where the summary does.
struct Summary {
  Bytes bytes;
  Bytes offsets;
  std::uint64_t start;

  void group(Opcode opcode, const std::function<void(Bytes&)>& put) {
    const std::uint64_t before = bytes.size();
    put(bytes);
    if (bytes.size() == before) {
      return;
    }
    const std::size_t record = offsets.begin(Opcode::summary_offset);
    offsets.put(static_cast<std::uint8_t>(opcode));
    offsets.put(start + before);
    offsets.put(std::uint64_t{bytes.size() - before});
    offsets.end(record);
  }
};

struct Extent {
  std::uint64_t start = 0;
  std::uint64_t length = 0;
};

void put_metadata_index(Bytes& out, const Extent& metadata) {
  const std::size_t record = out.begin(Opcode::metadata_index);
  out.put(metadata.start);
  out.put(metadata.length);
  out.put(std::string_view("rosbag2"));
  out.end(record);
}

void fill(Summary& summary, const Contents& contents, const Extent& metadata) {
  summary.group(Opcode::schema, [&](Bytes& out) {
    for (const Schema& schema : contents.schemas) {
      put_schema(out, schema);
    }
  });
  summary.group(Opcode::channel, [&](Bytes& out) {
    for (const Channel& channel : contents.channels) {
      put_channel(out, channel);
    }
  });
  summary.group(Opcode::chunk_index, [&](Bytes& out) {
    for (const ChunkIndex& index : contents.chunks) {
      put_chunk_index(out, index);
    }
  });
  summary.group(Opcode::metadata_index, [&](Bytes& out) { put_metadata_index(out, metadata); });
  summary.group(Opcode::statistics, [&](Bytes& out) { put_statistics(out, contents); });
}

}  // namespace

expected<std::unique_ptr<McapWriter>, std::string> McapWriter::create(
    const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) {
    return unexpected<std::string>(fmt::format("{}: {}", path.string(), ::strerror(errno)));
  }
  std::unique_ptr<McapWriter> self(new McapWriter(path, fd));
  Bytes start;
  start.append(mcap_magic.data(), mcap_magic.size());
  const std::size_t header = start.begin(Opcode::header);
  start.put(std::string_view("ros2"));
  start.put(std::string_view("ligament"));
  start.end(header);
  if (auto written = self->write_all(start); !written) {
    return unexpected<std::string>(written.error());
  }
  return self;
}

McapWriter::~McapWriter() { ::close(fd_); }

expected<void, std::string> McapWriter::write_all(const Bytes& bytes) {
  return write_all(std::vector<iovec>{piece_of(bytes)});
}

expected<void, std::string> McapWriter::write_all(std::vector<iovec> pieces) {
  std::uint64_t at = size_;
  std::size_t first = 0;
  while (first < pieces.size()) {
    const auto count = static_cast<int>(std::min<std::size_t>(pieces.size() - first, IOV_MAX));
    const ssize_t written = ::pwritev(fd_, &pieces[first], count, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      const int error = errno;
      (void)::ftruncate(fd_, static_cast<off_t>(size_));
      return unexpected<std::string>(fmt::format("{}: {}", path_.string(), ::strerror(error)));
    }
    at += static_cast<std::uint64_t>(written);
    first = skip(pieces, first, static_cast<std::size_t>(written));
  }
  size_ = at;
  return {};
}

expected<void, std::string> McapWriter::write(Chunk& chunk) {
  Chunk::Layout layout = chunk.layout();
  Bytes front;
  Bytes back;
  ChunkIndex index;
  index.start = size_ + put_front(front, chunk, layout);
  index.first_time = layout.first_time;
  index.last_time = layout.last_time;
  index.records_bytes = chunk.bytes();
  const std::uint64_t end = size_ + front.size() + chunk.bytes();
  index.length = end - index.start;
  for (const auto& [channel, messages] : layout.index) {
    index.message_indexes[channel] = end + back.size();
    put_message_index(back, channel, messages);
  }
  index.message_index_length = back.size();
  layout.pieces.insert(layout.pieces.begin(), piece_of(front));
  layout.pieces.push_back(piece_of(back));
  if (auto written = write_all(std::move(layout.pieces)); !written) {
    return written;
  }
  remember(index, chunk, layout);
  return {};
}

void McapWriter::remember(const ChunkIndex& index, const Chunk& chunk,
                          const Chunk::Layout& layout) {
  contents_.schemas.insert(contents_.schemas.end(), chunk.schemas().begin(), chunk.schemas().end());
  contents_.channels.insert(contents_.channels.end(), chunk.channels().begin(),
                            chunk.channels().end());
  if (chunk.messages() == 0) {
    return;
  }
  const bool is_first = contents_.messages == 0;
  contents_.first_time =
      is_first ? index.first_time : std::min(contents_.first_time, index.first_time);
  contents_.last_time = std::max(contents_.last_time, index.last_time);
  contents_.messages += chunk.messages();
  for (const auto& [channel, messages] : layout.index) {
    contents_.counts[channel] += messages.size();
  }
  contents_.chunks.push_back(index);
}

expected<void, std::string> McapWriter::finish(const std::string& yaml) {
  Bytes out;
  const std::size_t metadata = out.begin(Opcode::metadata);
  out.put(std::string_view("rosbag2"));
  out.put(TextMap{{"serialized_metadata", yaml}});
  out.end(metadata);
  const Extent extent{size_, out.size()};
  const std::size_t data_end = out.begin(Opcode::data_end);
  out.put(std::uint32_t{0});
  out.end(data_end);
  Summary summary{{}, {}, size_ + out.size()};
  fill(summary, contents_, extent);
  out.append(summary.bytes.data(), summary.bytes.size());
  const std::uint64_t offsets_start = size_ + out.size();
  out.append(summary.offsets.data(), summary.offsets.size());
  const std::size_t footer = out.begin(Opcode::footer);
  out.put(summary.start);
  out.put(offsets_start);
  out.put(std::uint32_t{0});
  out.end(footer);
  out.append(mcap_magic.data(), mcap_magic.size());
  return write_all(out);
}

}  // namespace ligament::record
