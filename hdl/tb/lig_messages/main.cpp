// SPDX-License-Identifier: Apache-2.0
//
// Runs requests from stdin through lig_messages_tb, answers on stdout; all numbers little-endian:
//
//   'P' u32 count, u64 words...             the layout program from now on
//   'F' u32 seed, u32 size, bytes           a frame into unpack; seed 0: without stalls
//   'T' u32 seed, 16 bytes, u32 count, beats           a header and a field stream, into pack
//   'R' u32 size, bytes                     the frame up to its last beat, then a reset
//
// A beat of a field stream: u8 kind, u8 bytes, u16 field, as many bytes of data as a beat has
// (LIG_BYTES). 'F' and 'T' answer with:
//   u32 cycles, u32 problem of pack, u32 count and the beats between the two, u32 size and the
//   frame.
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "Vtop.h"

namespace {

constexpr std::uint32_t quiet_cycles = 200;
constexpr std::uint32_t patience = 2'000'000;

using Bytes = std::vector<std::uint8_t>;

/// Of a beat.
constexpr std::size_t lanes = LIG_BYTES;

struct Field {
  std::uint8_t kind;
  std::uint8_t bytes;
  std::uint16_t number;
  std::array<std::uint8_t, lanes> data;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "lig_messages: %s\n", what);
  std::exit(1);
}

void read_exactly(void* to, std::size_t size) {
  if (size != 0 && std::fread(to, 1, size, stdin) != size) {
    fail("the request ends early");
  }
}

template <typename T>
T read_number() {
  T value{};
  read_exactly(&value, sizeof value);
  return value;
}

template <typename T>
void write_number(T value) {
  std::fwrite(&value, sizeof value, 1, stdout);
}

Bytes read_bytes() {
  Bytes bytes(read_number<std::uint32_t>());
  read_exactly(bytes.data(), bytes.size());
  return bytes;
}

/// The lanes that hold so many bytes, in the type of the port.
template <typename T>
void keep(T& port, std::size_t bytes) {
  port =
      bytes >= lanes ? static_cast<T>(~0ULL >> (64 - lanes)) : static_cast<T>((1ULL << bytes) - 1);
}

class Bench {
 public:
  Bench() { reset(); }

  void load() {
    const auto count = read_number<std::uint32_t>();
    top_.write_i = 1;
    for (std::uint32_t address = 0; address < count; ++address) {
      top_.write_address_i = static_cast<SData>(address);
      top_.write_word_i = read_number<std::uint64_t>();
      step();
    }
    top_.write_i = 0;
  }

  void frame() {
    begin(read_number<std::uint32_t>());
    frame_ = read_bytes();
    top_.direct_i = 0;
    run();
    answer();
  }

  void fields() {
    begin(read_number<std::uint32_t>());
    read_exactly(&top_.direct_header_i, 16);
    given_.resize(read_number<std::uint32_t>());
    for (auto& field : given_) {
      field.kind = read_number<std::uint8_t>();
      field.bytes = read_number<std::uint8_t>();
      field.number = read_number<std::uint16_t>();
      read_exactly(field.data.data(), lanes);
    }
    top_.direct_i = 1;
    run();
    answer();
  }

  void interrupted() {
    begin(0);
    frame_ = read_bytes();
    top_.direct_i = 0;
    while (sent_ + lanes < frame_.size()) {
      step();
      if (++cycles_ > patience) {
        fail("a frame is not taken");
      }
    }
    begin(0);
    top_.s_axis_tvalid = 0;
    reset();
  }

 private:
  void begin(std::uint32_t seed) {
    random_.seed(seed);
    stalls_ = seed != 0;
    frame_.clear();
    given_.clear();
    seen_.clear();
    out_.clear();
    sent_ = 0;
    given_count_ = 0;
    cycles_ = 0;
    problem_ = 0;
    over_ = false;
  }

  void reset() {
    top_.rst_i = 1;
    for (int cycle = 0; cycle < 3; ++cycle) {
      step();
    }
    top_.rst_i = 0;
    step();
  }

  [[nodiscard]] bool stall() { return stalls_ && (random_() & 1U) != 0; }

  /// Until the frame has left, or nothing moves any more.
  void run() {
    std::uint32_t quiet = 0;
    while (!over_ && quiet < quiet_cycles) {
      const std::size_t before = sent_ + given_count_ + seen_.size() + out_.size();
      step();
      quiet = before == sent_ + given_count_ + seen_.size() + out_.size() ? quiet + 1 : 0;
      if (++cycles_ > patience) {
        fail("a message takes forever");
      }
    }
    // The problem is told a cycle behind; a dropped message's rest may still come.
    for (int cycle = 0; cycle < 4 || given_count_ < given_.size() || sent_ < frame_.size();
         ++cycle) {
      step();
      if (cycle > 100'000) {
        fail("the rest of a dropped message is not taken");
      }
    }
  }

  void offer() {
    if (top_.s_axis_tvalid == 0 && sent_ < frame_.size() && !stall()) {
      const std::size_t left = frame_.size() - sent_;
      std::memset(&top_.s_axis_tdata, 0, lanes);
      std::memcpy(&top_.s_axis_tdata, frame_.data() + sent_, std::min(left, lanes));
      keep(top_.s_axis_tkeep, left);
      top_.s_axis_tlast = static_cast<CData>(left <= lanes);
      top_.s_axis_tvalid = 1;
    }
    if (top_.direct_valid_i == 0 && given_count_ < given_.size() && !stall()) {
      const Field& field = given_[given_count_];
      std::memcpy(&top_.direct_data_i, field.data.data(), lanes);
      keep(top_.direct_keep_i, field.bytes);
      top_.direct_user_i = static_cast<SData>(field.kind << 12 | field.number);
      top_.direct_last_i = static_cast<CData>(field.kind >= 2);
      top_.direct_valid_i = 1;
    }
    top_.hold_i = static_cast<CData>(stall());
    top_.m_axis_tready = static_cast<CData>(!stall());
  }

  void step() {
    offer();
    top_.clk_i = 0;
    top_.eval();
    const bool sent = top_.s_axis_tvalid != 0 && top_.s_axis_tready != 0;
    const bool given = top_.direct_i != 0 && top_.field_taken_o != 0;
    if (top_.rst_i == 0) {
      watch();
    }
    top_.clk_i = 1;
    top_.eval();
    context_.timeInc(1);
    if (context_.gotFinish()) {
      fail("a rule of the stream is broken");
    }
    if (sent) {
      sent_ += lanes;
      top_.s_axis_tvalid = 0;
    }
    if (given) {
      ++given_count_;
      top_.direct_valid_i = 0;
    }
  }

  void watch() {
    if (top_.field_taken_o != 0) {
      const auto bytes = static_cast<std::uint8_t>(std::popcount(top_.field_keep_o));
      seen_.push_back({static_cast<std::uint8_t>(top_.field_user_o >> 12),
                       bytes,
                       static_cast<std::uint16_t>(top_.field_user_o & 0xFFF),
                       {}});
      std::memcpy(seen_.back().data.data(), &top_.field_data_o, lanes);
    }
    if (top_.problem_o != 0) {
      problem_ = top_.problem_o;
    }
    if (top_.m_axis_tvalid != 0 && top_.m_axis_tready != 0) {
      const auto* data = reinterpret_cast<const std::uint8_t*>(&top_.m_axis_tdata);
      out_.insert(out_.end(), data, data + std::popcount(top_.m_axis_tkeep));
      over_ = over_ || top_.m_axis_tlast != 0;
    }
  }

  void answer() const {
    write_number(cycles_);
    write_number(problem_);
    write_number(static_cast<std::uint32_t>(seen_.size()));
    for (const auto& field : seen_) {
      write_number(field.kind);
      write_number(field.bytes);
      write_number(field.number);
      std::fwrite(field.data.data(), 1, lanes, stdout);
    }
    write_number(static_cast<std::uint32_t>(out_.size()));
    std::fwrite(out_.data(), 1, out_.size(), stdout);
    std::fflush(stdout);
  }

  VerilatedContext context_;
  Vtop top_{&context_};
  std::mt19937 random_;
  bool stalls_{false};
  bool over_{false};
  Bytes frame_;
  std::vector<Field> given_;
  std::vector<Field> seen_;
  Bytes out_;
  std::size_t sent_{0};
  std::size_t given_count_{0};
  std::uint32_t cycles_{0};
  std::uint32_t problem_{0};
};

}  // namespace

int main() {
  Bench bench;
  for (int verb = std::fgetc(stdin); verb != EOF; verb = std::fgetc(stdin)) {
    switch (verb) {
      case 'P':
        bench.load();
        break;
      case 'F':
        bench.frame();
        break;
      case 'T':
        bench.fields();
        break;
      case 'R':
        bench.interrupted();
        break;
      default:
        fail("an unknown request");
    }
  }
  return 0;
}
