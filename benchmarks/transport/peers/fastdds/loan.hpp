// SPDX-License-Identifier: Apache-2.0
// Variant `loan`: a plain type of fixed size, data sharing, loans at both ends; nothing is copied.
#pragma once

#include <fastdds/dds/core/LoanableSequence.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ends.hpp"
#include "message.hpp"
#include "types.hpp"

namespace peer {

// A loaned sample starts with these; its N bytes are reached through its address.
struct Head {
  std::uint8_t first;
};

template <typename Qos>
Qos with_data_sharing(Qos qos) {
  qos.data_sharing().on("");
  return qos;
}

class LoanOutlet {
 public:
  LoanOutlet(Node& node, const std::string& topic, const Options& options)
      : bytes_(options.bytes),
        writer_(node, node.topic(topic, dds::TypeSupport(new FixedType(options.bytes))),
                with_data_sharing(with_our_quality(dds::DATAWRITER_QOS_DEFAULT))) {
    write_all();
  }

  std::size_t subscribers() { return writer_.subscribers(); }

  std::optional<Published> publish(std::uint64_t sequence) {
    const std::int64_t begin = now();
    void* sample = nullptr;
    if (writer_->loan_sample(sample) != ReturnCode_t::RETCODE_OK) return std::nullopt;
    const std::int64_t sent_at = stamp(static_cast<std::uint8_t*>(sample), bytes_, sequence);
    if (!writer_->write(sample)) {
      writer_->discard_loan(sample);
      return std::nullopt;
    }
    return Published{.begin = begin, .sent_at = sent_at, .end = now()};
  }

 private:
  // Writes every byte of every sample once: all that can be loaned together.
  void write_all() {
    std::vector<void*> samples;
    void* sample = nullptr;
    while (writer_->loan_sample(sample) == ReturnCode_t::RETCODE_OK) {
      fill(static_cast<std::uint8_t*>(sample), bytes_);
      samples.push_back(sample);
    }
    if (samples.empty()) throw std::runtime_error("the writer loans no samples");
    for (void*& loan : samples) writer_->discard_loan(loan);
  }

  std::size_t bytes_;
  Writer writer_;
};

class LoanInlet {
 public:
  LoanInlet(Node& node, const std::string& topic, const Options& options)
      : bytes_(options.bytes),
        reader_(node, node.topic(topic, dds::TypeSupport(new FixedType(options.bytes))),
                with_data_sharing(with_our_quality(dds::DATAREADER_QOS_DEFAULT))) {}

  std::size_t publishers() { return reader_.publishers(); }

  bool wait(std::int64_t timeout_ns) { return reader_.wait(timeout_ns); }

  void listen(const std::function<void(const Message&)>& handle) {
    if (!handle) return reader_.listen(nullptr);
    reader_.listen([this, handle] {
      while (const auto message = take()) handle(*message);
    });
  }

  std::optional<Message> take() {
    dds::LoanableSequence<Head> samples;
    dds::SampleInfoSeq infos;
    if (reader_->take(samples, infos, 1) != ReturnCode_t::RETCODE_OK) return std::nullopt;
    std::optional<Message> message;
    if (infos[0].valid_data) {
      const Head& sample = samples[0];
      message = read_stamps(&sample.first, bytes_);
      // The writer's ring may have come round while this was read.
      message->torn = message->torn || !reader_->is_sample_valid(&sample, &infos[0]);
    }
    reader_->return_loan(samples, infos);
    return message;
  }

 private:
  std::size_t bytes_;
  Reader reader_;
};

struct Loan {
  using Node = peer::Node;
  using Outlet = LoanOutlet;
  using Inlet = LoanInlet;
};

}  // namespace peer
