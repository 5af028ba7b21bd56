// SPDX-License-Identifier: Apache-2.0
// The two message types, written by hand because the size is known only when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <vector>

namespace peer {

// What the generated code of `struct { octet payload[N]; }` does: plain, of one size, no key. Its
// samples are the N bytes themselves, so they can be loaned.
class FixedType : public eprosima::fastdds::dds::TopicDataType {
 public:
  explicit FixedType(std::size_t bytes);

  bool serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) override;
  bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) override;
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override;
  void* createData() override;
  void deleteData(void* data) override;
  bool getKey(void* data, eprosima::fastrtps::rtps::InstanceHandle_t* handle,
              bool force_md5) override;
  [[nodiscard]] bool is_bounded() const override { return true; }
  [[nodiscard]] bool is_plain() const override { return true; }
  bool construct_sample(void* memory) const override;

 private:
  std::size_t bytes_;
};

// What the generated code of `struct { sequence<octet> payload; }` does: a length and the bytes.
class SequenceType : public eprosima::fastdds::dds::TopicDataType {
 public:
  struct Sample {
    std::vector<std::uint8_t> payload;
  };

  SequenceType();

  bool serialize(void* data, eprosima::fastrtps::rtps::SerializedPayload_t* payload) override;
  bool deserialize(eprosima::fastrtps::rtps::SerializedPayload_t* payload, void* data) override;
  std::function<std::uint32_t()> getSerializedSizeProvider(void* data) override;
  void* createData() override;
  void deleteData(void* data) override;
  bool getKey(void* data, eprosima::fastrtps::rtps::InstanceHandle_t* handle,
              bool force_md5) override;
};

}  // namespace peer
