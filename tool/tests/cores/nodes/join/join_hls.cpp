// SPDX-License-Identifier: Apache-2.0
// The bytes of two images, the greater of each pair. After some messages it says nothing any more:
// what is static is a register of the core.
#include <sensor_msgs/msg/image.hpp>

namespace {

unsigned long long greater_bytes(unsigned long long one, unsigned long long other) {
  unsigned long long result = 0;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    const unsigned long long a = one >> shift & 0xFF;
    const unsigned long long b = other >> shift & 0xFF;
    result |= (a > b ? a : b) << shift;
  }
  return result;
}

}  // namespace

void join_two(lig_hls::Fields& left, lig_hls::Fields& right, lig_hls::Fields& joined,
              long long answers) {
  using lig_hls::sensor_msgs::msg::Image;
  static long long answered = 0;
  const bool speaks = answered < answers;
  bool over = false;
  while (!over) {
    lig_hls::Beat beat = left.read();
    const lig_hls::Beat other = right.read();
    over = beat.last != 0;
    if (lig_hls::kind_of(beat) == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      beat.data = greater_bytes(beat.data, other.data);
    }
    if (speaks) {
      joined.write(beat);
    }
  }
  answered += speaks ? 1 : 0;
}
