// SPDX-License-Identifier: Apache-2.0
/// \file Main memory behind the AXI4 port of a verilated design, cycle by cycle: latency, a port of
/// one beat per cycle and direction, and a bandwidth that is shared with processors and lost to
/// refresh. All chance comes from a seed: two runs give the same cycles.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

namespace gateway_bench {

struct MemoryOptions {
  std::uint64_t read_latency =
      50;  ///< cycles from a request to its first beat, and of a write's answer
  double bytes_per_cycle = 128;  ///< of the memory itself, all users together
  double processor_load = 0.2;   ///< share of that which other programs take, in bursts
  std::uint64_t refresh_every = 780;
  std::uint64_t refresh_cycles = 35;
  std::uint64_t seed = 1;
  bool one_at_a_time = false;  ///< one request in all, as the published port
  double gap_cycles = 0;       ///< between two requests, with one_at_a_time
};

/// Puts a number on a port of whatever width.
template <typename Port>
void put(Port& port, std::uint64_t value) {
  port = static_cast<Port>(value);
}

/// A copy by a processor: reads and writes `bytes`, at most `rate` per cycle of each.
class Copy {
 public:
  void start(std::size_t bytes, double rate) {
    left_ = 2.0 * static_cast<double>(bytes);
    rate_ = 2.0 * rate;
  }
  [[nodiscard]] bool over() const { return left_ <= 0; }
  /// Of its processor's time.
  void share(double share) { share_ = share; }
  void begin_cycle() { allowance_ = rate_ * share_; }
  [[nodiscard]] double wanted() const { return std::min(left_, allowance_); }
  void give(double bytes) {
    left_ -= bytes;
    allowance_ -= bytes;
  }

 private:
  double left_ = 0;
  double rate_ = 0;
  double share_ = 1;
  double allowance_ = 0;  ///< of this cycle
};

/// `Top` is the verilated design; `beat_bytes` its width.
template <typename Top, std::size_t beat_bytes>
class Memory {
 public:
  Memory(Top& top, const MemoryOptions& options, std::size_t bytes)
      : top_{top}, options_{options}, random_{options.seed}, content_(bytes) {}

  [[nodiscard]] std::uint8_t* at(std::uint64_t address) { return content_.data() + address; }
  [[nodiscard]] Copy& copy() { return copy_; }

  /// Puts answers on the port, for the coming edge.
  void offer(std::uint64_t cycle) {
    spend(cycle);
    top_.m_axi_arready = static_cast<CData>(takes(cycle) && reads_.size() < queue_bursts);
    // Of two announcements in one cycle only one is the one request.
    const bool reading = top_.m_axi_arready != 0 && top_.m_axi_arvalid != 0;
    top_.m_axi_awready = static_cast<CData>(takes(cycle) && writes_.size() < queue_bursts &&
                                            !(options_.one_at_a_time && reading));
    top_.m_axi_wready = static_cast<CData>(undrained_ + beat_bytes <= write_buffer_bytes);
    offer_read();
    const bool answered = !writes_.empty() && writes_.front().received &&
                          writes_.front().left <= 0 && writes_.front().answer_at != 0 &&
                          cycle >= writes_.front().answer_at;
    top_.m_axi_bvalid = static_cast<CData>(answered);
    if (answered) {
      put(top_.m_axi_bid, writes_.front().id);
    }
    note();
  }

  /// What the edge took of what offer() saw.
  void settle(std::uint64_t cycle) {
    if (took_.ar) {
      reads_.push_back({took_.address, took_.beats, took_.id, cycle + latency(), 0, 0});
    }
    if (took_.r) {
      Burst& burst = reads_.front();
      if (++burst.delivered == burst.beats) {
        reads_.pop_front();
        free_at_ = static_cast<double>(cycle) + options_.gap_cycles;
      }
      --prefetched_;
    }
    if (took_.aw) {
      writes_.push_back({took_.write_address, took_.write_id, 0, 0, false, 0});
    }
    if (took_.w) {
      receive();
    }
    if (took_.b) {
      writes_.pop_front();
      free_at_ = static_cast<double>(cycle) + options_.gap_cycles;
    }
    for (auto& burst : writes_) {
      if (burst.received && burst.left <= 0 && burst.answer_at == 0) {
        burst.answer_at = cycle + (options_.one_at_a_time ? 1 : options_.read_latency);
      }
    }
  }

 private:
  static constexpr double line_bytes = 64;
  static constexpr std::size_t queue_bursts = 32;
  static constexpr double write_buffer_bytes = 4096;
  static constexpr std::size_t prefetch_beats = 512;

  struct Burst {
    std::uint64_t address;
    std::uint64_t beats;
    std::uint64_t id;
    std::uint64_t ready_at;
    std::uint64_t fetched;
    std::uint64_t delivered;
  };
  struct Write {
    std::uint64_t address;
    std::uint64_t id;
    std::uint64_t beat;
    double left;  ///< bytes that are not in memory yet
    bool received;
    std::uint64_t answer_at;
  };
  struct Took {
    bool ar, r, aw, w, b;
    std::uint64_t address, beats, id, write_address, write_id;
  };

  [[nodiscard]] bool takes(std::uint64_t cycle) const {
    return !options_.one_at_a_time ||
           (reads_.empty() && writes_.empty() && static_cast<double>(cycle) >= free_at_);
  }

  /// Latency varies by a few cycles with what else is in the controller's queues.
  [[nodiscard]] std::uint64_t latency() {
    return options_.one_at_a_time ? 1 : options_.read_latency + random_() % 4;
  }

  /// Gives the cycle's bandwidth to those that want some, alternately.
  void spend(std::uint64_t cycle) {
    if (cycle % options_.refresh_every < options_.refresh_cycles) {
      return;
    }
    double budget = options_.bytes_per_cycle;
    load(budget);
    copy_.begin_cycle();
    // Line by line: nobody's burst keeps the others from their share of a cycle.
    double used = 1;
    for (std::uint64_t turn = cycle; used > 0;) {
      used = 0;
      for (int user = 0; user < 3; ++user, ++turn) {
        const double bytes = give(cycle, turn % 3, std::min(budget, line_bytes));
        budget -= bytes;
        used += bytes;
      }
    }
  }

  /// Lets one user have up to `quota` bytes; what it took.
  double give(std::uint64_t cycle, std::uint64_t user, double quota) {
    switch (user) {
      case 0:
        return fetch(cycle, quota);
      case 1:
        return drain(quota);
      default: {
        const double bytes = std::min(copy_.wanted(), quota);
        copy_.give(bytes);
        return bytes;
      }
    }
  }

  /// Other programs: four lines at chance moments, before everybody else.
  void load(double& budget) {
    constexpr double burst_bytes = 256;
    const double chance = options_.processor_load * options_.bytes_per_cycle / burst_bytes;
    if (static_cast<double>(random_() >> 11U) * 0x1p-53 < chance) {
      load_ += burst_bytes;
    }
    const double bytes = std::min(load_, budget);
    load_ -= bytes;
    budget -= bytes;
  }

  double fetch(std::uint64_t cycle, double quota) {
    double bytes = 0;
    for (auto& burst : reads_) {
      if (burst.ready_at > cycle) {
        break;
      }
      while (burst.fetched < burst.beats) {
        if (bytes >= quota || prefetched_ >= prefetch_beats) {
          return bytes;
        }
        const double part = std::min(beat_bytes - partial_, quota - bytes);
        bytes += part;
        partial_ += part;
        if (partial_ >= beat_bytes) {
          partial_ = 0;
          ++burst.fetched;
          ++prefetched_;
        }
      }
    }
    return bytes;
  }

  double drain(double quota) {
    double all = 0;
    for (auto& burst : writes_) {
      const double bytes = std::min(burst.left, quota - all);
      burst.left -= bytes;
      undrained_ -= bytes;
      all += bytes;
      if (!burst.received) {
        break;
      }
    }
    return all;
  }

  void offer_read() {
    const bool any = !reads_.empty() && reads_.front().delivered < reads_.front().fetched;
    top_.m_axi_rvalid = static_cast<CData>(any);
    if (any) {
      const Burst& burst = reads_.front();
      put(top_.m_axi_rid, burst.id);
      top_.m_axi_rlast = static_cast<CData>(burst.delivered + 1 == burst.beats);
      std::memcpy(&top_.m_axi_rdata, at(burst.address + burst.delivered * beat_bytes), beat_bytes);
    }
  }

  /// The design's side of each handshake comes from registers: it is the same at the edge.
  void note() {
    took_.ar = top_.m_axi_arvalid != 0 && top_.m_axi_arready != 0;
    took_.r = top_.m_axi_rvalid != 0 && top_.m_axi_rready != 0;
    took_.aw = top_.m_axi_awvalid != 0 && top_.m_axi_awready != 0;
    took_.w = top_.m_axi_wvalid != 0 && top_.m_axi_wready != 0;
    took_.b = top_.m_axi_bvalid != 0 && top_.m_axi_bready != 0;
    took_.address = top_.m_axi_araddr;
    took_.beats = std::uint64_t{top_.m_axi_arlen} + 1;
    took_.id = top_.m_axi_arid;
    took_.write_address = top_.m_axi_awaddr;
    took_.write_id = top_.m_axi_awid;
    if (took_.w) {
      std::memcpy(data_.data(), &top_.m_axi_wdata, beat_bytes);
      std::memcpy(&strobe_, &top_.m_axi_wstrb, beat_bytes / 8);
      last_ = top_.m_axi_wlast != 0;
    }
  }

  void receive() {
    const auto burst =
        std::find_if(writes_.begin(), writes_.end(), [](const Write& w) { return !w.received; });
    std::uint8_t* place = at(burst->address + burst->beat * beat_bytes);
    for (std::size_t lane = 0; lane < beat_bytes; ++lane) {
      if ((strobe_ >> lane & 1U) != 0) {
        place[lane] = data_[lane];
      }
    }
    ++burst->beat;
    burst->left += beat_bytes;
    undrained_ += beat_bytes;
    burst->received = last_;
  }

  Top& top_;
  MemoryOptions options_;
  std::mt19937_64 random_;
  std::vector<std::uint8_t> content_;
  Copy copy_;
  std::deque<Burst> reads_;
  std::deque<Write> writes_;
  std::size_t prefetched_ = 0;
  double partial_ = 0;  ///< bytes of the beat that is being fetched
  double undrained_ = 0;
  double load_ = 0;
  double free_at_ = 0;
  Took took_{};
  std::array<std::uint8_t, beat_bytes> data_{};
  std::uint64_t strobe_ = 0;
  bool last_ = false;
};

}  // namespace gateway_bench
