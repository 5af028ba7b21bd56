// SPDX-License-Identifier: Apache-2.0
/// \file Messages: their header, their submessages, and the payloads other than entities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/cdr.hpp"
#include "agent/wire.hpp"

namespace ligament::xrce {

struct Header {
  std::uint8_t session = no_session;
  std::uint8_t stream = no_stream;
  std::uint16_t sequence = 0;
  Key key{};  ///< zeros where the session id says that there is none
  [[nodiscard]] bool has_key() const { return session < no_session; }
  [[nodiscard]] std::size_t size() const { return has_key() ? 8 : 4; }
};
/// False: it is too short.
[[nodiscard]] bool read_header(Bytes message, Header& header);
void write_header(std::vector<std::byte>& to, const Header& header);

struct Part {
  Submessage id = Submessage::reset;
  std::uint8_t flags = 0;
  Bytes payload;
  [[nodiscard]] CdrReader reader() const { return {payload, (flags & flag::little_endian) != 0}; }
};

/// The submessages of a message, one after the other, until one does not lie in it.
class Parts {
 public:
  /// `bytes`: behind a header, or put together from fragments.
  explicit Parts(Bytes bytes) : bytes_(bytes) {}
  [[nodiscard]] std::optional<Part> next();
  /// All of it was submessages.
  [[nodiscard]] bool is_good() const { return is_good_; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

/// Appends a subheader and fills in its length at the end.
class PartWriter {
 public:
  PartWriter(std::vector<std::byte>& to, Submessage id, std::uint8_t flags = 0);
  [[nodiscard]] CdrWriter& payload() { return payload_; }
  void finish();

 private:
  std::vector<std::byte>& to_;
  std::size_t begin_;
  CdrWriter payload_;
};
/// A subheader for a payload that is elsewhere.
void write_subheader(std::vector<std::byte>& to, Submessage id, std::uint8_t flags,
                     std::size_t size);

struct CreateClient {
  std::uint8_t major = 0;
  Key key{};
  std::uint8_t session = 0;
  std::uint16_t mtu = 0;  ///< 0: it does not say
};
[[nodiscard]] std::optional<CreateClient> read_create_client(const Part& part);

struct ReadData {
  Request request;
  std::uint8_t stream = no_stream;
  std::uint8_t format = 0;
  bool has_filter = false;
  bool has_limits = false;
  std::uint16_t samples = 1;
  std::uint16_t seconds = 0;
  std::uint16_t bytes_per_second = 0;
  std::uint16_t pace_ms = 0;
};
[[nodiscard]] std::optional<ReadData> read_read_data(const Part& part);

struct Acknack {
  std::uint16_t first = 0;
  std::uint16_t missing = 0;  ///< bit i: `first + i`
  std::uint8_t stream = no_stream;
};
[[nodiscard]] std::optional<Acknack> read_acknack(const Part& part);
void write_acknack(std::vector<std::byte>& to, const Acknack& acknack);

struct Heartbeat {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  std::uint8_t stream = no_stream;
};
[[nodiscard]] std::optional<Heartbeat> read_heartbeat(const Part& part);
void write_heartbeat(std::vector<std::byte>& to, const Heartbeat& heartbeat);

[[nodiscard]] Request read_request(CdrReader& reader);
void write_request(CdrWriter& writer, const Request& request);

void write_status(std::vector<std::byte>& to, const Request& request, Status status);
void write_status_agent(std::vector<std::byte>& to, Status status);
void write_info(std::vector<std::byte>& to, const Request& request, bool session_is_known);

/// Time as DDS-XRCE tells it.
struct Time {
  std::int32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  [[nodiscard]] static Time of(std::int64_t ns);
};
[[nodiscard]] std::optional<Time> read_timestamp(const Part& part);
void write_timestamp_reply(std::vector<std::byte>& to, Time transmitted, Time received,
                           Time originated);

// Of each message and each sample: here, so that bounds that are constants cost nothing.

inline bool read_header(Bytes message, Header& header) {
  CdrReader reader(message, true);
  header.session = reader.u8();
  header.stream = reader.u8();
  header.sequence = reader.u16();
  if (header.has_key()) {
    for (std::uint8_t& byte : header.key) {
      byte = reader.u8();
    }
  }
  return reader.is_good();
}

inline std::optional<Part> Parts::next() {
  const std::size_t begin = (at_ + 3) / 4 * 4;
  if (begin >= bytes_.size()) {
    return std::nullopt;
  }
  CdrReader reader(bytes_.subspan(begin), true);
  Part part;
  part.id = static_cast<Submessage>(reader.u8());
  part.flags = reader.u8();
  std::size_t length = reader.u16();
  const Bytes rest = reader.rest();
  const bool is_data = part.id == Submessage::write_data || part.id == Submessage::data;
  if (length == 0 && is_data) {
    length = rest.size();
  }
  if (!reader.is_good() || length > rest.size()) {
    is_good_ = false;
    at_ = bytes_.size();
    return std::nullopt;
  }
  part.payload = rest.first(length);
  at_ = begin + subheader_size + length;
  return part;
}

inline Request read_request(CdrReader& reader) {
  Request request;
  request.id = reader.id();
  request.object = reader.id();
  return request;
}

}  // namespace ligament::xrce
