// SPDX-License-Identifier: Apache-2.0
/// \file A core and its host in one process: the core's real code, on memory that both have.
#pragma once

#include <gtest/gtest.h>
#include <ligament/rpmsg.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rpmsg/link.hpp"

namespace ligament::rpmsg::twin {

inline const Map small_map{0x21000000, 4, 512, 1024, 4};
inline const Map usual_map = LIGAMENT_RPMSG_MAP(0x21000000);

inline Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Memory of exactly the layout's size, so that a sanitizer sees each byte beyond.
struct Memory {
  explicit Memory(const Map& map_in) : map(map_in), size(ligament_rpmsg_layout(&map).size) {
    area.reset(static_cast<std::byte*>(std::aligned_alloc(LIGAMENT_RPMSG_ALIGN, size)));
    std::memset(area.get(), 0, size);
  }
  [[nodiscard]] Area host() const { return *Area::of(area.get(), map); }

  Map map;
  std::size_t size;
  std::unique_ptr<std::byte, decltype(&std::free)> area{nullptr, &std::free};
};

struct Core {
  static constexpr std::uint32_t all_features =
      LIGAMENT_RPMSG_F_NAME_SERVICE | LIGAMENT_RPMSG_F_RAW | LIGAMENT_RPMSG_F_LARGE;

  explicit Core(Memory& memory, std::unique_ptr<Bell> bell_in) : bell(std::move(bell_in)) {
    config.memory = reinterpret_cast<std::uint8_t*>(memory.area.get());
    config.map = memory.map;
    config.features = all_features;
    config.kick = [](void* core) {
      ++static_cast<Core*>(core)->kicks;
      static_cast<Core*>(core)->bell->ring();
    };
    config.changed = [](void* core, ligament_rpmsg_state_t state) {
      static_cast<Core*>(core)->states.push_back(state);
    };
    config.context = this;
    config.assembly = assembly.data();
    config.assembly_size = static_cast<std::uint32_t>(assembly.size());
    endpoint.name = "echo";
    endpoint.context = this;
    endpoint.receive = [](void* core, std::uint32_t source, const std::uint8_t* data,
                          std::size_t size) {
      return static_cast<Core*>(core)->receive(source, data, size);
    };
  }
  int start() {
    const int started = ligament_rpmsg_start(&link, &config);
    return started != 0 ? started : ligament_rpmsg_open(&link, &endpoint);
  }
  void poll() {
    while (ligament_rpmsg_poll(&link) > 0) {
    }
  }
  int send(const std::string& text) {
    return ligament_rpmsg_send(&link, &endpoint, text.data(), text.size());
  }
  int receive(std::uint32_t /*source*/, const std::uint8_t* data, std::size_t size) {
    got.emplace_back(reinterpret_cast<const char*>(data), size);
    if (hold) {
      held.push_back(data);
      return LIGAMENT_RPMSG_HELD;
    }
    return LIGAMENT_RPMSG_DONE;
  }

  std::unique_ptr<Bell> bell;
  ligament_rpmsg_config_t config{};
  ligament_rpmsg_t link{};
  ligament_rpmsg_endpoint_t endpoint{};
  std::vector<std::uint8_t> assembly = std::vector<std::uint8_t>(65536);
  std::vector<std::string> got;
  std::vector<const std::uint8_t*> held;
  std::vector<ligament_rpmsg_state_t> states;
  int kicks = 0;
  bool hold = false;
};

struct Host {
  explicit Host(const Area& area, std::unique_ptr<Bell> bell, Options options = {})
      : link(area, std::move(bell),
             {[this] { ++ups; }, [this](const std::string& why) { downs.push_back(why); },
              [this](const Channel& channel, bool there) {
                channels.push_back((there ? "+" : "-") + channel.name);
              },
              [this](std::uint32_t from, std::uint32_t, Bytes data) {
                peer = from;
                got.emplace_back(reinterpret_cast<const char*>(data.data()), data.size());
              },
              [this] { ++rooms; }},
             options) {}
  SendStatus send(const std::string& text) {
    const Bytes piece = bytes_of(text);
    const std::uint32_t to = link.channels().empty() ? 0 : link.channels().front().address;
    return link.send(local, to, std::span(&piece, 1));
  }

  static constexpr std::uint32_t local = 1024;
  std::vector<std::string> downs;
  std::vector<std::string> channels;
  std::vector<std::string> got;
  std::uint32_t peer = 0;
  int ups = 0;
  int rooms = 0;
  Link link;
};

/// Both, and one bell between them.
struct Pair {
  explicit Pair(const Map& map = usual_map, Options options = {})
      : memory(map), bells(EventBell::pair()) {
    core = std::make_unique<Core>(memory, std::move(bells.first));
    host = std::make_unique<Host>(memory.host(), std::move(bells.second), options);
  }
  /// Until nobody has anything to do.
  void settle() {
    for (int round = 0; round < 8; ++round) {
      core->poll();
      host->link.work();
    }
  }
  /// Up, and the core's endpoint knows the host.
  void up() {
    ASSERT_EQ(core->start(), 0);
    settle();
    ASSERT_TRUE(host->link.running());
    ASSERT_EQ(host->send("hello"), SendStatus::ok);
    settle();
    ASSERT_EQ(core->got, std::vector<std::string>{"hello"});
    core->got.clear();
  }

  Memory memory;
  std::pair<std::unique_ptr<Bell>, std::unique_ptr<Bell>> bells;
  std::unique_ptr<Core> core;
  std::unique_ptr<Host> host;
};

}  // namespace ligament::rpmsg::twin
