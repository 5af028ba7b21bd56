// SPDX-License-Identifier: Apache-2.0
// A core that counts its messages, and adds that number to each byte; or one with a fault.
#include <sensor_msgs/msg/image.hpp>

namespace {

/// In the order of the manifest's choices.
enum Fault { NONE, SILENT, HUNGRY, POLLS, DEAF, ENDLESS, TALKATIVE, BREAKS, REFUSES, CUT, SPINS };

lig_hls::Beat final_beat(unsigned kind, unsigned reason) {
  lig_hls::Beat beat = lig_hls::Beat();
  beat.data = reason;
  beat.keep = 1;
  beat.user = kind << 12;
  beat.last = 1;
  return beat;
}

void count(lig_hls::Fields& in, lig_hls::Fields& out) {
  using lig_hls::sensor_msgs::msg::Image;
  static unsigned messages = 0;
  bool over = false;
  while (!over) {
    lig_hls::Beat beat = in.read();
    over = beat.last != 0;
    if (lig_hls::kind_of(beat) == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      unsigned long long result = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        const unsigned long long byte = (beat.data >> (8 * lane)) + messages;
        if ((unsigned(beat.keep) >> lane & 1) != 0) {
          result |= (byte & 0xFF) << (8 * lane);
        }
      }
      beat.data = result;
    }
    out.write(beat);
  }
  ++messages;
}

void swallow(lig_hls::Fields& in) {
  while (in.read().last == 0) {
  }
}

}  // namespace

// Longer than most: a case for each fault, which need nothing of one another.
void odd(lig_hls::Fields& in, lig_hls::Fields& out, long long fault) {
  switch (fault) {
    case SILENT:
      swallow(in);
      return;
    case HUNGRY:
      swallow(in);
      swallow(in);
      return;
    case POLLS:
      swallow(in);
      while (in.empty()) {
      }
      return;
    case DEAF:
      out.write(in.read());
      return;
    case ENDLESS: {
      const lig_hls::Beat beat = in.read();
      while (true) {
        out.write(beat);
      }
    }
    case TALKATIVE: {
      while (true) {
        const lig_hls::Beat beat = in.read();
        out.write(beat);
        if (beat.last != 0) {
          out.write(beat);
          return;
        }
      }
    }
    case BREAKS:
      swallow(in);
      out.write(final_beat(lig_hls::DONE, 0));
      return;
    case REFUSES:
      swallow(in);
      out.write(final_beat(lig_hls::BROKEN, 77));
      return;
    case CUT:
      out.write(in.read());
      swallow(in);
      return;
    case SPINS: {
      volatile bool spins = true;
      while (spins) {
      }
      return;
    }
    default:
      count(in, out);
  }
}
