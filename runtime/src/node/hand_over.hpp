// SPDX-License-Identifier: Apache-2.0
/// \file Who gets a message of a topic whose mode is `handed_over`: the subscription of this
/// process that takes it first, in place, as rclcpp hands a unique_ptr to one subscription; all
/// others get copies.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ligament/detail/pool.hpp>
#include <map>
#include <memory>
#include <mutex>

namespace ligament::detail {

class HandOver {
 public:
  [[nodiscard]] static HandOver& of_process();

  /// True for the first that asks for this message.
  [[nodiscard]] bool claim(std::uint64_t publisher, std::uint64_t sequence);
  /// Whether the publisher is of this process. Looks at all endpoints once per publisher.
  [[nodiscard]] bool is_own(const pool::Domain& domain, std::uint64_t publisher);

 private:
  /// The last messages that were claimed, by number. A subscription that is further behind than
  /// this may get a message in place that another had: samples do not change, so that is no harm.
  static constexpr std::size_t remembered = 256;
  struct Publisher {
    std::array<std::atomic<std::uint64_t>, remembered> claimed{};
    bool is_own = false;
    bool is_looked_up = false;
  };
  /// Of many that came and went the places are forgotten, all at once.
  static constexpr std::size_t most_publishers = 1024;
  [[nodiscard]] std::shared_ptr<Publisher> find(std::uint64_t publisher);

  std::mutex mutex_;  ///< guards what follows, and Publisher's looked-up part
  std::map<std::uint64_t, std::shared_ptr<Publisher>> publishers_;
};

}  // namespace ligament::detail
