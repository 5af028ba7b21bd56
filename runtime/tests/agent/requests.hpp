// SPDX-License-Identifier: Apache-2.0
/// \file Messages of a client, byte by byte, for tests that say things that ours would not.
#pragma once

#include <string>
#include <vector>

#include "agent/message.hpp"

namespace ligament::xrce::test {

using Message = std::vector<std::byte>;

inline std::uint16_t object(unsigned number, Kind kind) {
  return static_cast<std::uint16_t>(number << 4U | static_cast<unsigned>(kind));
}

inline Message with_header(const Header& header, const Message& submessages) {
  Message message;
  write_header(message, header);
  message.insert(message.end(), submessages.begin(), submessages.end());
  return message;
}

inline Message login(Key key, std::uint8_t session, std::uint8_t version = version_major,
                     std::uint16_t mtu = 508) {
  Message part;
  PartWriter writer(part, Submessage::create_client);
  for (const char letter : {'X', 'R', 'C', 'E'}) {
    writer.payload().u8(static_cast<std::uint8_t>(letter));
  }
  writer.payload().u8(version);
  writer.payload().u8(0);
  writer.payload().id(0x010F);
  for (const std::uint8_t byte : key) {
    writer.payload().u8(byte);
  }
  writer.payload().u8(session);
  writer.payload().boolean(false);
  writer.payload().u16(mtu);
  writer.finish();
  return with_header({no_session, no_stream, 0, {}}, part);
}

struct Creation {
  std::uint16_t object = 0;
  std::uint16_t parent = 0;
  Form form = Form::binary;
  Message value;
  std::uint8_t flags = 0;
  std::uint16_t request = 20;
};
inline Message create(const Creation& what) {
  Message part;
  PartWriter writer(part, Submessage::create, what.flags);
  write_request(writer.payload(), {what.request, what.object});
  writer.payload().u8(static_cast<std::uint8_t>(kind_of(what.object)));
  writer.payload().u8(static_cast<std::uint8_t>(what.form));
  writer.payload().u32(static_cast<std::uint32_t>(what.value.size()));
  writer.payload().bytes(what.value);
  if (kind_of(what.object) == Kind::participant) {
    writer.payload().u16(what.parent);
  } else {
    writer.payload().id(what.parent);
  }
  writer.finish();
  return part;
}

inline Message text_value(const std::string& text) {
  Message value;
  for (const char letter : text) {
    value.push_back(static_cast<std::byte>(letter));
  }
  value.push_back(std::byte{0});
  return value;
}
inline Message participant_value(const std::string& name) {
  Message value;
  CdrWriter writer(value);
  writer.boolean(false);
  writer.boolean(true);
  writer.string(name);
  return value;
}
inline Message topic_value(const std::string& name, const std::string& type) {
  Message value;
  CdrWriter writer(value);
  writer.string(name);
  writer.boolean(false);
  writer.boolean(true);
  writer.string(type);
  return value;
}
inline Message group_value() { return {std::byte{0}, std::byte{0}}; }
inline Message end_value(std::uint16_t topic, std::uint16_t qos_flags, std::uint16_t depth = 5) {
  Message value;
  CdrWriter writer(value);
  writer.id(topic);
  writer.boolean(true);
  writer.u16(qos_flags);
  writer.boolean(true);
  writer.u16(depth);
  for (int i = 0; i < 5; ++i) {  // no deadline, lifespan, user data; strength or filters
    writer.boolean(false);
  }
  return value;
}

inline Message write(std::uint16_t object, const Message& body, std::uint8_t flags = 0) {
  Message part;
  PartWriter writer(part, Submessage::write_data, flags);
  write_request(writer.payload(), {30, object});
  writer.payload().bytes(body);
  writer.finish();
  return part;
}
inline Message removal(std::uint16_t object) {
  Message part;
  PartWriter writer(part, Submessage::remove);
  write_request(writer.payload(), {40, object});
  writer.finish();
  return part;
}
inline Message read(std::uint16_t object, std::uint8_t stream, std::uint16_t samples,
                    std::uint16_t pace_ms = 0) {
  Message part;
  PartWriter writer(part, Submessage::read_data);
  write_request(writer.payload(), {31, object});
  writer.payload().u8(stream);
  writer.payload().u8(0);
  writer.payload().boolean(false);
  writer.payload().boolean(true);
  for (const std::uint16_t limit : {samples, std::uint16_t{0}, std::uint16_t{0}, pace_ms}) {
    writer.payload().u16(limit);
  }
  writer.finish();
  return part;
}

}  // namespace ligament::xrce::test
