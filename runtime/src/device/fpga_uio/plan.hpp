// SPDX-License-Identifier: Apache-2.0
/// \file What an exported folder says of its design (export.json, spec/export/export.schema.json):
/// the one source of each place that the driver reads or writes.
#pragma once

#include <cstdint>
#include <ligament/device.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ligament::device::fpga_uio {

/// A stream of a node's core: to or from memory, or a topic on the chip.
struct Stream {
  std::string name;
  std::string node;
  std::string port;
  bool input = false;
  std::string message;               ///< `package/msg/Name`
  std::size_t bytes = 0;             ///< of its longest message
  std::optional<std::uint32_t> end;  ///< in memory
  std::string topic;                 ///< else: on the chip
  std::uint32_t subscription = 0;    ///< of an input from a topic
  std::uint32_t messages = 0;        ///< place of the value that counts what passed
  std::uint32_t problem = 0;         ///< of an output: places of what was wrong with it
  std::uint32_t refusal = 0;
  std::uint32_t drops = 0;  ///< of an input from a topic: place of its drops
};

struct NodeStreams {
  std::string name;
  std::vector<std::size_t> inputs;  ///< places in Plan::streams
  std::vector<std::size_t> outputs;
};

struct Plan {
  std::string path;  ///< of export.json
  std::string name;  ///< graph and device, for people
  std::uint64_t identity = 0;
  std::size_t settings = 0;
  std::size_t values = 0;
  std::size_t ends = 0;
  std::size_t pages = 0;  ///< of the table that its port goes through; 0: there is none
  std::size_t page_bytes = 4096;
  std::vector<Stream> streams;
  std::vector<NodeStreams> nodes;
  std::map<std::string, std::uint32_t> places;  ///< of settings and values, by name
};

/// Reads export.json. What this driver cannot drive is refused with a sentence.
[[nodiscard]] Result<Plan> read_plan(const std::string& path);

}  // namespace ligament::device::fpga_uio
