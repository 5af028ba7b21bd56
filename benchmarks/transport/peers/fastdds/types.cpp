// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <cstring>
#include <string>

namespace peer {
namespace {

using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

// CDR: two bytes name the encoding (1: little-endian), two are options.
constexpr std::uint32_t kHeader = 4;
constexpr std::uint32_t kLength = 4;
// The elements that the generated code plans for in an unbounded sequence.
constexpr std::uint32_t kPlanned = 100;

void write_header(SerializedPayload_t& payload, std::uint32_t length) {
  const std::uint8_t header[kHeader] = {0, CDR_LE, 0, 0};
  payload.encapsulation = CDR_LE;
  payload.length = length;
  std::memcpy(payload.data, header, kHeader);
}

}  // namespace

FixedType::FixedType(std::size_t bytes) : bytes_(bytes) {
  setName(("peer::Fixed" + std::to_string(bytes)).c_str());
  m_typeSize = static_cast<std::uint32_t>(bytes) + kHeader;
  m_isGetKeyDefined = false;
}

bool FixedType::serialize(void* data, SerializedPayload_t* payload) {
  if (payload->max_size < m_typeSize) return false;
  write_header(*payload, m_typeSize);
  std::memcpy(payload->data + kHeader, data, bytes_);
  return true;
}

bool FixedType::deserialize(SerializedPayload_t* payload, void* data) {
  if (payload->length < m_typeSize) return false;
  std::memcpy(data, payload->data + kHeader, bytes_);
  return true;
}

std::function<std::uint32_t()> FixedType::getSerializedSizeProvider(void*) {
  return [this] { return m_typeSize; };
}

void* FixedType::createData() { return new std::uint8_t[bytes_](); }

void FixedType::deleteData(void* data) { delete[] static_cast<std::uint8_t*>(data); }

bool FixedType::getKey(void*, InstanceHandle_t*, bool) { return false; }

bool FixedType::construct_sample(void* memory) const {
  std::memset(memory, 0, bytes_);
  return true;
}

SequenceType::SequenceType() {
  setName("peer::Sequence");
  m_typeSize = kHeader + kLength + kPlanned;
  m_isGetKeyDefined = false;
}

bool SequenceType::serialize(void* data, SerializedPayload_t* payload) {
  const auto& bytes = static_cast<const Sample*>(data)->payload;
  const auto length = static_cast<std::uint32_t>(bytes.size());
  if (payload->max_size < kHeader + kLength + length) return false;
  write_header(*payload, kHeader + kLength + length);
  std::memcpy(payload->data + kHeader, &length, kLength);
  std::memcpy(payload->data + kHeader + kLength, bytes.data(), length);
  return true;
}

bool SequenceType::deserialize(SerializedPayload_t* payload, void* data) {
  std::uint32_t length = 0;
  if (payload->length < kHeader + kLength) return false;
  std::memcpy(&length, payload->data + kHeader, kLength);
  if (payload->length - kHeader - kLength < length) return false;
  auto& bytes = static_cast<Sample*>(data)->payload;
  bytes.resize(length);
  std::memcpy(bytes.data(), payload->data + kHeader + kLength, length);
  return true;
}

std::function<std::uint32_t()> SequenceType::getSerializedSizeProvider(void* data) {
  return [data] {
    const auto* sample = static_cast<const Sample*>(data);
    return kHeader + kLength + static_cast<std::uint32_t>(sample->payload.size());
  };
}

void* SequenceType::createData() { return new Sample(); }

void SequenceType::deleteData(void* data) { delete static_cast<Sample*>(data); }

bool SequenceType::getKey(void*, InstanceHandle_t*, bool) { return false; }

}  // namespace peer
