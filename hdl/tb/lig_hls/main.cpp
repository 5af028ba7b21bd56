// SPDX-License-Identifier: Apache-2.0
//
// Field streams through the HLS C++ of every message type, compiled natively. types.inc, written by
// the test, has a line MESSAGE("package/kind/Name", CppType) per type.
//
// A request: 'F', u32 length of the name, name, u32 beats, beats. A beat: u8 kind, u8 bytes,
// u16 field, 8 bytes of data. The answer: u8 whether the message was good, u32 its length() in
// bytes, u32 beats left in the stream, u32 beats published, those beats (none of a broken message).
// Or: 'S' (a node that passes on), 'I' (one that inverts an image) or 'W' (one that waits for a
// second message), name as before, u32 bytes, a stored message. The answer: u8 problem, u32 bytes,
// the stored message. Numbers are little-endian. What the non-blocking calls must refuse ends the
// program if they do not.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lig_hls_frames.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "headers.inc"

namespace {

void check(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "lig_hls: %s\n", what);
    std::exit(1);
  }
}

template <typename T>
bool read(T& value) {
  return std::fread(&value, sizeof value, 1, stdin) == 1;
}

template <typename T>
void write(T value) {
  check(std::fwrite(&value, sizeof value, 1, stdout) == 1, "cannot answer");
}

struct Packed {
  std::uint8_t kind;
  std::uint8_t size;
  std::uint16_t field;
  std::uint64_t data;
};

Packed read_beat() {
  Packed beat{};
  check(read(beat.kind) && read(beat.size) && read(beat.field) && read(beat.data), "cut request");
  return beat;
}

lig_hls::Beat beat_of(const Packed& packed) {
  lig_hls::Beat beat{};
  beat.data = packed.data;
  beat.keep = (1U << packed.size) - 1;
  beat.user = packed.kind << 12 | packed.field;
  beat.last = packed.kind >= lig_hls::DONE;
  return beat;
}

void write_beat(const lig_hls::Beat& beat) {
  write(static_cast<std::uint8_t>(lig_hls::kind_of(beat)));
  write(static_cast<std::uint8_t>(__builtin_popcountll(beat.keep)));
  write(static_cast<std::uint16_t>(lig_hls::field_of(beat)));
  write(static_cast<std::uint64_t>(beat.data));
  check(unsigned(beat.last) == unsigned(lig_hls::kind_of(beat) >= lig_hls::DONE), "tlast");
}

template <typename Message>
void exchange(const std::vector<Packed>& beats) {
  lig_hls::Fields in;
  lig_hls::Fields out(1);
  const auto message = std::make_unique<Message>();
  bool good = false;
  check(!lig_hls::try_take(in, *message, good), "a message was taken of an empty stream");
  for (const Packed& beat : beats) {
    in.write(beat_of(beat));
  }
  check(lig_hls::try_take(in, *message, good), "a message that waits was not taken");
  out.write(lig_hls::Beat{});
  check(!lig_hls::try_publish(out, *message), "a message was published into a full stream");
  (void)out.read();
  write(static_cast<std::uint8_t>(good));
  write(static_cast<std::uint32_t>(good ? lig_hls::length(*message) : 0));
  write(static_cast<std::uint32_t>(in.size()));
  if (good) {
    check(lig_hls::try_publish(out, *message), "a message was not published into a free stream");
  }
  write(static_cast<std::uint32_t>(out.size()));
  while (!out.empty()) {
    write_beat(out.read());
  }
}

/// A node that takes a message and gives it again.
template <typename Message>
void pass_on(lig_hls::Fields& in, lig_hls::Fields& out) {
  const auto message = std::make_unique<Message>();
  if (lig_hls::take(in, *message)) {
    lig_hls::publish(out, *message);
  }
}

/// A node as one for the chip is written where no message fits into it: beat by beat.
void invert(lig_hls::Fields& in, lig_hls::Fields& out) {
  using Image = lig_hls::sensor_msgs::msg::Image;
  bool over = false;
  while (!over) {
    lig_hls::Beat beat = in.read();
    over = beat.last != 0;
    if (lig_hls::kind_of(beat) == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      beat.data = ~static_cast<unsigned long long>(beat.data);
    }
    out.write(beat);
  }
}

/// A node that wants two messages for an answer, and is only ever given one.
template <typename Message>
void pass_on_pairs(lig_hls::Fields& in, lig_hls::Fields& out) {
  pass_on<Message>(in, out);
  pass_on<Message>(in, out);
}

template <typename Message>
void emulate(const std::vector<unsigned char>& stored, char what) {
  std::vector<unsigned char> answer;
  const auto node = what == 'I'   ? &invert
                    : what == 'W' ? &pass_on_pairs<Message>
                                  : &pass_on<Message>;
  const auto problem =
      lig_hls::native::run<Message, Message>(node, stored.data(), stored.size(), answer);
  write(static_cast<std::uint8_t>(problem));
  write(static_cast<std::uint32_t>(answer.size()));
  check(std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size(), "cannot answer");
}

struct Ways {
  void (*exchange)(const std::vector<Packed>&);
  void (*emulate)(const std::vector<unsigned char>&, char);
};

const std::map<std::string, Ways>& exchanges() {
  static const std::map<std::string, Ways> table{
#define MESSAGE(name, type) {name, {&exchange<type>, &emulate<type>}},
#include "types.inc"
#undef MESSAGE
  };
  return table;
}

}  // namespace

int main() {
  char what = 0;
  while (read(what)) {
    std::uint32_t size = 0;
    check(read(size), "cut request");
    std::string name(size, '\0');
    check(std::fread(name.data(), 1, size, stdin) == size, "cut request");
    std::uint32_t count = 0;
    check(read(count), "cut request");
    const auto found = exchanges().find(name);
    check(found != exchanges().end(), "no such type");
    if (what != 'F') {
      std::vector<unsigned char> stored(count);
      check(std::fread(stored.data(), 1, count, stdin) == count, "cut request");
      found->second.emulate(stored, what);
      std::fflush(stdout);
      continue;
    }
    std::vector<Packed> beats;
    for (std::uint32_t i = 0; i < count; ++i) {
      beats.push_back(read_beat());
    }
    found->second.exchange(beats);
    std::fflush(stdout);
  }
  return 0;
}
