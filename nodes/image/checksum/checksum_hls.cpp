// SPDX-License-Identifier: Apache-2.0
/// \file The checksum node in C++ for high-level synthesis, beat by beat as image_checksum.sv.
#include <sensor_msgs/msg/image.hpp>
#include <std_msgs/msg/u_int64.hpp>

void image_checksum(lig_hls::Fields& image, lig_hls::Fields& image_copy,
                    lig_hls::Fields& checksum) {
  using lig_hls::sensor_msgs::msg::Image;
  unsigned long long sum = 0;
  unsigned kind = lig_hls::VALUES;
  while (kind != lig_hls::DONE && kind != lig_hls::BROKEN) {
#ifdef __SYNTHESIS__
#pragma HLS PIPELINE II = 1
#endif
    const lig_hls::Beat beat = image.read();
    kind = lig_hls::kind_of(beat);
    if (kind == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      sum = (sum << 1 | sum >> 63) + static_cast<unsigned long long>(beat.data);
    }
    image_copy.write(beat);
  }
  lig_hls::std_msgs::msg::UInt64 told;
  told.data = sum;
  lig_hls::publish(checksum, told);
}
