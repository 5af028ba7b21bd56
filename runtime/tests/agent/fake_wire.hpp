// SPDX-License-Identifier: Apache-2.0
/// \file An agent and clients of the firmware in one process: a wire that harms what passes, and a
/// clock that moves when somebody waits.
#pragma once

extern "C" {
#include "ligament/xrce.h"
}

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "fake_bus.hpp"

namespace ligament::xrce::test {

struct Harm {
  double lost = 0;
  double doubled = 0;
  double delayed = 0;  ///< up to 3 ms, so that others pass it
  unsigned seed = 1;
};

class FakeWire : public Link {
 public:
  using Message = std::vector<std::byte>;
  explicit FakeWire(Harm harm = {}) : harm_(harm), chance_(harm.seed), agent(make_agent()) {}

  FakeBus bus;
  std::int64_t now_us = 1'000'000;
  std::vector<std::string> said;  ///< by the agent, to people
  bool is_cut = false;            ///< nothing passes
  int dies_after = -1;            ///< messages to the agent until it is another one

  // To the clients.
  void send(const Address& to, std::span<const Bytes> pieces) override {
    Message message;
    for (const Bytes& piece : pieces) {
      message.insert(message.end(), piece.begin(), piece.end());
    }
    pass(to_client_[to], std::move(message));
  }

  /// The port of the client at an address; the wire must outlive it.
  struct Port {
    FakeWire* wire;
    Address address;
    int lives = -1;  ///< messages until its board dies; negative: it does not
    int sent = 0;
  };
  [[nodiscard]] static ligament_port_t port(Port& port) {
    return {&port, &send_up, &receive, &now, nullptr, nullptr, nullptr, nullptr, nullptr};
  }

  /// The agent is another one, which knows nobody.
  void restart_agent() { agent = make_agent(); }

  /// As long as that: what is in flight arrives, and what is due is done.
  void wait(std::int64_t for_us) {
    for (const std::int64_t until = now_us + for_us; now_us < until;) {
      step();
    }
  }

 private:
  struct Travelling {
    std::int64_t arrives_us;
    Message message;
  };
  struct Upward {
    std::int64_t arrives_us;
    Address from;
    Message message;
  };
  static constexpr std::int64_t way_us = 100;
  static constexpr int board_died = -5;  ///< what its port then says

  std::unique_ptr<Agent> make_agent() {
    AgentOptions options;
    options.log = [this](const std::string& text) { said.push_back(text); };
    return std::make_unique<Agent>(options, bus, profiles);
  }
  bool happens(double probability) {
    return std::uniform_real_distribution<>(0, 1)(chance_) < probability;
  }
  std::int64_t arrival() {
    const auto late = std::uniform_int_distribution<std::int64_t>(0, 3000)(chance_);
    return now_us + way_us + (happens(harm_.delayed) ? late : 0);
  }
  void pass(std::deque<Travelling>& way, Message message) {
    const int copies = is_cut || happens(harm_.lost) ? 0 : happens(harm_.doubled) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      way.push_back({arrival(), message});
    }
  }
  void step() {
    now_us += 50;
    for (auto at = up_.begin(); at != up_.end();) {
      if (at->arrives_us <= now_us) {
        const Upward came = std::move(*at);
        at = up_.erase(at);
        if (dies_after >= 0 && dies_after-- == 0) {
          restart_agent();
        }
        agent->receive(*this, came.from, came.message, now_us * 1000, now_us * 1000 + 5'000'000);
        agent->flush(now_us * 1000);
      } else {
        ++at;
      }
    }
    agent->flush(now_us * 1000);
    (void)agent->tick(now_us * 1000);
  }

  static int send_up(void* context, const std::uint8_t* message, std::size_t size) {
    auto& port = *static_cast<Port*>(context);
    FakeWire& wire = *port.wire;
    if (port.lives >= 0 && port.sent >= port.lives) {
      return board_died;
    }
    ++port.sent;
    const auto* bytes = reinterpret_cast<const std::byte*>(message);
    const int copies = wire.is_cut || wire.happens(wire.harm_.lost) ? 0
                       : wire.happens(wire.harm_.doubled)           ? 2
                                                                    : 1;
    for (int i = 0; i < copies; ++i) {
      wire.up_.push_back({wire.arrival(), port.address, Message(bytes, bytes + size)});
    }
    return 0;
  }
  static int receive(void* context, std::uint8_t* message, std::size_t capacity,
                     std::uint32_t wait_ms) {
    auto& port = *static_cast<Port*>(context);
    FakeWire& wire = *port.wire;
    if (port.lives >= 0 && port.sent >= port.lives) {
      return board_died;
    }
    const std::int64_t until = wire.now_us + wait_ms * 1000;
    for (bool is_first = true;; is_first = false) {
      auto& way = wire.to_client_[port.address];
      for (auto at = way.begin(); at != way.end(); ++at) {
        if (at->arrives_us <= wire.now_us) {
          const Message came = std::move(at->message);
          way.erase(at);
          if (came.size() > capacity) {
            return 0;
          }
          std::copy(came.begin(), came.end(), reinterpret_cast<std::byte*>(message));
          return static_cast<int>(came.size());
        }
      }
      if (wire.now_us >= until && !is_first) {
        return 0;
      }
      wire.step();  // once though nobody waits: time goes on
    }
  }
  static std::int64_t now(void* context) {
    auto& wire = *static_cast<Port*>(context)->wire;
    ++wire.now_us;  // whoever asks again and again sees it run
    return wire.now_us;
  }

  Harm harm_;
  std::mt19937 chance_;
  std::map<Address, std::deque<Travelling>> to_client_;
  std::deque<Upward> up_;

 public:
  Profiles profiles;
  std::unique_ptr<Agent> agent;
};

/// A session of the firmware with its memory.
struct Board {
  static constexpr std::size_t mtu = 256;
  FakeWire::Port port;
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(LIGAMENT_MEMORY_SIZE(mtu, 8, 8));
  std::vector<std::uint8_t> assembly = std::vector<std::uint8_t>(100'000);
  ligament_session_t session{};
  ligament_node_t node{};

  explicit Board(FakeWire& wire, std::uint8_t number = 1)
      : port{&wire, Address{static_cast<std::byte>(number)}} {}
  [[nodiscard]] ligament_session_options_t options() {
    auto options = ligament_session_defaults(
        FakeWire::port(port), 0xC0FFEE00U + std::to_integer<unsigned>(port.address[0]));
    options.memory = memory.data();
    options.mtu = mtu;
    options.out_slots = 8;
    options.in_slots = 8;
    options.assembly = assembly.data();
    options.assembly_size = assembly.size();
    options.answer_ms = 20'000;
    options.block_ms = 20'000;
    return options;
  }
  [[nodiscard]] int open() {
    const auto chosen = options();
    const int result = ligament_session_open(&session, &chosen);
    return result < 0 ? result : ligament_node_create(&node, &session, "/board");
  }
};

}  // namespace ligament::xrce::test
