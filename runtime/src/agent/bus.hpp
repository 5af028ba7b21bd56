// SPDX-License-Identifier: Apache-2.0
/// \file What the agent needs of the pool: writers, readers and markers of nodes. An interface, so
/// that the protocol can be tested and fuzzed without shared memory.
#pragma once

#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "agent/representation.hpp"

namespace ligament::xrce {

class BusWriter {
 public:
  virtual ~BusWriter() = default;
  /// Memory for a stored message of so many bytes, until `publish` or the next loan; empty: none.
  [[nodiscard]] virtual std::span<std::byte> loan(std::size_t size) = 0;
  virtual void publish(const pool::RequestIdentity& request) = 0;
  /// Publishes messages of which these are the bodies, small ones that came at once, at `now_ns`.
  /// Each is copied once. One that finds no memory, or is too long, is left out.
  [[nodiscard]] virtual pool::PublishedCopies write(std::span<const Bytes> bodies,
                                                    std::int64_t now_ns);
  /// Another such memory, for a message whose pieces come one by one; it stays until `publish_long`
  /// or `drop_long`. Empty: there is none, or it is out already.
  [[nodiscard]] virtual std::span<std::byte> loan_long(std::size_t size) = 0;
  virtual void publish_long() = 0;
  /// Whether `publish_long` can publish less than was lent; then how much.
  [[nodiscard]] virtual bool can_shorten() const { return false; }
  virtual void shorten_long(std::size_t /*size*/) {}
  virtual void drop_long() = 0;
  [[nodiscard]] virtual pool::Gid gid() const = 0;
  /// Somebody reads what is published.
  [[nodiscard]] virtual bool is_matched() const = 0;
};

struct BusSample {
  Bytes stored;  ///< valid until the next `take` of its reader
  pool::RequestIdentity request;
};
class BusReader {
 public:
  virtual ~BusReader() = default;
  [[nodiscard]] virtual std::optional<BusSample> take() = 0;
  /// Somebody publishes for it.
  [[nodiscard]] virtual bool is_matched() const = 0;
};

/// A node in the graph, as long as it lives.
class BusNode {
 public:
  virtual ~BusNode() = default;
};

class Bus {
 public:
  virtual ~Bus() = default;
  template <typename T>
  using Made = expected<std::unique_ptr<T>, Refusal>;
  /// `domain`: as ROS counts them.
  /// What is made is matched with all ends that are there, when the call returns: the client is
  /// told that it exists, and the next message may be for it.
  [[nodiscard]] virtual Made<BusNode> make_node(int domain, const std::string& name) = 0;
  [[nodiscard]] virtual Made<BusWriter> make_writer(int domain,
                                                    const pool::EndpointDescription& what) = 0;
  [[nodiscard]] virtual Made<BusReader> make_reader(int domain,
                                                    const pool::EndpointDescription& what) = 0;
  /// The hash of a type; nothing where nobody knows its definition.
  [[nodiscard]] virtual std::optional<std::array<std::uint8_t, 32>> hash_of(
      int domain, const std::string& type) = 0;
};

}  // namespace ligament::xrce
