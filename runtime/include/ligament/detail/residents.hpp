// SPDX-License-Identifier: Apache-2.0
/// \file Which payloads of queue topics are on the device. Not promised.
#pragma once

#include <cstdint>
#include <ligament/gpu.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace ligament::gpu {

/// By message. A block of the pool stands for a payload for as long as somebody has the message, so
/// there are never more of them than blocks: a block's next message takes the place of its last.
class Residents {
 public:
  /// Those of this process; never destroyed.
  [[nodiscard]] static Residents& instance();

  /// Of the last message in this block, to be used again if nobody else has it; null: none.
  [[nodiscard]] std::shared_ptr<Resident> of_block(const std::byte* block);
  /// What `publish` returns is the message's number, 0 where it was not sent. Nobody finds it
  /// before it is here.
  template <typename Publish>
  void add(const std::byte* block, std::uint64_t publisher, std::shared_ptr<Resident> resident,
           const Publish& publish) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t sequence = publish();
    forget(block);
    if (sequence != 0) {
      blocks_[block] = {publisher, sequence};
      messages_[{publisher, sequence}] = std::move(resident);
    }
  }
  /// Null: there is none.
  [[nodiscard]] std::shared_ptr<Resident> find(std::uint64_t publisher, std::uint64_t sequence);
  /// A publisher goes.
  void forget_publisher(std::uint64_t publisher);

 private:
  using Message = std::pair<std::uint64_t, std::uint64_t>;
  void forget(const std::byte* block);

  std::mutex mutex_;
  std::map<const std::byte*, Message> blocks_;
  std::map<Message, std::shared_ptr<Resident>> messages_;
};

}  // namespace ligament::gpu
