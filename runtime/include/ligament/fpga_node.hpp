// SPDX-License-Identifier: Apache-2.0
/// \file What generated nodes with a hardware core have in common (spec/device/fpga.md): the
/// verilated model, its clock, and the memory that it reads messages from and writes them to.
///
/// Authors of cores do not see it: they write SystemVerilog and a manifest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ligament/detail/pool.hpp>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <ligament/span.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

/// How the design runs and what its memory gives, as platform.yaml declares it.
struct Memory {
  double clock_hz = 100e6;
  double latency_ns = 0;            ///< from a request to its first byte, and of the last write
  double bytes_per_second = 800e6;  ///< reads and writes together
};

/// What travels in the header of a frame (spec/wire/stream.md, section 2) beside the length.
struct FrameInfo {
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
};

/// What the core made of a message.
struct Made {
  std::span<const std::byte> message;  ///< valid until the next run()
  std::uint64_t cycles = 0;  ///< from the doorbell to the last byte in memory; the same in each run
};

/// Cycles after which a core that says nothing is given up.
inline constexpr std::uint64_t patience_cycles = 1'000'000;

/// One core with its stream ports, 64 bits wide. `Model` is what Verilator makes of a generated
/// top: clk_i, rst_i, s_axis_*, m_axis_*, problem_o.
template <typename Model>
class Core {
 public:
  explicit Core(const Memory& memory)
      : bytes_per_cycle_{memory.bytes_per_second / memory.clock_hz},
        latency_cycles_{
            static_cast<std::uint64_t>(std::ceil(memory.latency_ns * memory.clock_hz / 1e9))} {
    reset();
  }

  [[nodiscard]] Model& model() { return model_; }

  /// Sends the message in, and takes the one that comes out. `bound`: the longest that may come.
  [[nodiscard]] expected<Made, std::string> run(std::span<const std::byte> message,
                                                const FrameInfo& info, std::size_t bound) {
    begin(message, info);
    bound_ = bound;
    // All of the input is taken even if the output is complete before.
    while (!over_ || (failure_.empty() && sent_ < frame_bytes())) {
      if (cycle_ > limit_) {
        reset();
        return unexpected<std::string>("the core gave no whole message within " +
                                       std::to_string(limit_) + " cycles");
      }
      step();
    }
    if (!failure_.empty()) {
      reset();
      return unexpected<std::string>(failure_);
    }
    return Made{std::span<const std::byte>(out_).subspan(header_bytes + out_pad_, out_length_),
                ended_ + latency_cycles_};
  }

 private:
  static constexpr std::size_t beat_bytes = 8;
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::uintptr_t boundary = 64;

  void reset() {
    model_.s_axis_tvalid = 0;
    model_.m_axis_tready = 0;
    model_.rst_i = 1;
    for (int cycle = 0; cycle < 4; ++cycle) {
      turn();
    }
    model_.rst_i = 0;
  }

  void turn() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  void begin(std::span<const std::byte> message, const FrameInfo& info) {
    message_ = message;
    // The body begins at the last boundary of memory that is not behind the message.
    pad_ = reinterpret_cast<std::uintptr_t>(message.data()) % boundary;
    const auto length = static_cast<std::uint32_t>(message.size());
    const auto sequence = static_cast<std::uint16_t>(info.sequence);
    constexpr std::uint64_t software = 64;  // publisher: the first one in software
    header_[0] = length | std::uint64_t{sequence} << 32U | software << 48U | pad_ << 56U;
    header_[1] = static_cast<std::uint64_t>(info.time_ns) & 0x00FF'FFFF'FFFF'FFFFULL;
    sent_ = 0;
    out_.clear();
    over_ = false;
    failure_.clear();
    cycle_ = 0;
    moved_ = 0;
    limit_ = patience_cycles + latency_cycles_ +
             static_cast<std::uint64_t>(static_cast<double>(32 * message.size()) /
                                        std::min(bytes_per_cycle_, 8.0));
  }

  [[nodiscard]] std::size_t frame_bytes() const { return header_bytes + pad_ + message_.size(); }

  /// The memory port has given `moved_` bytes; the next beat must wait until it can.
  [[nodiscard]] bool memory_gives() const {
    if (cycle_ < latency_cycles_) {
      return false;
    }
    const double given = static_cast<double>(cycle_ - latency_cycles_ + 1) * bytes_per_cycle_;
    return static_cast<double>(moved_ + beat_bytes) <= std::max(given, 8.0);
  }

  void offer() {
    if (model_.s_axis_tvalid != 0 || sent_ >= frame_bytes() || !memory_gives()) {
      return;
    }
    std::uint64_t beat = 0;
    if (sent_ < header_bytes) {
      beat = header_[sent_ / beat_bytes];
    } else {
      body(beat);
    }
    const std::size_t left = frame_bytes() - sent_;
    model_.s_axis_tdata = beat;
    model_.s_axis_tkeep = static_cast<std::uint8_t>((1U << std::min(left, beat_bytes)) - 1);
    model_.s_axis_tlast = static_cast<std::uint8_t>(left <= beat_bytes);
    model_.s_axis_tvalid = 1;
    moved_ += beat_bytes;
  }

  /// The next 8 bytes of front padding and message.
  void body(std::uint64_t& beat) const {
    std::array<std::byte, beat_bytes> bytes{};
    const std::size_t at = sent_ - header_bytes;
    for (std::size_t lane = 0; lane < beat_bytes; ++lane) {
      const std::size_t place = at + lane;
      if (place >= pad_ && place - pad_ < message_.size()) {
        bytes[lane] = message_[place - pad_];
      }
    }
    std::memcpy(&beat, bytes.data(), beat_bytes);
  }

  void step() {
    offer();
    const bool writable = memory_gives();
    model_.m_axis_tready = static_cast<std::uint8_t>(writable);
    model_.clk_i = 0;
    model_.eval();
    const bool sent = model_.s_axis_tvalid != 0 && model_.s_axis_tready != 0;
    if (model_.m_axis_tvalid != 0 && writable && !over_) {
      take();
    }
    if (model_.problem_o != 0) {
      failure_ = "its output breaks the layout of the message (problem " +
                 std::to_string(static_cast<unsigned>(model_.problem_o)) +
                 " of lig_fields_pkg::problem_e)";
      over_ = true;
    }
    model_.clk_i = 1;
    model_.eval();
    ++cycle_;
    ended_ = over_ ? ended_ : cycle_;
    if (sent) {
      sent_ += beat_bytes;
      model_.s_axis_tvalid = 0;
    }
  }

  void take() {
    std::array<std::byte, beat_bytes> bytes{};
    const std::uint64_t beat = model_.m_axis_tdata;
    std::memcpy(bytes.data(), &beat, beat_bytes);
    const auto count = static_cast<std::size_t>(__builtin_popcount(model_.m_axis_tkeep));
    out_.insert(out_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
    moved_ += beat_bytes;
    if (out_.size() == header_bytes) {
      read_header();
    }
    if (out_.size() > header_bytes + out_pad_ + out_length_ && failure_.empty()) {
      failure_ = "its output is longer than its header says";
    }
    over_ = over_ || model_.m_axis_tlast != 0;
    if (over_ && out_.size() != header_bytes + out_pad_ + out_length_ && failure_.empty()) {
      failure_ = "its output is shorter than its header says";
    }
    over_ = over_ || !failure_.empty();
  }

  void read_header() {
    std::uint32_t length = 0;
    std::memcpy(&length, out_.data(), sizeof length);
    out_length_ = length;
    out_pad_ = std::to_integer<std::size_t>(out_[7]) & 63U;
    if (bound_ != 0 && out_length_ > bound_) {
      failure_ = "its output of " + std::to_string(out_length_) + " bytes is beyond the bound of " +
                 std::to_string(bound_);
    }
  }

  Model model_;
  double bytes_per_cycle_;
  std::uint64_t latency_cycles_;
  std::span<const std::byte> message_;
  std::uint64_t pad_ = 0;
  std::array<std::uint64_t, 2> header_{};
  std::size_t sent_ = 0;
  std::vector<std::byte> out_;
  std::size_t out_pad_ = 0;
  std::size_t out_length_ = 0;
  std::size_t bound_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint64_t ended_ = 0;  ///< cycle of the last beat out
  std::uint64_t moved_ = 0;
  std::uint64_t limit_ = 0;
  bool over_ = false;
  std::string failure_;
};

/// A node whose callback sends the message through a core.
template <typename Model, typename In, typename Out>
class HardwareNode : public Node {
 public:
  HardwareNode(const std::string& name, const NodeOptions& options, const Memory& memory)
      : Node(name, options), core_(memory), clock_hz_{memory.clock_hz} {}

 protected:
  [[nodiscard]] Model& model() { return core_.model(); }

  void open(const std::string& input, const std::string& output) {
    constexpr std::size_t depth = 5;
    publisher_ = create_publisher<Out>(output, QoS(depth));
    SubscriptionOptions device;
    device.device = true;
    subscription_ = create_subscription<In>(
        input, QoS(depth), [this](const Sample<In>& sample) { handle(sample); }, device);
  }

 private:
  void handle(const Sample<In>& sample) {
    const MessageInfo info = sample.info();
    const trace::MessageIdentity message{info.publisher_id(), info.publication_sequence_number()};
    trace::Span span(*this, "simulator", trace::Category::device, message);
    const std::int64_t doorbell_ns = trace::enabled() ? pool::monotonic_now_ns() : 0;
    const auto made = core_.run(sample.bytes(),
                                {.sequence = info.publication_sequence_number(),
                                 .time_ns = info.source_timestamp().nanoseconds()},
                                0);
    if (!made) {
      span.finish();
      refuse(made.error());
      return;
    }
    // The span's own length is the simulator's; the hardware's time is its cycles.
    const double took_ns = static_cast<double>(made->cycles) * 1e9 / clock_hz_;
    trace::tell_device_work(*this,
                            {.device = "FPGA",
                             .name = "hardware",
                             .base = trace::TimeBase::modelled,
                             .begin_ns = doorbell_ns,
                             .end_ns = doorbell_ns + std::llround(took_ns)},
                            message);
    span.finish([&](auto& values) {
      values.tell("cycles", made->cycles);
      values.tell("clock_hz", clock_hz_);
    });
    publisher_->publish_stored(made->message);
  }

  /// A message gives no output: reports the first of each reason.
  void refuse(const std::string& why) {
    if (std::find(told_.begin(), told_.end(), why) == told_.end()) {
      told_.push_back(why);
      report_error("a message gives no output: " + why);
    }
  }

  Core<Model> core_;
  double clock_hz_;
  std::vector<std::string> told_;
  std::shared_ptr<Publisher<Out>> publisher_;
  std::shared_ptr<Subscription<In>> subscription_;
};

}  // namespace ligament::fpga
