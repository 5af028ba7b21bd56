// SPDX-License-Identifier: Apache-2.0
// The bytes of an image, combined with a key; beat by beat.
#include <sensor_msgs/msg/image.hpp>

namespace case_nodes {

void xor_bytes(lig_hls::Fields& in, lig_hls::Fields& out, long long key) {
  using lig_hls::sensor_msgs::msg::Image;
  bool over = false;
  while (!over) {
    lig_hls::Beat beat = in.read();
    over = beat.last != 0;
    if (lig_hls::kind_of(beat) == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      unsigned long long keys = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((unsigned(beat.keep) >> lane & 1) != 0) {
          keys |= static_cast<unsigned long long>(key) << (8 * lane);
        }
      }
      beat.data = static_cast<unsigned long long>(beat.data) ^ keys;
    }
    out.write(beat);
  }
}

}  // namespace case_nodes
