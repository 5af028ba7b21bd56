// SPDX-License-Identifier: Apache-2.0
// What both variants have in common: the participant, and a writer or a reader with its settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gate.hpp"
#include "options.hpp"

namespace peer {

namespace dds = eprosima::fastdds::dds;
using eprosima::fastrtps::types::ReturnCode_t;

// Away from domain 0, where the robot programs of this machine would take part in discovery.
inline constexpr int kDomain = 87;
inline constexpr int kDepth = 4;

template <typename T>
T* created(T* entity, const char* what) {
  if (entity == nullptr) throw std::runtime_error(std::string(what) + " could not be created");
  return entity;
}

// A participant; of the benchmark, with its default settings.
class Node {
 public:
  explicit Node(const Options&) : Node(kDomain, dds::PARTICIPANT_QOS_DEFAULT) {}
  Node(int domain, const dds::DomainParticipantQos& qos)
      : participant_(
            created(factory()->create_participant(static_cast<dds::DomainId_t>(domain), qos),
                    "the participant")) {}
  ~Node() {
    participant_->delete_contained_entities();
    factory()->delete_participant(participant_);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] dds::DomainParticipant* participant() const { return participant_; }

  dds::Topic* topic(const std::string& name, dds::TypeSupport type) {
    type.register_type(participant_);
    return created(participant_->create_topic(name, type.get_type_name(), dds::TOPIC_QOS_DEFAULT),
                   "the topic");
  }

 private:
  static dds::DomainParticipantFactory* factory() {
    return dds::DomainParticipantFactory::get_instance();
  }
  dds::DomainParticipant* participant_;
};

// Reliable, volatile, keep-last: for writers and readers alike.
template <typename Qos>
Qos with_our_quality(Qos qos) {
  qos.reliability().kind = dds::RELIABLE_RELIABILITY_QOS;
  qos.durability().kind = dds::VOLATILE_DURABILITY_QOS;
  qos.history().kind = dds::KEEP_LAST_HISTORY_QOS;
  qos.history().depth = kDepth;
  return qos;
}

class Writer {
 public:
  Writer(Node& node, dds::Topic* topic, const dds::DataWriterQos& qos)
      : publisher_(created(node.participant()->create_publisher(dds::PUBLISHER_QOS_DEFAULT),
                           "the publisher")),
        writer_(created(publisher_->create_datawriter(topic, qos), "the writer")) {}

  [[nodiscard]] dds::DataWriter* operator->() const { return writer_; }

  std::size_t subscribers() {
    dds::PublicationMatchedStatus status{};
    writer_->get_publication_matched_status(status);
    return static_cast<std::size_t>(status.current_count);
  }

 private:
  dds::Publisher* publisher_;
  dds::DataWriter* writer_;
};

class Listener : public dds::DataReaderListener {
 public:
  Gate gate;
  void on_data_available(dds::DataReader*) override { gate.call(); }
};

class Reader {
 public:
  Reader(Node& node, dds::Topic* topic, const dds::DataReaderQos& qos)
      : subscriber_(created(node.participant()->create_subscriber(dds::SUBSCRIBER_QOS_DEFAULT),
                            "the subscriber")),
        reader_(created(subscriber_->create_datareader(topic, qos), "the reader")) {
    auto& condition = reader_->get_statuscondition();
    condition.set_enabled_statuses(dds::StatusMask::data_available());
    waitset_.attach_condition(condition);
  }
  // The library's threads leave the reader, and so the listener, before these go away.
  ~Reader() {
    waitset_.detach_condition(reader_->get_statuscondition());
    subscriber_->delete_datareader(reader_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] dds::DataReader* operator->() const { return reader_; }

  std::size_t publishers() {
    dds::SubscriptionMatchedStatus status{};
    reader_->get_subscription_matched_status(status);
    return static_cast<std::size_t>(status.current_count);
  }

  // Calls `on_data` in the library's thread; an empty function ends that.
  void listen(std::function<void()> on_data) {
    const bool opens = static_cast<bool>(on_data);
    listener_.gate.open(std::move(on_data));
    reader_->set_listener(opens ? &listener_ : nullptr, dds::StatusMask::data_available());
  }

  bool wait(std::int64_t timeout_ns) {
    dds::ConditionSeq active;
    const eprosima::fastrtps::Duration_t timeout(static_cast<long double>(timeout_ns) * 1e-9L);
    return waitset_.wait(active, timeout) == ReturnCode_t::RETCODE_OK;
  }

 private:
  dds::Subscriber* subscriber_;
  dds::DataReader* reader_;
  dds::WaitSet waitset_;
  Listener listener_;
};

}  // namespace peer
