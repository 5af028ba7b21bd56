// SPDX-License-Identifier: Apache-2.0
#include "agent/message.hpp"

#include <algorithm>

namespace ligament::xrce {

namespace {

constexpr std::array<std::uint8_t, 4> cookie{'X', 'R', 'C', 'E'};
constexpr std::uint16_t vendor = 0x010F;  // of the reference implementation: who else is asked for
constexpr std::uint32_t most_properties = 32;

void write_version(CdrWriter& to) {
  for (const std::uint8_t byte : cookie) {
    to.u8(byte);
  }
  to.u8(version_major);
  to.u8(0);
  to.id(vendor);
}

void skip_properties(CdrReader& reader) {
  const std::uint32_t count = reader.u32();
  if (count > most_properties) {
    reader.fail();
  }
  for (std::uint32_t i = 0; i < count && reader.is_good(); ++i) {
    (void)reader.string();
    (void)reader.string();
  }
}

}  // namespace

void write_header(std::vector<std::byte>& to, const Header& header) {
  CdrWriter writer(to);
  writer.u8(header.session);
  writer.u8(header.stream);
  writer.u16(header.sequence);
  if (header.has_key()) {
    for (const std::uint8_t byte : header.key) {
      writer.u8(byte);
    }
  }
}

PartWriter::PartWriter(std::vector<std::byte>& to, Submessage id, std::uint8_t flags)
    : to_(to), begin_((to.size() + 3) / 4 * 4), payload_([&]() -> std::vector<std::byte>& {
        to.resize(begin_);
        write_subheader(to, id, flags, 0);
        return to;
      }()) {}

void PartWriter::finish() {
  const std::size_t size = to_.size() - begin_ - subheader_size;
  to_[begin_ + 2] = static_cast<std::byte>(size & 0xFFU);
  to_[begin_ + 3] = static_cast<std::byte>(size >> 8U & 0xFFU);
}

void write_subheader(std::vector<std::byte>& to, Submessage id, std::uint8_t flags,
                     std::size_t size) {
  CdrWriter writer(to);
  writer.u8(static_cast<std::uint8_t>(id));
  writer.u8(flags | flag::little_endian);
  writer.u16(size > 0xFFFF ? 0 : static_cast<std::uint16_t>(size));
}

std::optional<CreateClient> read_create_client(const Part& part) {
  CdrReader reader = part.reader();
  CreateClient client;
  bool is_xrce = true;
  for (const std::uint8_t byte : cookie) {
    is_xrce = reader.u8() == byte && is_xrce;
  }
  client.major = reader.u8();
  (void)reader.u8();
  (void)reader.id();
  for (std::uint8_t& byte : client.key) {
    byte = reader.u8();
  }
  client.session = reader.u8();
  if (reader.boolean()) {
    skip_properties(reader);
  }
  if (!reader.is_at_end() && reader.is_good()) {
    client.mtu = reader.u16();
  }
  return is_xrce && reader.is_good() ? std::optional(client) : std::nullopt;
}

std::optional<ReadData> read_read_data(const Part& part) {
  CdrReader reader = part.reader();
  ReadData wanted;
  wanted.request = read_request(reader);
  wanted.stream = reader.u8();
  wanted.format = reader.u8();
  if (reader.boolean()) {
    wanted.has_filter = !reader.string().empty();
  }
  wanted.has_limits = reader.boolean();
  if (wanted.has_limits) {
    wanted.samples = reader.u16();
    wanted.seconds = reader.u16();
    wanted.bytes_per_second = reader.u16();
    wanted.pace_ms = reader.u16();
  }
  return reader.is_good() ? std::optional(wanted) : std::nullopt;
}

std::optional<Acknack> read_acknack(const Part& part) {
  CdrReader reader = part.reader();
  Acknack acknack;
  acknack.first = reader.u16();
  acknack.missing = reader.id();
  acknack.stream = reader.u8();
  return reader.is_good() ? std::optional(acknack) : std::nullopt;
}

void write_acknack(std::vector<std::byte>& to, const Acknack& acknack) {
  PartWriter part(to, Submessage::acknack);
  part.payload().u16(acknack.first);
  part.payload().id(acknack.missing);
  part.payload().u8(acknack.stream);
  part.finish();
}

std::optional<Heartbeat> read_heartbeat(const Part& part) {
  CdrReader reader = part.reader();
  Heartbeat heartbeat;
  heartbeat.first = reader.u16();
  heartbeat.last = reader.u16();
  heartbeat.stream = reader.u8();
  return reader.is_good() ? std::optional(heartbeat) : std::nullopt;
}

void write_heartbeat(std::vector<std::byte>& to, const Heartbeat& heartbeat) {
  PartWriter part(to, Submessage::heartbeat);
  part.payload().u16(heartbeat.first);
  part.payload().u16(heartbeat.last);
  part.payload().u8(heartbeat.stream);
  part.finish();
}

void write_request(CdrWriter& writer, const Request& request) {
  writer.id(request.id);
  writer.id(request.object);
}

void write_status(std::vector<std::byte>& to, const Request& request, Status status) {
  PartWriter part(to, Submessage::status);
  write_request(part.payload(), request);
  part.payload().u8(static_cast<std::uint8_t>(status));
  part.payload().u8(0);
  part.finish();
}

void write_status_agent(std::vector<std::byte>& to, Status status) {
  PartWriter part(to, Submessage::status_agent);
  part.payload().u8(static_cast<std::uint8_t>(status));
  part.payload().u8(0);
  write_version(part.payload());
  part.payload().boolean(false);
  part.finish();
}

void write_info(std::vector<std::byte>& to, const Request& request, bool session_is_known) {
  PartWriter part(to, Submessage::info);
  write_request(part.payload(), request);
  part.payload().u8(static_cast<std::uint8_t>(Status::ok));
  part.payload().u8(session_is_known ? 1 : 0);
  part.payload().boolean(false);
  part.payload().boolean(true);
  part.payload().u8(static_cast<std::uint8_t>(Kind::agent));
  part.payload().u16(1);
  part.payload().u32(0);
  part.finish();
}

Time Time::of(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  return {static_cast<std::int32_t>(ns / second), static_cast<std::uint32_t>(ns % second)};
}

std::optional<Time> read_timestamp(const Part& part) {
  CdrReader reader = part.reader();
  Time time;
  time.seconds = reader.i32();
  time.nanoseconds = reader.u32();
  return reader.is_good() ? std::optional(time) : std::nullopt;
}

void write_timestamp_reply(std::vector<std::byte>& to, Time transmitted, Time received,
                           Time originated) {
  PartWriter part(to, Submessage::timestamp_reply);
  for (const Time& time : {transmitted, received, originated}) {
    part.payload().i32(time.seconds);
    part.payload().u32(time.nanoseconds);
  }
  part.finish();
}

}  // namespace ligament::xrce
