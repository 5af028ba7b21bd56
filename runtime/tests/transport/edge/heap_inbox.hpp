// SPDX-License-Identifier: Apache-2.0
/// For readers outside of any pool: payloads in memory of their own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transport/dds/raw_type.hpp"

namespace ligament::edge {

class HeapInbox : public dds::Inbox {
 public:
  struct Memory final : dds::Incoming {
    explicit Memory(std::size_t size) : memory(size) {}
    std::span<std::byte> bytes() override { return memory; }
    std::vector<std::byte> memory;
  };
  std::unique_ptr<dds::Incoming> receive(std::size_t size, const dds::Marks&) override {
    return std::make_unique<Memory>(size);
  }
};

}  // namespace ligament::edge
