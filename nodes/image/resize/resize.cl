// SPDX-License-Identifier: Apache-2.0
// Bilinear resize of images with 8 bits per channel, bit by bit as cv::resize with INTER_LINEAR:
// weights in fixed point of 11 bits, the mean of four pixels where both factors are exactly 1/2, and
// a copy where the size stays, whatever the factors.
// One work item per pixel and channel of the result.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

// What a pixel of the result takes: source pixels `index` and the next, with their weights * 2048.
typedef struct {
  int index;
  int first;
  int second;
} taps_t;

taps_t taps_of(int place, double step) {
  const float at = (float)((place + 0.5) * step - 0.5);
  const int index = (int)floor(at);
  const float rest = at - index;
  const taps_t taps = {index, convert_short_sat_rte((1.0f - rest) * 2048.0f),
                       convert_short_sat_rte(rest * 2048.0f)};
  return taps;
}

// Along a row, OpenCV gives pixels outside the image's first and last no weight.
taps_t taps_of_column(int place, double step, int width) {
  taps_t taps = taps_of(place, step);
  if (taps.index < 0 || taps.index >= width - 1) {
    taps.index = taps.index < 0 ? 0 : width - 1;
    taps.first = 2048;
    taps.second = 0;
  }
  return taps;
}

int along_row(const __global uchar* row, taps_t taps, int next, int channels, int channel) {
  return row[taps.index * channels + channel] * taps.first +
         row[next * channels + channel] * taps.second;
}

__kernel void resize_linear(const __global uchar* in, int width, int height, uint in_step,
                            __global uchar* out, uint out_step, int channels, double step_x,
                            double step_y) {
  const int x = get_global_id(0) / channels;
  const int channel = get_global_id(0) % channels;
  const int y = get_global_id(1);
  const taps_t across = taps_of_column(x, step_x, width);
  const taps_t down = taps_of(y, step_y);
  const int next = min(across.index + 1, width - 1);
  const int upper = clamp(down.index, 0, height - 1);
  const int lower = clamp(down.index + 1, 0, height - 1);
  const int a = along_row(in + (ulong)upper * in_step, across, next, channels, channel);
  const int b = along_row(in + (ulong)lower * in_step, across, next, channels, channel);
  out[(ulong)y * out_step + get_global_id(0)] =
      (((down.first * (a >> 4)) >> 16) + ((down.second * (b >> 4)) >> 16) + 2) >> 2;
}

// At the right and lower edge of an image with an odd side, fewer than four pixels are there.
__kernel void resize_half(const __global uchar* in, int width, int height, uint in_step,
                          __global uchar* out, uint out_step, int channels) {
  const int x = 2 * (int)(get_global_id(0) / channels);
  const int channel = get_global_id(0) % channels;
  const int y = 2 * (int)get_global_id(1);
  int sum = 0;
  int count = 0;
  for (int row = y; row < min(y + 2, height); ++row) {
    for (int column = x; column < min(x + 2, width); ++column) {
      sum += in[(ulong)row * in_step + column * channels + channel];
      ++count;
    }
  }
  const uchar mean = count == 4   ? (uchar)((sum + 2) >> 2)
                     : count == 0 ? (uchar)0
                                  : convert_uchar_sat_rte((float)sum / count);
  out[(ulong)get_global_id(1) * out_step + get_global_id(0)] = mean;
}

__kernel void copy_rows(const __global uchar* in, uint in_step, __global uchar* out,
                        uint out_step) {
  out[(ulong)get_global_id(1) * out_step + get_global_id(0)] =
      in[(ulong)get_global_id(1) * in_step + get_global_id(0)];
}
