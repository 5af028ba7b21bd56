// SPDX-License-Identifier: Apache-2.0
// The Cyclone DDS peer of the transport benchmark: C API, a sequence of octets, UDP over loopback.
#include <dds/dds.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gate.hpp"
#include "message.h"
#include "program.hpp"
#include "roles.hpp"

namespace {

// Away from domain 0, where the robot programs of this machine would take part in discovery.
constexpr dds_domainid_t kDomain = 87;
constexpr int kDepth = 4;

// All settings are Cyclone's own but the interface. Loopback has no multicast, so the peers are
// listed, as ROS 2 does for one host; an index for each process replaces the limit of ten.
constexpr const char* kConfiguration =
    "<CycloneDDS><Domain><General><Interfaces>"
    "<NetworkInterface address=\"127.0.0.1\"/></Interfaces>"
    "<AllowMulticast>false</AllowMulticast></General>"
    "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
    "<Peers><Peer address=\"127.0.0.1\"/></Peers></Discovery></Domain></CycloneDDS>";

dds_entity_t created(dds_entity_t entity, const char* what) {
  if (entity < 0) {
    throw std::runtime_error(std::string(what) +
                             " could not be created: " + dds_strretcode(-entity));
  }
  return entity;
}

// Owns an entity and all that was made from it.
class Entity {
 public:
  Entity(dds_entity_t entity, const char* what) : entity_(created(entity, what)) {}
  ~Entity() { dds_delete(entity_); }
  Entity(const Entity&) = delete;
  Entity& operator=(const Entity&) = delete;
  operator dds_entity_t() const { return entity_; }

 private:
  dds_entity_t entity_;
};

class Quality {
 public:
  Quality() : qos_(dds_create_qos()) {
    dds_qset_reliability(qos_, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
    dds_qset_durability(qos_, DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos_, DDS_HISTORY_KEEP_LAST, kDepth);
  }
  ~Quality() { dds_delete_qos(qos_); }
  Quality(const Quality&) = delete;
  Quality& operator=(const Quality&) = delete;
  [[nodiscard]] const dds_qos_t* get() const { return qos_; }

 private:
  dds_qos_t* qos_;
};

struct Node {
  explicit Node(const peer::Options& options)
      : domain(dds_create_domain(kDomain, kConfiguration), "the domain"),
        participant(dds_create_participant(kDomain, nullptr, nullptr), "the participant") {
    if (!options.variant.empty()) throw std::invalid_argument("cyclonedds has no variants");
  }

  [[nodiscard]] dds_entity_t topic(const std::string& name) const {
    return created(
        dds_create_topic(participant, &peer_types_Message_desc, name.c_str(), nullptr, nullptr),
        "the topic");
  }

  Entity domain;
  Entity participant;
  Quality quality;
};

class Outlet {
 public:
  Outlet(Node& node, const std::string& topic, const peer::Options& options)
      : writer_(dds_create_writer(node.participant, node.topic(topic), node.quality.get(), nullptr),
                "the writer"),
        payload_(options.bytes) {
    peer::fill(payload_.data(), payload_.size());
    message_.payload._buffer = payload_.data();
    message_.payload._length = static_cast<std::uint32_t>(payload_.size());
    message_.payload._maximum = message_.payload._length;
    message_.payload._release = false;
  }

  std::size_t subscribers() {
    dds_publication_matched_status_t status{};
    dds_get_publication_matched_status(writer_, &status);
    return status.current_count;
  }

  // A sequence cannot be loaned: dds_write serialises it. What stands for the loan is our buffer.
  std::optional<peer::Published> publish(std::uint64_t sequence) {
    const std::int64_t begin = peer::now();
    const std::int64_t sent_at = peer::stamp(payload_.data(), payload_.size(), sequence);
    if (dds_write(writer_, &message_) < 0) return std::nullopt;
    return peer::Published{.begin = begin, .sent_at = sent_at, .end = peer::now()};
  }

 private:
  Entity writer_;
  std::vector<std::uint8_t> payload_;
  peer_types_Message message_{};
};

class Inlet {
 public:
  Inlet(Node& node, const std::string& topic, const peer::Options& options)
      : reader_(dds_create_reader(node.participant, node.topic(topic), node.quality.get(), nullptr),
                "the reader"),
        waitset_(dds_create_waitset(node.participant), "the waitset") {
    dds_set_status_mask(reader_, DDS_DATA_AVAILABLE_STATUS);
    dds_waitset_attach(waitset_, reader_, 0);
    // One message that every take writes into: no allocation and no page fault per message.
    auto& payload = message_.payload;
    payload._buffer = static_cast<std::uint8_t*>(dds_alloc(options.bytes));
    payload._maximum = static_cast<std::uint32_t>(options.bytes);
    payload._release = true;
    peer::fill(payload._buffer, options.bytes);
  }
  ~Inlet() { dds_free(message_.payload._buffer); }
  Inlet(const Inlet&) = delete;
  Inlet& operator=(const Inlet&) = delete;

  std::size_t publishers() {
    dds_subscription_matched_status_t status{};
    dds_get_subscription_matched_status(reader_, &status);
    return status.current_count;
  }

  std::optional<peer::Message> take() {
    void* sample = &message_;
    dds_sample_info_t info{};
    const dds_return_t taken = dds_take(reader_, &sample, &info, 1, 1);
    if (taken != 1 || !info.valid_data) return std::nullopt;
    const auto& payload = message_.payload;
    if (payload._length < peer::kSmallest) return std::nullopt;
    return peer::read_stamps(payload._buffer, payload._length);
  }

  // Calls `handle` in Cyclone's receive thread; an empty function ends that.
  void listen(const std::function<void(const peer::Message&)>& handle) {
    if (!handle) {
      gate_.close();
      dds_set_listener(reader_, nullptr);
      return;
    }
    gate_.open([this, handle] {
      while (const auto message = take()) handle(*message);
    });
    dds_listener_t* listener = dds_create_listener(&gate_);
    dds_lset_data_available(
        listener, [](dds_entity_t, void* gate) { static_cast<peer::Gate*>(gate)->call(); });
    dds_set_listener(reader_, listener);
    dds_delete_listener(listener);
  }

  bool wait(std::int64_t timeout_ns) {
    return dds_waitset_wait(waitset_, nullptr, 0, timeout_ns) > 0;
  }

 private:
  // Outlives the reader, whose thread may be in it.
  peer::Gate gate_;
  Entity reader_;
  Entity waitset_;
  peer_types_Message message_{};
};

struct Cyclone {
  using Node = ::Node;
  using Outlet = ::Outlet;
  using Inlet = ::Inlet;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::program("cyclonedds", PEER_VERSION, argc, argv, peer::run<Cyclone>);
}
