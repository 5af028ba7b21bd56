// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/graph_mirror.hpp"

#include <fmt/format.h>

namespace ligament::edge {

namespace {

/// Payloads in memory of their own, up to a bound.
class InfoInbox final : public dds::Inbox {
 public:
  std::unique_ptr<dds::Incoming> receive(std::size_t size, const dds::Marks& /*marks*/) override {
    return size <= most_info_bytes ? std::make_unique<Memory>(size) : nullptr;
  }

 private:
  struct Memory final : dds::Incoming {
    explicit Memory(std::size_t size) : memory(size) {}
    std::span<std::byte> bytes() override { return memory; }
    std::vector<std::byte> memory;
  };
};

/// All that others can see of it.
std::string key_of(const Shown& shown) {
  const auto& [topic, type_name, node, type_hash, qos] = shown.description;
  return fmt::format("{}\n{}\n{}\n{}\n{:02x}\n{} {} {} {} {} {} {} {}",
                     static_cast<int>(shown.kind), topic, type_name, node, fmt::join(type_hash, ""),
                     static_cast<int>(qos.history), qos.depth, static_cast<int>(qos.reliability),
                     static_cast<int>(qos.durability), qos.deadline_ns, qos.lifespan_ns,
                     static_cast<int>(qos.liveliness), qos.liveliness_lease_ns);
}

}  // namespace

expected<std::unique_ptr<GraphMirror>, dds::Error> GraphMirror::create(
    dds::Participant& participant, std::shared_ptr<pool::Domain> domain,
    std::function<void()> on_change) {
  std::unique_ptr<GraphMirror> self(new GraphMirror(participant, std::move(domain)));
  dds::EndpointSpec spec{
      graph_info_topic, graph_info_type, {}, dds::endpoint_user_data(graph_info_hash), true};
  spec.qos.durability = DurabilityPolicy::transient_local;
  spec.qos.depth = 1000;  // all participants' are one instance: none overwrites another's
  auto reader = participant.create_reader(
      spec, std::make_shared<InfoInbox>(),
      [graph = self->graph_, on_change = std::move(on_change)](dds::Received&& sample) {
        if (graph->take(sample.incoming->bytes().first(sample.size), sample.writer)) {
          on_change();
        }
      });
  if (!reader) {
    return unexpected<dds::Error>(reader.error());
  }
  self->reader_ = std::move(*reader);
  return self;
}

void GraphMirror::settle() {
  const std::uint64_t remote = participant_.remote_version();
  const std::uint64_t told = graph_->version();
  if (remote == seen_remote_ && told == seen_told_) {
    return;
  }
  seen_remote_ = remote;
  seen_told_ = told;
  auto before = std::exchange(shown_, {});
  for (const Shown& one : graph_->describe(participant_.remote_endpoints())) {
    std::string key = key_of(one);
    std::shared_ptr<void> handle;
    if (const auto known = before.find(key); known != before.end()) {
      handle = std::move(known->second);
      before.erase(known);
    } else if (auto made = domain_->show(one.description, one.kind)) {
      handle = std::move(*made);
    }  // else there is no room: less is seen
    if (handle != nullptr) {
      shown_.emplace(std::move(key), std::move(handle));
    }
  }
}

}  // namespace ligament::edge
