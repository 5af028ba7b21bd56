// SPDX-License-Identifier: Apache-2.0
//
// Field streams through the HLS C++ of every message type, compiled natively. types.inc, written by
// the test, has a line MESSAGE("package/kind/Name", CppType) per type.
//
// A request: u32 length of the name, name, u32 beats, beats. A beat: u8 kind, u8 bytes, u16 field,
// 8 bytes of data. The answer: u8 whether the message was good, u32 its length() in bytes, u32
// beats left in the stream, u32 beats published, those beats (none of a broken message). Numbers
// are little-endian. What the non-blocking calls must refuse ends the program if they do not.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

using Exchange = void (*)(const std::vector<Packed>&);

const std::map<std::string, Exchange>& exchanges() {
  static const std::map<std::string, Exchange> table{
#define MESSAGE(name, type) {name, &exchange<type>},
#include "types.inc"
#undef MESSAGE
  };
  return table;
}

}  // namespace

int main() {
  std::uint32_t size = 0;
  while (read(size)) {
    std::string name(size, '\0');
    check(std::fread(name.data(), 1, size, stdin) == size, "cut request");
    std::uint32_t count = 0;
    check(read(count), "cut request");
    std::vector<Packed> beats;
    for (std::uint32_t i = 0; i < count; ++i) {
      beats.push_back(read_beat());
    }
    const auto found = exchanges().find(name);
    check(found != exchanges().end(), "no such type");
    found->second(beats);
    std::fflush(stdout);
  }
  return 0;
}
