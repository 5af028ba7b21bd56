// SPDX-License-Identifier: Apache-2.0
// Gaussian filter of images with 8 bits per channel, bit by bit as cv::GaussianBlur with a sigma of 0
// and its default border: rows first, in fixed point of 8 bits, which is exact; then columns, rounded.
// One work item per pixel and channel.

// Weights * 256 from the middle outwards.
__constant int weights[3][4] = {{128, 64, 0, 0}, {96, 64, 16, 0}, {72, 56, 28, 8}};

// Beyond the border the image goes on mirrored, the border itself not repeated.
int mirrored(int place, int length) {
  if (length == 1) return 0;
  while (place < 0 || place >= length) place = place < 0 ? -place : 2 * length - 2 - place;
  return place;
}

__kernel void blur_rows(const __global uchar* in, int width, uint in_step, int channels, int size,
                        __global ushort* rows) {
  const int x = get_global_id(0) / channels;
  const int channel = get_global_id(0) % channels;
  const __global uchar* row = in + (ulong)get_global_id(1) * in_step + channel;
  const int filter = size / 2 - 1;
  int sum = row[x * channels] * weights[filter][0];
  for (int i = 1; i <= size / 2; ++i) {
    sum += (row[mirrored(x - i, width) * channels] + row[mirrored(x + i, width) * channels]) *
           weights[filter][i];
  }
  rows[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (ushort)sum;
}

__kernel void blur_columns(const __global ushort* rows, int height, int size, __global uchar* out) {
  const int y = get_global_id(1);
  const ulong row = get_global_size(0);
  const __global ushort* column = rows + get_global_id(0);
  const int filter = size / 2 - 1;
  uint sum = (uint)column[y * row] * weights[filter][0];
  for (int i = 1; i <= size / 2; ++i) {
    sum += ((uint)column[mirrored(y - i, height) * row] + column[mirrored(y + i, height) * row]) *
           weights[filter][i];
  }
  out[y * row + get_global_id(0)] = (uchar)((sum + 32768) >> 16);
}
