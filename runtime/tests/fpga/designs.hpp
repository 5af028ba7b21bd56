// SPDX-License-Identifier: Apache-2.0
/// \file What the tests of a design's driver share: designs of a few cores, in models, and
/// messages.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <ligament/fpga_design.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model.hpp"

namespace ligament::fpga::testing {

/// entry -> a -> topic -> b and c -> exits.
inline std::unique_ptr<Model> fan() {
  auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  Stream* middle = model->stream();
  std::array<Stream*, 2> parts{model->stream(), model->stream()};
  std::array<Stream*, 2> outs{model->stream(), model->stream()};
  model->add_node({in}, {middle});
  model->add_node({parts[0]}, {outs[0]});
  model->add_node({parts[1]}, {outs[1]});
  Network& network = model->networks.emplace_back();
  network.in = middle;
  network.outs = {parts[0], parts[1]};
  model->entries = {in};
  model->exits = {outs[0], outs[1]};
  const auto probe = [&](Stream* stream) { return model->probe(stream); };
  model->plan = {
      {{{probe(in), 0, 0, 0}}, {{probe(middle), std::nullopt, 0, 0}}, {}},
      {{{probe(parts[0]), std::nullopt, 0, 0}}, {{probe(outs[0]), 0, 0, 1}}, {}},
      {{{probe(parts[1]), std::nullopt, 0, 1}}, {{probe(outs[1]), 1, 0, 2, "result"}}, {}},
  };
  return model;
}

/// Two entries -> one node -> exit.
inline std::unique_ptr<Model> pair() {
  auto model = std::make_unique<Model>();
  Stream* left = model->stream();
  Stream* right = model->stream();
  Stream* out = model->stream();
  model->add_node({left, right}, {out});
  model->entries = {left, right};
  model->exits = {out};
  model->plan = {{{{model->probe(left), 0, 0, 0}, {model->probe(right), 1, 0, 0}},
                  {{model->probe(out), 0, 0, 0}},
                  {}}};
  return model;
}

/// entry -> node -> exit.
inline std::unique_ptr<Model> single() {
  auto model = std::make_unique<Model>();
  Stream* in = model->stream();
  Stream* out = model->stream();
  model->add_node({in}, {out});
  model->entries = {in};
  model->exits = {out};
  model->plan = {{{{model->probe(in), 0, 0, 0}}, {{model->probe(out), 0, 0, 0, "out"}}, {}}};
  return model;
}

/// Two of them that nothing joins, on one port: each is a part.
inline std::unique_ptr<Model> strangers() {
  auto model = std::make_unique<Model>();
  for (std::size_t i = 0; i < 2; ++i) {
    Stream* in = model->stream();
    Stream* out = model->stream();
    model->add_node({in}, {out});
    model->entries.push_back(in);
    model->exits.push_back(out);
    model->plan.push_back(
        {{{model->probe(in), i, 0, 0}}, {{model->probe(out), i, 0, i}}, {}, std::nullopt, i});
  }
  return model;
}

/// entry -> a -> topic -> b -> exit, with names.
inline std::unique_ptr<Model> chain() {
  auto model = std::make_unique<Model>();
  std::array<Stream*, 4> s{};
  for (Stream*& stream : s) {
    stream = model->stream();
  }
  model->add_node({s[0]}, {s[1]});
  model->add_node({s[2]}, {s[3]});
  Network& network = model->networks.emplace_back();
  network.in = s[1];
  network.outs = {s[2]};
  model->entries = {s[0]};
  model->exits = {s[3]};
  const auto probe = [&](std::size_t stream) { return model->probe(s.at(stream)); };
  model->plan = {
      {.inputs = {{.probe = probe(0), .entry = 0, .port = "image"}},
       .outputs = {{.probe = probe(1), .exit = std::nullopt, .port = "middle"}},
       .refusals = {},
       .name = "/a"},
      {.inputs = {{.probe = probe(2), .entry = std::nullopt, .port = "in"}},
       .outputs = {{.probe = probe(3), .exit = 0, .problem = 1, .port = "out"}},
       .refusals = {},
       .name = "/b"},
  };
  return model;
}

/// entry 0 -> a -> topic -> b -> exit, and entry 1 -> b: it joins both.
inline std::unique_ptr<Model> joined() {
  auto model = chain();
  Stream* second = model->stream();
  model->nodes[1].inputs.push_back(second);
  model->entries.push_back(second);
  model->plan[1].inputs.push_back({.probe = model->probe(second), .entry = 1, .port = "second"});
  return model;
}

class DesignTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = static_cast<std::byte>(i * 7);
    }
  }

  /// A message of that many bytes, `pad` behind a boundary.
  [[nodiscard]] Arrival message(std::size_t size, std::size_t pad = 0,
                                std::size_t entry = 0) const {
    return {.entry = entry, .message = std::span(memory_).subspan(pad, size), .keep = {}};
  }
  /// The same, known by a number among its node's messages.
  [[nodiscard]] static Arrival numbered(std::size_t number, Arrival arrival) {
    arrival.number = number;
    return arrival;
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::size_t size, std::size_t pad = 0) const {
    const auto part = std::span(memory_).subspan(pad, size);
    return {part.begin(), part.end()};
  }

  [[nodiscard]] static std::vector<std::byte> bytes_of(const Departure& departure) {
    return {departure.message.begin(), departure.message.end()};
  }

  alignas(128) std::array<std::byte, 4096> memory_{};  // a burst
};

}  // namespace ligament::fpga::testing
