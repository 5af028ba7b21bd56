// SPDX-License-Identifier: Apache-2.0
// Colour conversion of images with 8 bits per channel, bit by bit as cv::cvtColor. One work item per
// pixel.

// Weights in fixed point of 15 bits; `red`: place of the red channel, blue is at 2 - red.
__kernel void to_grey(const __global uchar* in, uint in_step, int channels, int red,
                      __global uchar* out) {
  const __global uchar* pixel =
      in + (ulong)get_global_id(1) * in_step + get_global_id(0) * channels;
  const int sum = pixel[red] * 9798 + pixel[1] * 19235 + pixel[2 - red] * 3735;
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (uchar)((sum + 16384) >> 15);
}

// Also from grey, whose value is that of all three colours. A channel that the source does not have
// is opaque.
__kernel void reorder(const __global uchar* in, uint in_step, int channels, int swaps,
                      __global uchar* out, int wanted) {
  const __global uchar* pixel =
      in + (ulong)get_global_id(1) * in_step + get_global_id(0) * channels;
  __global uchar* result =
      out + (get_global_id(1) * get_global_size(0) + get_global_id(0)) * wanted;
  for (int i = 0; i < wanted; ++i) {
    const int from = channels == 1 ? 0 : i < 3 && swaps ? 2 - i : i;
    result[i] = i == 3 && channels != 4 ? 255 : pixel[from];
  }
}
