// SPDX-License-Identifier: Apache-2.0
#include "agent/pool_bus.hpp"

#include <atomic>

#include "agent/domain_edge.hpp"

namespace ligament::xrce {

namespace {

constexpr const char* run_id = "ros";  // all processes of a ROS domain are of one run

Refusal refusal(const pool::EndpointError& error) {
  const bool is_bad = error.code == pool::EndpointErrorCode::bad_description;
  return {is_bad ? Status::invalid_data : Status::resources, error.text};
}

class PoolNode : public BusNode {
 public:
  explicit PoolNode(std::unique_ptr<pool::Reader> marker) : marker_(std::move(marker)) {}

 private:
  std::unique_ptr<pool::Reader> marker_;
};

class PoolWriter : public BusWriter {
 public:
  explicit PoolWriter(std::unique_ptr<pool::Writer> writer) : writer_(std::move(writer)) {}
  std::span<std::byte> loan(std::size_t size) override {
    loan_.reset();
    auto loan = writer_->loan(size, encapsulation_size);
    if (!loan) {
      return {};
    }
    loan_.emplace(std::move(*loan));
    return loan_->payload();
  }
  void publish(const pool::RequestIdentity& request) override {
    if (loan_) {
      (void)writer_->publish(std::move(*loan_), {0, request, {}});
      loan_.reset();
    }
  }
  pool::PublishedCopies write(std::span<const Bytes> bodies, std::int64_t now_ns) override {
    loan_.reset();
    return writer_->publish_copies(std::as_bytes(std::span(little_endian_cdr)), bodies, now_ns);
  }
  std::span<std::byte> loan_long(std::size_t size) override {
    if (long_) {
      return {};
    }
    auto loan = writer_->loan(size, encapsulation_size);
    if (!loan) {
      return {};
    }
    long_.emplace(std::move(*loan));
    return long_->payload();
  }
  void publish_long() override {
    if (long_) {
      (void)writer_->publish(std::move(*long_));
      long_.reset();
    }
  }
  bool can_shorten() const override { return true; }
  void shorten_long(std::size_t size) override {
    if (long_) {
      long_->resize(size);
    }
  }
  void drop_long() override { long_.reset(); }
  pool::Gid gid() const override { return writer_->gid(); }
  bool is_matched() const override { return writer_->matched_readers() != 0; }

 private:
  std::unique_ptr<pool::Writer> writer_;
  std::optional<pool::Loan> loan_;
  std::optional<pool::Loan> long_;
};

class PoolReader : public BusReader {
 public:
  explicit PoolReader(std::unique_ptr<pool::Reader> reader) : reader_(std::move(reader)) {}
  std::optional<BusSample> take() override {
    held_.reset();
    auto sample = reader_->take();
    if (!sample || !*sample) {
      return std::nullopt;
    }
    held_.emplace(std::move(**sample));
    return BusSample{held_->payload(), held_->info().request};
  }
  bool is_matched() const override { return reader_->matched_writers() != 0; }

 private:
  std::unique_ptr<pool::Reader> reader_;
  std::optional<pool::HeldSample> held_;
};

}  // namespace

struct PoolBus::Place {
  std::shared_ptr<pool::Domain> domain;
  std::unique_ptr<pool::Waiter> waiter;
  std::unique_ptr<DomainEdge> edge;
  std::atomic<bool> ends{false};
  std::thread thread;

  ~Place() { stop(); }
  void stop() {
    ends = true;
    if (thread.joinable()) {
      waiter->wake();
      thread.join();
    }
  }
};

PoolBus::PoolBus(Options options) : options_(std::move(options)) {}
PoolBus::~PoolBus() { stop(); }

void PoolBus::stop() {
  for (auto& [number, place] : places_) {
    place->stop();
  }
}

expected<PoolBus::Place*, Refusal> PoolBus::place(int domain) {
  if (const auto found = places_.find(domain); found != places_.end()) {
    return found->second.get();
  }
  const std::string name = std::string(pool::ros_domain_prefix) + std::to_string(domain);
  auto joined = pool::Domain::join({name, run_id});
  if (!joined) {
    return unexpected<Refusal>({Status::resources, joined.error().text});
  }
  auto waiter = (*joined)->create_waiter();
  if (!waiter) {
    return unexpected<Refusal>(refusal(waiter.error()));
  }
  auto made = std::make_unique<Place>();
  made->domain = std::move(*joined);
  made->waiter = std::move(*waiter);
  if (options_.wants_edge) {
    made->edge = std::make_unique<DomainEdge>(made->domain, name, domain);
  }
  made->thread = std::thread([this, place = made.get()] {
    place->waiter->wait_for([this, place] {
      if (!place->ends) {
        options_.on_samples();
      }
      return place->ends.load();
    });
  });
  return places_.emplace(domain, std::move(made)).first->second.get();
}

expected<void, std::string> PoolBus::join(int domain) {
  const auto joined = place(domain);
  return joined ? expected<void, std::string>{} : unexpected<std::string>(joined.error().text);
}

PoolBus::Made<BusNode> PoolBus::make_node(int domain, const std::string& name) {
  const auto where = place(domain);
  if (!where) {
    return unexpected<Refusal>(where.error());
  }
  pool::EndpointDescription marker;
  marker.topic = std::string(pool::graph_topic);
  marker.type_name = "/";  // the enclave
  marker.node = name;
  marker.qos.depth = 1;
  marker.qos.max_held = 1;
  auto reader = (*where)->domain->create_reader(marker, *(*where)->waiter);
  if (!reader) {
    return unexpected<Refusal>(refusal(reader.error()));
  }
  return std::make_unique<PoolNode>(std::move(*reader));
}

PoolBus::Made<BusWriter> PoolBus::make_writer(int domain, const pool::EndpointDescription& what) {
  const auto where = place(domain);
  if (!where) {
    return unexpected<Refusal>(where.error());
  }
  pool::WriterOptions options;
  options.max_loans = 2;  // one for a message that comes in pieces
  options.prefault = false;
  options.waiter = (*where)->waiter.get();
  auto writer = (*where)->domain->create_writer(what, options);
  if (!writer) {
    return unexpected<Refusal>(refusal(writer.error()));
  }
  (*where)->domain->match_now();
  return std::make_unique<PoolWriter>(std::move(*writer));
}

PoolBus::Made<BusReader> PoolBus::make_reader(int domain, const pool::EndpointDescription& what) {
  const auto where = place(domain);
  if (!where) {
    return unexpected<Refusal>(where.error());
  }
  auto reader = (*where)->domain->create_reader(what, *(*where)->waiter);
  if (!reader) {
    return unexpected<Refusal>(refusal(reader.error()));
  }
  (*where)->domain->match_now();
  return std::make_unique<PoolReader>(std::move(*reader));
}

std::optional<std::array<std::uint8_t, 32>> PoolBus::hash_of(int domain, const std::string& type) {
  if (const auto known = options_.types.find(type); known != options_.types.end()) {
    return known->second;
  }
  const auto where = place(domain);
  if (!where) {
    return std::nullopt;
  }
  for (const auto& endpoint : (*where)->domain->endpoints()) {
    const auto& what = endpoint.description;
    if (what.type_name == type && what.type_hash != std::array<std::uint8_t, 32>{}) {
      return what.type_hash;
    }
  }
  return std::nullopt;
}

}  // namespace ligament::xrce
