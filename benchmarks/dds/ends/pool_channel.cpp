// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "channel.hpp"
#include "ligament/detail/pool.hpp"
#include "ligament/qos.hpp"
#include "transport/edge/edge.hpp"
#include "transport/edge/status.hpp"

namespace ligament::bench_dds {

namespace {

/// Encapsulation and the array's length; then the array.
constexpr std::size_t head_bytes = 8;
constexpr std::array<unsigned char, 4> encapsulation{0, 1, 0, 0};

class PoolChannel final : public Channel {
 public:
  PoolChannel(const Options& options, const std::string& out, const std::string& in)
      : bytes_(options.bytes) {
    auto domain = pool::Domain::join({.name = options.pool, .run_id = options.pool});
    if (!domain) {
      fail(domain.error().text);
    }
    domain_ = *domain;
    auto waiter = domain_->create_waiter();
    if (!waiter) {
      fail(waiter.error().text);
    }
    waiter_ = std::move(*waiter);
    if (!out.empty()) {
      open_writer(options, out);
    }
    if (!in.empty()) {
      open_reader(options, in);
    }
    if (options.through == "inside") {
      start_edge(options);
    }
  }

  std::size_t listeners() override { return writer_->matched_readers(); }

  std::optional<std::int64_t> send(std::uint64_t sequence) override {
    auto loan = writer_->loan(head_bytes + bytes_);
    if (!loan) {
      return std::nullopt;
    }
    const auto payload = loan->payload();
    const auto length = static_cast<std::uint32_t>(bytes_);
    std::memcpy(payload.data(), encapsulation.data(), encapsulation.size());
    std::memcpy(payload.data() + encapsulation.size(), &length, sizeof length);
    const Stamp stamp{sequence, now_ns()};
    std::memcpy(payload.data() + head_bytes, &stamp, sizeof stamp);
    if (!writer_->publish(std::move(*loan))) {
      return std::nullopt;
    }
    return stamp.sent_ns;
  }

  std::optional<Stamp> receive(std::int64_t deadline_ns) override {
    for (;;) {
      auto taken = reader_->take();
      if (!taken) {
        fail(std::string(pool::to_string(taken.error())));
      }
      if (taken->has_value()) {
        return stamp_of((*taken)->payload());
      }
      const std::int64_t now = now_ns();
      if (now >= deadline_ns) {
        return std::nullopt;
      }
      (void)waiter_->wait(pool::WaitStrategy::sleep(), std::min(deadline_ns, now + 500'000'000));
    }
  }

  nlohmann::json edge_topics() const override {
    return edge_ == nullptr ? nlohmann::json() : edge::figures_line(edge_->figures())["topics"];
  }

 private:
  static pool::EndpointDescription describe(const Options& options, const std::string& topic) {
    pool::EndpointDescription description;
    description.topic = "/" + topic;
    description.type_name = "ligament_bench/msg/Bytes";
    description.node = "/bench";
    description.qos = QoS(options.depth).reliable().profile();
    return description;
  }

  static Stamp stamp_of(std::span<const std::byte> payload) {
    Stamp stamp;
    if (payload.size() < head_bytes + sizeof stamp) {
      fail("a message is too short");
    }
    std::memcpy(&stamp, payload.data() + head_bytes, sizeof stamp);
    return stamp;
  }

  void open_writer(const Options& options, const std::string& topic) {
    pool::WriterOptions shape;
    shape.max_bytes = head_bytes + bytes_;
    auto writer = domain_->create_writer(describe(options, topic), shape);
    if (!writer) {
      fail(writer.error().text);
    }
    writer_ = std::move(*writer);
  }

  void open_reader(const Options& options, const std::string& topic) {
    auto reader = domain_->create_reader(describe(options, topic), *waiter_);
    if (!reader) {
      fail(reader.error().text);
    }
    reader_ = std::move(*reader);
  }

  void start_edge(const Options& options) {
    edge::Options of_edge{.graph = options.pool, .run_id = options.pool};
    of_edge.participant.domain = options.domain_id;
    auto edge = edge::Edge::start(of_edge);
    if (!edge) {
      fail(edge.error());
    }
    edge_ = std::move(*edge);
  }

  std::size_t bytes_;
  std::shared_ptr<pool::Domain> domain_;
  std::unique_ptr<pool::Waiter> waiter_;
  std::unique_ptr<pool::Writer> writer_;
  std::unique_ptr<pool::Reader> reader_;
  std::unique_ptr<edge::Edge> edge_;
};

}  // namespace

std::unique_ptr<Channel> open_pool(const Options& options, const std::string& out,
                                   const std::string& in) {
  return std::make_unique<PoolChannel>(options, out, in);
}

}  // namespace ligament::bench_dds
