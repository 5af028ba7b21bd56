// SPDX-License-Identifier: Apache-2.0
/// \file The bus that is the pool: the domains `ros.N`, each joined when the first client asks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "agent/bus.hpp"
#include "agent/types.hpp"

namespace ligament::xrce {

class PoolBus : public Bus {
 public:
  struct Options {
    TypeHashes types;
    /// A reader may have something: called by a thread of ours, beside everything else.
    std::function<void()> on_samples;
    bool wants_edge = true;  ///< starts the edge of a domain where there is none
  };
  explicit PoolBus(Options options);
  ~PoolBus() override;
  PoolBus(const PoolBus&) = delete;
  PoolBus& operator=(const PoolBus&) = delete;

  Made<BusNode> make_node(int domain, const std::string& name) override;
  Made<BusWriter> make_writer(int domain, const pool::EndpointDescription& what) override;
  Made<BusReader> make_reader(int domain, const pool::EndpointDescription& what) override;
  std::optional<std::array<std::uint8_t, 32>> hash_of(int domain, const std::string& type) override;

  /// Joins it now, so that a mistake shows before the first client comes.
  [[nodiscard]] expected<void, std::string> join(int domain);
  /// No more calls of `on_samples`.
  void stop();

 private:
  struct Place;
  [[nodiscard]] expected<Place*, Refusal> place(int domain);

  Options options_;
  std::map<int, std::unique_ptr<Place>> places_;
};

}  // namespace ligament::xrce
