// SPDX-License-Identifier: Apache-2.0
/// \file The same threshold in C++ for high-level synthesis: beat by beat, as threshold.sv. An
/// image is too long for a chip's memory, so no message is taken whole.
#include <sensor_msgs/msg/image.hpp>

using lig_hls::sensor_msgs::msg::Image;

void threshold(lig_hls::Fields& image, lig_hls::Fields& thresholded, long long threshold) {
  bool over = false;
  while (!over) {
#ifdef __SYNTHESIS__
#pragma HLS PIPELINE II = 1
#endif
    lig_hls::Beat beat = image.read();
    over = beat.last != 0;
    if (lig_hls::kind_of(beat) == lig_hls::VALUES && lig_hls::field_of(beat) == Image::FIELD_DATA) {
      const unsigned long long bytes = beat.data;
      unsigned long long result = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        const long long byte = static_cast<long long>(bytes >> (8 * lane) & 0xFF);
        result |= (byte >= threshold ? 0xFFULL : 0ULL) << (8 * lane);
      }
      beat.data = result;
    }
    thresholded.write(beat);
  }
}
