// SPDX-License-Identifier: Apache-2.0
#include "device/fpga_uio/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "device/failure.hpp"

namespace ligament::device::fpga_uio {
namespace {

using Json = nlohmann::json;

/// What is wrong with the file, as a clause.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::size_t most_message_bytes = std::size_t{1} << 31U;

std::uint64_t hexadecimal(const Json& value) {
  const auto text = value.get<std::string>();
  std::size_t used = 0;
  const std::uint64_t number = std::stoull(text, &used, 16);
  if (used != text.size()) {
    throw Unfit("'" + text + "' is no number");
  }
  return number;
}

/// Places of settings or values: only those that their tables have (spec/device/board.md).
void read_places(const Json& registers, std::uint32_t first, Plan& plan) {
  std::uint32_t expected = first;
  for (const Json& one : registers) {
    const auto name = one.at("name").get<std::string>();
    if (hexadecimal(one.at("address")) != expected) {
      throw Unfit("the register '" + name + "' is not at its place");
    }
    plan.places[name] = expected;
    expected += 8;
  }
}

std::uint32_t place_of(const Plan& plan, const std::string& name) {
  const auto found = plan.places.find(name);
  if (found == plan.places.end()) {
    throw Unfit("it has no register '" + name + "'");
  }
  return found->second;
}

Stream read_stream(const Json& one, const Plan& plan) {
  Stream stream;
  stream.name = one.at("name").get<std::string>();
  stream.node = one.at("node").get<std::string>();
  stream.port = one.at("port").get<std::string>();
  stream.input = one.at("direction") == "in";
  stream.message = one.at("message").get<std::string>();
  stream.bytes = one.at("bytes").get<std::size_t>();
  if (stream.bytes == 0 || stream.bytes > most_message_bytes) {
    throw Unfit("the stream '" + stream.name + "' has messages of no possible length");
  }
  stream.messages = place_of(plan, stream.name + ".messages");
  if (!stream.input) {
    stream.problem = place_of(plan, stream.name + ".problem");
    stream.refusal = place_of(plan, stream.name + ".refusal");
  }
  if (one.contains("end")) {
    const auto end = one.at("end").get<std::uint64_t>();  // as 32 bits it might be another's
    if (end >= plan.ends) {
      throw Unfit("the stream '" + stream.name + "' is at an end that the design has not");
    }
    stream.end = static_cast<std::uint32_t>(end);
    for (const Stream& other : plan.streams) {
      if (other.end == stream.end && other.input == stream.input) {
        throw Unfit("the streams '" + other.name + "' and '" + stream.name + "' share an end");
      }
    }
  } else {
    stream.topic = one.at("topic").get<std::string>();
    (void)place_of(plan, stream.topic + ".frames");
    if (stream.input) {
      stream.subscription = one.at("subscription").get<std::uint32_t>();
      stream.drops = place_of(plan, stream.topic + ".drops." + std::to_string(stream.subscription));
    }
  }
  return stream;
}

void read_streams(const Json& data, Plan& plan) {
  if (!data.contains("streams")) {
    throw Unfit("it has no streams: an earlier version of Ligament exported it");
  }
  for (const Json& one : data.at("streams")) {
    if (const auto unfit = one.value("unfit", std::string()); !unfit.empty()) {
      throw Unfit("this driver has no " + unfit);
    }
    const std::size_t number = plan.streams.size();
    plan.streams.push_back(read_stream(one, plan));
    const Stream& stream = plan.streams.back();
    auto node = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                             [&](const NodeStreams& other) { return other.name == stream.node; });
    if (node == plan.nodes.end()) {
      node = plan.nodes.insert(node, NodeStreams{stream.node, {}, {}});
    }
    (stream.input ? node->inputs : node->outputs).push_back(number);
  }
  // Memory is placed for messages that go in: without one there is nothing to drive.
  if (std::none_of(plan.streams.begin(), plan.streams.end(),
                   [](const Stream& stream) { return stream.input && stream.end; })) {
    throw Unfit("it has no input from memory: nothing sets it off");
  }
  for (const NodeStreams& node : plan.nodes) {
    if (node.inputs.empty()) {
      throw Unfit("the node '" + node.name + "' has no input: nobody knows when it is done");
    }
  }
}

Plan read(const Json& data, const std::string& path) {
  if (data.at("schema") != "ligament/export/1") {
    throw Unfit("it is not of the schema ligament/export/1");
  }
  Plan plan;
  plan.path = path;
  plan.name =
      data.at("graph").get<std::string>() + "'s design for " + data.at("device").get<std::string>();
  plan.identity = hexadecimal(data.at("identity"));
  plan.settings = data.at("settings").size();
  plan.values = data.at("values").size();
  plan.ends = data.at("ends").size();
  constexpr std::size_t most_registers = 512;
  if (plan.settings == 0 || plan.settings > most_registers || plan.values > most_registers ||
      plan.ends == 0 || plan.ends > 64) {
    throw Unfit("it has impossible counts of registers or ends");
  }
  if (data.contains("pages")) {
    plan.pages = data.at("pages").at("count").get<std::size_t>();
    plan.page_bytes = data.at("pages").at("bytes").get<std::size_t>();
    constexpr std::size_t most_page_bytes = 1U << 21U;  // sums of more could wrap
    if (plan.page_bytes < 4096 || plan.page_bytes > most_page_bytes ||
        (plan.page_bytes & (plan.page_bytes - 1)) != 0 || plan.pages > 65536) {
      throw Unfit("it has an impossible table of pages");
    }
  }
  constexpr std::uint32_t settings_at = 0x11000;
  constexpr std::uint32_t values_at = 0x12000;
  read_places(data.at("settings"), settings_at, plan);
  read_places(data.at("values"), values_at, plan);
  read_streams(data, plan);
  return plan;
}

}  // namespace

Result<Plan> read_plan(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return failure(ErrorCode::artefact_missing,
                   "there is no exported design '" + path + "': `ligament export` writes it");
  }
  try {
    std::ifstream in(path);
    return read(Json::parse(in), path);
  } catch (const std::exception& error) {
    return failure(ErrorCode::artefact_invalid,
                   "'" + path + "' is no export.json that can be driven: " + error.what());
  }
}

}  // namespace ligament::device::fpga_uio
