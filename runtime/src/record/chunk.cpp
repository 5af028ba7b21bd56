// SPDX-License-Identifier: Apache-2.0
#include "record/chunk.hpp"

#include <algorithm>

namespace ligament::record {

namespace {

/// Behind the last piece if it lies there in memory too: fewer pieces, fewer system calls.
void add_piece(std::vector<iovec>& pieces, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return;
  }
  auto* const start = const_cast<std::byte*>(bytes.data());  // NOLINT: iovec is for reading, too
  if (!pieces.empty() &&
      static_cast<std::byte*>(pieces.back().iov_base) + pieces.back().iov_len == start) {
    pieces.back().iov_len += bytes.size();
  } else {
    pieces.push_back({start, bytes.size()});
  }
}

}  // namespace

void put_schema(Bytes& out, const Schema& schema) {
  const std::size_t record = out.begin(Opcode::schema);
  out.put(schema.id);
  out.put(std::string_view(schema.name));
  out.put(std::string_view(schema.encoding));
  out.put(std::string_view(schema.text));
  out.end(record);
}

void put_channel(Bytes& out, const Channel& channel) {
  const std::size_t record = out.begin(Opcode::channel);
  out.put(channel.id);
  out.put(channel.schema);
  out.put(std::string_view(channel.topic));
  out.put(std::string_view(channel.encoding));
  out.put(channel.metadata);
  out.end(record);
}

void put_message_fields(Bytes& out, const MessageFields& fields, std::size_t size) {
  const std::size_t record = out.begin(Opcode::message);
  out.put(fields.channel);
  out.put(fields.sequence);
  out.put(fields.log_time);
  out.put(fields.publish_time);
  out.end(record, size);
}

void Chunk::put_entry(const MessageFields& fields, std::size_t size) {
  messages_.push_back({fields, small_.size(), record_header_bytes + message_fields_bytes, {}});
  put_message_fields(small_, fields, size);
  bytes_ += record_header_bytes + message_fields_bytes + size;
}

void Chunk::add_copied(const MessageFields& fields, std::span<const std::byte> payload) {
  put_entry(fields, payload.size());
  small_.append(payload.data(), payload.size());
  messages_.back().small_bytes += payload.size();
}

void Chunk::add(const MessageFields& fields, pool::HeldSample&& sample) {
  const std::span<const std::byte> payload = sample.payload();
  if (payload.size() <= copied_up_to) {
    const pool::HeldSample released = std::move(sample);
    add_copied(fields, payload);
    return;
  }
  put_entry(fields, payload.size());
  messages_.back().held = payload;
  held_.push_back(std::move(sample));
}

void Chunk::clear() {
  schemas_.clear();
  channels_.clear();
  messages_.clear();
  small_.clear();
  held_.clear();
  bytes_ = 0;
}

Chunk::Layout Chunk::layout() {
  std::stable_sort(messages_.begin(), messages_.end(), [](const Entry& a, const Entry& b) {
    return a.fields.log_time < b.fields.log_time;
  });
  Layout layout;
  std::uint64_t offset = 0;
  for (const Entry& entry : messages_) {
    add_piece(layout.pieces, small_.span().subspan(entry.at, entry.small_bytes));
    add_piece(layout.pieces, entry.held);
    layout.index[entry.fields.channel].emplace_back(entry.fields.log_time, offset);
    offset += entry.small_bytes + entry.held.size();
  }
  if (!messages_.empty()) {
    layout.first_time = messages_.front().fields.log_time;
    layout.last_time = messages_.back().fields.log_time;
  }
  return layout;
}

}  // namespace ligament::record
