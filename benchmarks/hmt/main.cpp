// SPDX-License-Identifier: Apache-2.0
//
// Drives one verilated lig_topic (in hmt_top, one evaluation per cycle): every publisher sends
// MESSAGES frames back to back, every subscriber takes all it is offered, and every byte is
// compared. Prints one JSON line:
//
//   {"transfers": [cycles of each message at its slowest subscriber], "beats": per subscriber,
//    "span": cycles from a subscriber's first beat to its last, "cycles": all, "wall_ms": of the
//    loop}
//
// A transfer is counted from the cycle in which the network takes a message's first beat to the
// cycle in which the last subscriber takes its last one, both included.
//
// Usage: run BYTES MESSAGES HEADER_BEATS
// Compiled for one network, whose width and ends are in shape.hpp.
#include <verilated.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include "Vhmt_top.h"
#include "shape.hpp"

namespace {

constexpr std::size_t beat_bytes = data_width / 8;
constexpr std::size_t keep_bytes = beat_bytes / 8;

/// A port's bits as bytes in the order of the stream: Verilator keeps them little-endian, as hosts
/// are.
template <typename Port>
std::uint8_t* bytes_of(Port& port) {
  return reinterpret_cast<std::uint8_t*>(&port);
}

struct Load {
  std::size_t bytes;
  std::size_t messages;
  std::size_t beats;           // of a frame
  std::uint64_t tail_keep[8];  // of the last beat
};

/// The frame of each publisher, filled up to whole beats.
using Images = std::array<std::vector<std::uint8_t>, publisher_count>;

struct Publisher {
  std::size_t beat{0};
  std::size_t message{0};
};

struct Subscriber {
  std::size_t beat{0};
  std::size_t publisher{0};
  std::array<std::size_t, publisher_count> messages{};
  std::size_t beats{0};
  std::uint64_t first{0};
  std::uint64_t last{0};
};

class Network {
 public:
  Network(const Load& load, const Images& images)
      : load_{load},
        images_{images},
        begun_(publisher_count * load.messages),
        ended_(publisher_count * load.messages) {}

  void run() {
    reset();
    for (std::size_t i = 0; i < publisher_count; ++i) {
      offer(i);
    }
    top_.m_axis_tready = (subscriber_count == 64) ? ~0ULL : ((1ULL << subscriber_count) - 1);
    const std::size_t all = subscriber_count * publisher_count * load_.messages * load_.beats;
    // Nodes that each take a message whole are slower than a network alone.
    const std::uint64_t patience = 32 * publisher_count * load_.messages * load_.beats + 1000;
    while (received_ < all) {
      if (cycle_ > patience) {
        fail("nothing arrives any more");
      }
      step();
    }
  }

  void print(double wall_ms, double cpu_ms) const {
    std::printf("{\"transfers\": [");
    for (std::size_t i = 0; i < begun_.size(); ++i) {
      std::printf("%s%llu", i == 0 ? "" : ", ",
                  static_cast<unsigned long long>(ended_[i] - begun_[i] + 1));
    }
    const Subscriber& slowest = subscribers_[subscriber_count - 1];
    std::printf(
        "], \"beats\": %zu, \"span\": %llu, \"cycles\": %llu, \"wall_ms\": %.3f, \"cpu_ms\": "
        "%.3f}\n",
        slowest.beats, static_cast<unsigned long long>(slowest.last - slowest.first + 1),
        static_cast<unsigned long long>(cycle_), wall_ms, cpu_ms);
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    std::fprintf(stderr, "hmt: cycle %llu: %s\n", static_cast<unsigned long long>(cycle_), what);
    std::exit(1);
  }

  void reset() {
    top_.rst_i = 1;
    for (int cycle = 0; cycle < 4; ++cycle) {
      tick();
    }
    top_.rst_i = 0;
  }

  /// Put publisher i's next beat on its port.
  void offer(std::size_t i) {
    const Publisher& publisher = publishers_[i];
    const std::uint64_t bit = 1ULL << i;
    if (publisher.message == load_.messages) {
      top_.s_axis_tvalid &= ~bit;
      return;
    }
    const bool last = publisher.beat + 1 == load_.beats;
    top_.s_axis_tvalid |= bit;
    top_.s_axis_tlast = last ? top_.s_axis_tlast | bit : top_.s_axis_tlast & ~bit;
    std::memcpy(bytes_of(top_.s_axis_tdata) + i * beat_bytes,
                images_[i].data() + publisher.beat * beat_bytes, beat_bytes);
    static constexpr std::array<std::uint64_t, 8> whole{~0ULL, ~0ULL, ~0ULL, ~0ULL,
                                                        ~0ULL, ~0ULL, ~0ULL, ~0ULL};
    std::memcpy(bytes_of(top_.s_axis_tkeep) + i * keep_bytes, last ? load_.tail_keep : whole.data(),
                keep_bytes);
  }

  void tick() {
    top_.tick_i = static_cast<CData>(top_.tick_i == 0 ? 1 : 0);
    top_.eval();
  }

  /// What the subscribers are offered lies there since the edge before; they are always ready.
  void step() {
    const std::uint64_t taken = top_.m_axis_tvalid;
    const std::uint64_t last = top_.m_axis_tlast;
    for (std::size_t i = 0; i < subscriber_count; ++i) {
      if ((taken >> i & 1) != 0) {
        take(i, (last >> i & 1) != 0);
      }
    }
    tick();
    const std::uint64_t sent = top_.taken_o;
    for (std::size_t i = 0; i < publisher_count; ++i) {
      if ((sent >> i & 1) != 0) {
        advance(i);
      }
    }
    ++cycle_;
  }

  void advance(std::size_t i) {
    Publisher& publisher = publishers_[i];
    if (publisher.beat == 0) {
      begun_[i * load_.messages + publisher.message] = cycle_;
    }
    if (++publisher.beat == load_.beats) {
      publisher.beat = 0;
      ++publisher.message;
    }
    offer(i);
  }

  void take(std::size_t i, bool last) {
    Subscriber& subscriber = subscribers_[i];
    const std::uint8_t* data = bytes_of(top_.m_axis_tdata) + i * beat_bytes;
    if (subscriber.beat == 0) {
      subscriber.publisher = data[6];  // where the header has it
      if (subscriber.publisher >= publisher_count) {
        fail("a frame of no publisher");
      }
    }
    const std::size_t p = subscriber.publisher;
    if (std::memcmp(data, images_[p].data() + subscriber.beat * beat_bytes, beat_bytes) != 0) {
      fail("a beat is not what was sent");
    }
    if (last != (subscriber.beat + 1 == load_.beats)) {
      fail("a frame has another length than it had");
    }
    if (last && std::memcmp(bytes_of(top_.m_axis_tkeep) + i * keep_bytes, load_.tail_keep,
                            keep_bytes) != 0) {
      fail("a frame has another tail than it had");
    }
    if (subscriber.beats++ == 0) {
      subscriber.first = cycle_;
    }
    subscriber.last = cycle_;
    ++received_;
    ++subscriber.beat;
    if (last) {
      ended_[p * load_.messages + subscriber.messages[p]++] = cycle_;
      subscriber.beat = 0;
    }
  }

  const Load& load_;
  const Images& images_;
  VerilatedContext context_;
  Vhmt_top top_{&context_};
  std::array<Publisher, publisher_count> publishers_{};
  std::array<Subscriber, subscriber_count> subscribers_{};
  std::vector<std::uint64_t> begun_;
  std::vector<std::uint64_t> ended_;
  std::uint64_t cycle_{0};
  std::size_t received_{0};
};

Load load_of(char** words) {
  Load load{};
  load.bytes = std::strtoull(words[1], nullptr, 10);
  load.messages = std::strtoull(words[2], nullptr, 10);
  const std::size_t body = (load.bytes + beat_bytes - 1) / beat_bytes;
  load.beats = body + std::strtoull(words[3], nullptr, 10);
  const std::size_t kept = load.bytes - (body - 1) * beat_bytes;
  for (std::size_t lane = 0; lane < kept; ++lane) {
    load.tail_keep[lane / 64] |= 1ULL << (lane % 64);
  }
  return load;
}

Images images_of(const Load& load) {
  Images images;
  std::mt19937_64 random{1};
  for (std::size_t i = 0; i < publisher_count; ++i) {
    images[i].resize(load.beats * beat_bytes);
    for (auto& byte : images[i]) {
      byte = static_cast<std::uint8_t>(random());
    }
    images[i][6] = static_cast<std::uint8_t>(i);
  }
  return images;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s BYTES MESSAGES HEADER_BEATS\n", words[0]);
    return 2;
  }
  const Load load = load_of(words);
  if (load.bytes == 0 || load.messages == 0) {
    std::fprintf(stderr, "hmt: BYTES and MESSAGES must be positive\n");
    return 2;
  }
  const Images images = images_of(load);
  Network network{load, images};
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  network.run();
  const double cpu_ms = 1e3 * static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - begin;
  network.print(wall.count(), cpu_ms);
  return 0;
}
