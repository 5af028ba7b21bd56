// SPDX-License-Identifier: Apache-2.0
/// \file A slot of a shell, and the core in it (spec/device/slots.md): what generated code is made
/// of on both sides of a slot's pins.
///
/// The shell is a `Design` whose nodes are its slots. A node in a slot is a `SlotMember`: it puts
/// its core's model into the slot when it is made, and takes it out when it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ligament/fpga_member.hpp>
#include <memory>
#include <random>
#include <string>
#include <utility>

namespace ligament::fpga {

inline constexpr std::size_t slot_registers = 8;

/// What a stream's transmitter drives: its lowest bits, as many as the slot's streams have.
struct StreamPins {
  std::array<std::uint64_t, 8> data{};
  std::uint64_t keep = 0;
  std::uint8_t valid = 0;
  std::uint8_t last = 0;

  /// From and to a model's ports, which have the bytes in the order of their lanes.
  template <std::size_t bits, typename Data, typename Keep>
  void get(const Data& from, const Keep& from_keep) {
    static_assert(sizeof from == bits / 8 && sizeof from_keep == bits / 64);
    std::memcpy(data.data(), &from, bits / 8);
    std::memcpy(&keep, &from_keep, bits / 64);
  }
  template <std::size_t bits, typename Data, typename Keep>
  void put(Data& to, Keep& to_keep) const {
    static_assert(sizeof to == bits / 8 && sizeof to_keep == bits / 64);
    std::memcpy(&to, data.data(), bits / 8);
    std::memcpy(&to_keep, &keep, bits / 64);
  }
};

/// The pins of a slot. Each comes from a register on its side, and is of its last clock edge.
struct SlotPins {
  // Of the shell; registers are software's.
  std::uint8_t reset = 1;
  std::uint8_t out_ready = 0;
  StreamPins in;
  std::array<std::uint64_t, slot_registers> registers{};
  // Of the core. Probes: bit 0 is its input, bit 1 its output.
  std::uint8_t in_ready = 0;
  StreamPins out;
  std::uint64_t identity = 0;
  std::uint8_t probe_valid = 0;
  std::uint8_t probe_ready = 0;
  std::uint8_t probe_last = 0;
  std::uint8_t problem = 0;
  std::uint8_t refusal = 0;
};

/// A core's model, compiled for itself.
class SlotCore {
 public:
  SlotCore() = default;
  virtual ~SlotCore() = default;
  SlotCore(const SlotCore&) = delete;
  SlotCore& operator=(const SlotCore&) = delete;

  /// A clock edge: takes the shell's pins as they are, and leaves its own.
  virtual void cycle(SlotPins& pins) = 0;
};

/// A slot's region: a core, or none.
class Region {
 public:
  SlotPins pins;

  void put(std::unique_ptr<SlotCore> core) { core_ = std::move(core); }
  void clear() {
    core_.reset();
    pins.probe_valid = pins.probe_ready = pins.probe_last = pins.problem = pins.refusal = 0;
  }
  /// A clock edge. What an empty region says is undefined: here, anything.
  void cycle() {
    if (core_ != nullptr) {
      core_->cycle(pins);
      return;
    }
    const std::uint64_t chance = noise_();
    pins.in_ready = chance & 1U;
    pins.out.data.fill(noise_());
    pins.out.keep = chance >> 8U;
    pins.out.valid = static_cast<std::uint8_t>(chance >> 1U & 1U);
    pins.out.last = static_cast<std::uint8_t>(chance >> 2U & 1U);
    pins.identity = chance;
  }

 private:
  std::unique_ptr<SlotCore> core_;
  std::mt19937_64 noise_;
};

/// Base of generated nodes in slots.
class SlotMember : public Member {
 public:
  ~SlotMember() override;
  SlotMember(const SlotMember&) = delete;
  SlotMember& operator=(const SlotMember&) = delete;

 protected:
  SlotMember(const std::string& name, const NodeOptions& options, std::shared_ptr<Design> shell,
             std::size_t slot);
  /// Puts the core into the slot, with its registers: from then on, other threads know this node.
  /// If that cannot be, the node has an error that says why, and nothing of the slot has changed.
  void enter(SlotUse use, std::unique_ptr<SlotCore> core);
  /// Whether it is in the slot.
  [[nodiscard]] bool holds() const { return holds_; }
  [[nodiscard]] std::uint64_t& register_pin(std::size_t number);

 private:
  std::shared_ptr<Design> shell_;
  std::size_t slot_;
  bool holds_ = false;
};

}  // namespace ligament::fpga
