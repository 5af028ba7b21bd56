// SPDX-License-Identifier: Apache-2.0
// Variant `default`: a sequence of octets over the default transports (shared memory segment for
// the same host, UDP otherwise), as a ROS 2 message without bounds travels.
#pragma once

#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <functional>
#include <optional>
#include <string>

#include "ends.hpp"
#include "message.hpp"
#include "types.hpp"

namespace peer {

// The memory policy that ROS 2 sets: buffers grow to the size of the messages and are kept.
template <typename Qos>
Qos with_growing_buffers(Qos qos) {
  qos.endpoint().history_memory_policy =
      eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  qos.data_sharing().off();
  return qos;
}

class CopyOutlet {
 public:
  CopyOutlet(Node& node, const std::string& topic, const Options& options)
      : writer_(node, node.topic(topic, dds::TypeSupport(new SequenceType())),
                with_growing_buffers(with_our_quality(dds::DATAWRITER_QOS_DEFAULT))) {
    sample_.payload.resize(options.bytes);
    fill(sample_.payload.data(), options.bytes);
  }

  std::size_t subscribers() { return writer_.subscribers(); }

  // A sequence cannot be loaned: write serialises it. What stands for the loan is our buffer.
  std::optional<Published> publish(std::uint64_t sequence) {
    const std::int64_t begin = now();
    const std::int64_t sent_at = stamp(sample_.payload.data(), sample_.payload.size(), sequence);
    if (!writer_->write(&sample_)) return std::nullopt;
    return Published{.begin = begin, .sent_at = sent_at, .end = now()};
  }

 private:
  SequenceType::Sample sample_;
  Writer writer_;
};

class CopyInlet {
 public:
  CopyInlet(Node& node, const std::string& topic, const Options& options)
      : reader_(node, node.topic(topic, dds::TypeSupport(new SequenceType())),
                with_growing_buffers(with_our_quality(dds::DATAREADER_QOS_DEFAULT))) {
    // Every take writes into this one message: no allocation and no page fault per message.
    sample_.payload.resize(options.bytes);
    fill(sample_.payload.data(), options.bytes);
  }

  std::size_t publishers() { return reader_.publishers(); }

  bool wait(std::int64_t timeout_ns) { return reader_.wait(timeout_ns); }

  void listen(const std::function<void(const Message&)>& handle) {
    if (!handle) return reader_.listen(nullptr);
    reader_.listen([this, handle] {
      while (const auto message = take()) handle(*message);
    });
  }

  std::optional<Message> take() {
    dds::SampleInfo info;
    if (reader_->take_next_sample(&sample_, &info) != ReturnCode_t::RETCODE_OK) {
      return std::nullopt;
    }
    if (!info.valid_data || sample_.payload.size() < kSmallest) return std::nullopt;
    return read_stamps(sample_.payload.data(), sample_.payload.size());
  }

 private:
  SequenceType::Sample sample_;
  Reader reader_;
};

struct Copy {
  using Node = peer::Node;
  using Outlet = CopyOutlet;
  using Inlet = CopyInlet;
};

}  // namespace peer
