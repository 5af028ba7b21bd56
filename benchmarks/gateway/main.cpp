// SPDX-License-Identifier: Apache-2.0
//
// Sends messages, one at a time, through one verilated gateway_top: from a publisher in hardware or
// in software to all subscribing cores and to one subscriber in software, which copies each
// message. Every byte is compared on both sides. Time is the design's cycles; what software does is
// a duration in them (README.md). One JSON line:
//
//   {"hw": [cycles of each message to its slowest core], "sw": [... to the copy's end], "busy":
//   cycles in which
//    the port was wanted, "reads": beats, "writes": beats, "cycles": all}
//
// Usage: run hw|sw BYTES MESSAGES KEY=VALUE...
// Compiled for one design, whose width, subscribers and kind are in shape.hpp.
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "Vgateway_top.h"
#include "memory.hpp"
#include "shape.hpp"

namespace {

using gateway_bench::MemoryOptions;
using gateway_bench::put;

constexpr std::size_t beat_bytes = data_width / 8;
constexpr std::size_t header_bytes = beat_bytes < 16 ? 16 : beat_bytes;
constexpr std::size_t end_count = is_gateway ? 1 : subscriber_count;
constexpr std::size_t send_bytes = 26;
/// The design's ports keep a send in whole words of 32 bits.
constexpr std::size_t send_bits = 208;

struct Options {
  bool from_hardware = true;
  std::size_t bytes = 0;
  std::size_t messages = 1;
  MemoryOptions memory;
  std::uint64_t event = 0;     ///< from an event to its delegate's running
  std::uint64_t wake = 0;      ///< from a publish in the pool to a subscriber's running
  std::uint64_t doorbell = 4;  ///< of one word from software to the design
  std::uint64_t poll = 0;      ///< period of whoever looks for messages by polling; 0: event-driven
  std::uint64_t publish = 0;   ///< of the software that publishes
  std::uint64_t cancel = 0;    ///< of a gateway that takes back its request before it publishes
  std::uint64_t call = 0;      ///< of cores at a gateway into software, with each message
  double copy_rate = 20;       ///< bytes per cycle
  double processors = 0;       ///< that copy for delegates too; 0: delegates copy nothing
};

template <typename Port>
std::uint8_t* bytes_of(Port& port) {
  return reinterpret_cast<std::uint8_t*>(&port);
}

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "gateway: %s\n", what.c_str());
  std::exit(1);
}

/// What happens later, in cycles.
class Calendar {
 public:
  void at(std::uint64_t cycle, std::function<void()> what) {
    entries_.emplace(cycle, std::move(what));
  }
  void run(std::uint64_t cycle) {
    while (!entries_.empty() && entries_.begin()->first <= cycle) {
      const auto what = std::move(entries_.begin()->second);
      entries_.erase(entries_.begin());
      what();
    }
  }

 private:
  std::multimap<std::uint64_t, std::function<void()>> entries_;
};

class System {
 public:
  explicit System(const Options& options)
      : options_{options},
        memory_{top_, options.memory, 2 * slot_bytes(options)},
        random_{options.memory.seed + 1},
        frame_(header_bytes + body_beats() * beat_bytes) {
    if (options_.memory.one_at_a_time) {
      // Every looker has its own phase, and keeps it.
      for (auto& phase : phases_) {
        phase = options_.poll == 0 ? 0 : random_() % options_.poll;
      }
    }
  }

  void run() {
    reset();
    for (std::size_t number = 0; number < options_.messages; ++number) {
      carry(number);
      // Messages meet refresh and polls at different moments.
      const std::uint64_t rest = cycle_ + 97 + (options_.poll == 0 ? 0 : random_() % options_.poll);
      while (cycle_ < rest) {
        step();
      }
    }
  }

  void print() const {
    const auto list = [](const char* name, const std::vector<std::uint64_t>& values) {
      std::printf("\"%s\": [", name);
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::printf("%s%llu", i == 0 ? "" : ", ", static_cast<unsigned long long>(values[i]));
      }
      std::printf("], ");
    };
    std::printf("{");
    list("hw", hardware_);
    list("sw", software_);
    std::printf(
        "\"busy\": %llu, \"reads\": %llu, \"writes\": %llu, \"cycles\": %llu}\n",
        static_cast<unsigned long long>(top_.busy_o), static_cast<unsigned long long>(top_.reads_o),
        static_cast<unsigned long long>(top_.writes_o), static_cast<unsigned long long>(cycle_));
  }

 private:
  static std::size_t slot_bytes(const Options& options) {
    return (options.bytes + 8191) / 4096 * 4096;
  }
  [[nodiscard]] std::size_t body_beats() const {
    return (options_.bytes + beat_bytes - 1) / beat_bytes;
  }
  [[nodiscard]] std::uint64_t slot() const {
    return options_.from_hardware ? slot_bytes(options_) : 0;
  }

  void reset() {
    top_.rst_i = 1;
    for (int i = 0; i < 4; ++i) {
      tick();
    }
    top_.rst_i = 0;
  }

  void tick() {
    top_.tick_i = static_cast<CData>(top_.tick_i == 0 ? 1 : 0);
    top_.eval();
  }

  // --- one message
  // ---------------------------------------------------------------------------------

  void carry(std::size_t number) {
    make(number);
    if (options_.from_hardware) {
      lend();
    } else {
      std::memcpy(memory_.at(0), frame_.data() + header_bytes, options_.bytes);
    }
    begun_ = cycle_;
    arrived_.fill(0);
    received_ = 0;
    copying_ = false;
    copied_ = false;
    sent_beats_ = options_.from_hardware ? 0 : frame_.size() / beat_bytes;
    if (options_.from_hardware) {
      offer();
    } else {
      published();
    }
    const std::uint64_t patience = cycle_ + 10'000'000 + 400 * options_.bytes;
    while (received_ < subscriber_count || !copied_) {
      if (cycle_ > patience) {
        fail("nothing arrives any more");
      }
      step();
    }
  }

  /// Header and body as they travel; the rest of the last beat is zeros.
  void make(std::size_t number) {
    for (std::size_t i = header_bytes; i < header_bytes + options_.bytes; ++i) {
      frame_[i] = static_cast<std::uint8_t>(random_() >> 24U);
    }
    const auto length = static_cast<std::uint32_t>(options_.bytes);
    std::memcpy(frame_.data(), &length, sizeof length);
    frame_[4] = static_cast<std::uint8_t>(number);
    frame_[6] = options_.from_hardware ? 0 : 64;  // the publisher
    frame_[15] = 7;                               // the topic
  }

  void lend() {
    const std::uint64_t address = slot();
    const auto capacity = static_cast<std::uint32_t>(slot_bytes(options_));
    std::memcpy(bytes_of(top_.room_i), &address, 8);
    std::memcpy(bytes_of(top_.room_i) + 8, &capacity, 4);
    top_.room_valid_i = 1;
    lending_ = true;
    for (int i = 0; i < 16; ++i) {
      step();
    }
  }

  /// The message is in the pool: subscribers wake, or find it when they look.
  void published() {
    const std::uint64_t now = cycle_ + options_.publish;
    calendar_.at(found(now, subscriber_count), [this] {
      memory_.copy().start(options_.bytes, options_.copy_rate);
      copying_ = true;
    });
    for (std::size_t i = 0; i < end_count; ++i) {
      if (!options_.from_hardware || !is_gateway) {
        // A delegate that has published itself need not be woken.
        const std::uint64_t running =
            options_.from_hardware && options_.poll == 0 ? now : found(now, i);
        if (options_.processors > 0) {
          calendar_.at(running, [this, i] { delegate_copies_[i] = options_.bytes; });
        } else {
          announce(running, i);
        }
      }
    }
  }

  void announce(std::uint64_t cycle, std::size_t end) {
    calendar_.at(cycle + (end + 1) * options_.doorbell, [this, end] { send(end); });
  }

  /// Delegates that take a message copy it first, on the processors that the subscriber in software
  /// copies on. Only his copy is traffic of the memory.
  void copy_for_delegates() {
    double active = copying_ ? 1 : 0;
    for (const double left : delegate_copies_) {
      active += left > 0 ? 1 : 0;
    }
    const double share = active > options_.processors ? options_.processors / active : 1;
    memory_.copy().share(share);
    for (std::size_t i = 0; i < end_count; ++i) {
      if (delegate_copies_[i] > 0) {
        delegate_copies_[i] -= options_.copy_rate * share;
        if (delegate_copies_[i] <= 0) {
          announce(cycle_, i);
        }
      }
    }
  }

  /// When end `who` runs that waits since before `now`.
  [[nodiscard]] std::uint64_t found(std::uint64_t now, std::size_t who) const {
    if (options_.poll == 0) {
      return now + options_.wake;
    }
    const std::uint64_t phase = phases_[who];
    return (now + options_.poll - 1 - phase) / options_.poll * options_.poll + phase;
  }

  void send(std::size_t end) {
    const std::uint64_t address = slot();
    const std::size_t bit = end * send_bits;
    std::array<std::uint8_t, send_bytes> word{};
    std::memcpy(word.data(), frame_.data(), 16);
    std::memcpy(word.data() + 16, &address, 8);
    std::memcpy(bytes_of(top_.send_i) + bit / 8, word.data(), word.size());
    put(top_.send_valid_i, top_.send_valid_i | std::uint64_t{1} << end);
  }

  // --- one cycle
  // -----------------------------------------------------------------------------------

  void step() {
    if (options_.processors > 0) {
      copy_for_delegates();
    }
    calendar_.run(cycle_);
    memory_.offer(cycle_);
    receive();
    const std::uint64_t sending = top_.send_valid_i & top_.send_ready_o;
    const bool lent = lending_ && top_.room_ready_o != 0;
    const bool stored = top_.stored_valid_o != 0;
    if (stored && top_.stored_status_o != 0) {
      fail("a message was not stored: status " + std::to_string(top_.stored_status_o));
    }
    for (std::size_t i = 0; i < end_count; ++i) {
      if ((top_.sent_valid_o >> i & 1U) != 0 && bytes_of(top_.sent_status_o)[i] != 0) {
        fail("a message was not sent");
      }
    }
    tick();
    memory_.settle(cycle_);
    ++cycle_;
    put(top_.send_valid_i, top_.send_valid_i & ~sending);
    if (lent) {
      top_.room_valid_i = 0;
      lending_ = false;
    }
    if (top_.taken_o != 0) {
      ++sent_beats_;
      offer();
    }
    if (stored) {
      store();
    }
    if (copying_ && memory_.copy().over()) {
      compare_copy();
    }
  }

  /// The publishing core's next beat.
  void offer() {
    const bool any = sent_beats_ * beat_bytes < frame_.size();
    top_.s_axis_tvalid = static_cast<CData>(any);
    if (any) {
      std::memcpy(&top_.s_axis_tdata, frame_.data() + sent_beats_ * beat_bytes, beat_bytes);
      const bool last = (sent_beats_ + 1) * beat_bytes == frame_.size();
      top_.s_axis_tlast = static_cast<CData>(last);
      const std::uint64_t keep = last ? tail_keep() : ~std::uint64_t{0};
      std::memcpy(&top_.s_axis_tkeep, &keep, beat_bytes / 8);
    }
  }

  [[nodiscard]] std::uint64_t tail_keep() const {
    const std::size_t kept = options_.bytes - (body_beats() - 1) * beat_bytes;
    return kept == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << kept) - 1;
  }

  void receive() {
    for (std::size_t i = 0; i < subscriber_count; ++i) {
      if ((top_.m_axis_tvalid >> i & 1U) != 0) {
        take(i);
      }
    }
  }

  void take(std::size_t i) {
    const std::size_t at = arrived_[i] * beat_bytes;
    const bool last = (top_.m_axis_tlast >> i & 1U) != 0;
    if (at >= frame_.size() || last != (at + beat_bytes == frame_.size())) {
      fail("a frame has another length than it had");
    }
    std::uint64_t keep = 0;
    std::memcpy(&keep, bytes_of(top_.m_axis_tkeep) + i * (beat_bytes / 8), beat_bytes / 8);
    const std::size_t kept = last ? options_.bytes - (body_beats() - 1) * beat_bytes : beat_bytes;
    if (std::memcmp(bytes_of(top_.m_axis_tdata) + i * beat_bytes, frame_.data() + at, kept) != 0 ||
        static_cast<std::size_t>(__builtin_popcountll(keep)) != kept) {
      fail("a beat is not what was sent");
    }
    ++arrived_[i];
    if (last && ++received_ == subscriber_count) {
      hardware_.push_back(cycle_ - begun_ + 1 + (is_gateway ? options_.call : 0));
    }
  }

  /// The delegate hears of it, takes back its request where the published gateway has to, and
  /// publishes.
  void store() {
    std::uint64_t running = cycle_ + options_.event + (is_gateway ? options_.cancel : 0);
    if (options_.poll != 0 && is_gateway) {
      running = found(running, 0);
    }
    calendar_.at(running, [this] { published(); });
  }

  void compare_copy() {
    copying_ = false;
    copied_ = true;
    if (std::memcmp(memory_.at(slot()), frame_.data() + header_bytes, options_.bytes) != 0) {
      fail("software has another message than was sent");
    }
    software_.push_back(cycle_ - begun_);
  }

  Options options_;
  VerilatedContext context_;
  Vgateway_top top_{&context_};
  gateway_bench::Memory<Vgateway_top, beat_bytes> memory_;
  std::mt19937_64 random_;
  std::vector<std::uint8_t> frame_;
  Calendar calendar_;
  std::array<std::uint64_t, subscriber_count + 1> phases_{};
  std::array<double, end_count> delegate_copies_{};  ///< bytes that are left
  std::array<std::size_t, subscriber_count> arrived_{};
  std::vector<std::uint64_t> hardware_, software_;
  std::size_t received_ = 0;
  std::size_t sent_beats_ = 0;
  bool lending_ = false;
  bool copying_ = false;
  bool copied_ = false;
  std::uint64_t begun_ = 0;
  std::uint64_t cycle_ = 0;
};

/// KEY=VALUE: what the memory and software take.
bool set(Options& options, const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos) {
    return false;
  }
  const std::string key = word.substr(0, equals);
  const double value = std::strtod(word.c_str() + equals + 1, nullptr);
  const auto cycles = static_cast<std::uint64_t>(value);
  const std::map<std::string, std::function<void()>> keys{
      {"read_latency", [&] { options.memory.read_latency = cycles; }},
      {"bytes_per_cycle", [&] { options.memory.bytes_per_cycle = value; }},
      {"processor_load", [&] { options.memory.processor_load = value; }},
      {"seed", [&] { options.memory.seed = cycles; }},
      {"gap_cycles",
       [&] {
         options.memory.one_at_a_time = true;
         options.memory.gap_cycles = value;
       }},
      {"event", [&] { options.event = cycles; }},
      {"wake", [&] { options.wake = cycles; }},
      {"doorbell", [&] { options.doorbell = cycles; }},
      {"poll", [&] { options.poll = cycles; }},
      {"publish", [&] { options.publish = cycles; }},
      {"cancel", [&] { options.cancel = cycles; }},
      {"call", [&] { options.call = cycles; }},
      {"copy_rate", [&] { options.copy_rate = value; }},
      {"processors", [&] { options.processors = value; }},
  };
  const auto found = keys.find(key);
  if (found == keys.end()) {
    return false;
  }
  found->second();
  return true;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  if (count < 4) {
    std::fprintf(stderr, "usage: %s hw|sw BYTES MESSAGES KEY=VALUE...\n", words[0]);
    return 2;
  }
  options.from_hardware = std::string(words[1]) == "hw";
  options.bytes = std::strtoull(words[2], nullptr, 10);
  options.messages = std::strtoull(words[3], nullptr, 10);
  for (int i = 4; i < count; ++i) {
    if (!set(options, words[i])) {
      std::fprintf(stderr, "gateway: '%s' is no setting\n", words[i]);
      return 2;
    }
  }
  if (options.bytes < 5 || options.messages == 0) {
    std::fprintf(stderr, "gateway: BYTES must be 5 or more, MESSAGES positive\n");
    return 2;
  }
  System system{options};
  system.run();
  system.print();
  return 0;
}
