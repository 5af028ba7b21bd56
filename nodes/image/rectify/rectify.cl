// SPDX-License-Identifier: Apache-2.0
// Rectification of images with 8 bits per channel, as cv::initUndistortRectifyMap and cv::remap with
// INTER_LINEAR do it: a table of source places in fixed point (1/32 pixel), made when the
// calibration changes, and an interpolation with weights of 15 bits, bit by bit as OpenCV's.
//
// The table: OpenCV walks along a row and adds up, this computes each place by itself, so the two
// differ by some 1e-13 pixel before they are rounded to 1/32 pixel. A place that lies exactly between
// two steps may be rounded to either; calibrations of real lenses have none. Places that do not fit
// 16 bits are outside the image here; what OpenCV makes of them depends on its vector width.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

int fixed_point(double pixels) { return convert_int_sat_rte(pixels * 32.0); }

// From a pixel of the rectified image to the direction in which the camera saw it: the inverse of
// the projection times the rotation.
void invert(const double* m, double* inverse) {
  const double determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) -
                             m[1] * (m[3] * m[8] - m[5] * m[6]) +
                             m[2] * (m[3] * m[7] - m[4] * m[6]);
  const double d = determinant == 0.0 ? 0.0 : 1.0 / determinant;
  inverse[0] = (m[4] * m[8] - m[5] * m[7]) * d;
  inverse[1] = (m[2] * m[7] - m[1] * m[8]) * d;
  inverse[2] = (m[1] * m[5] - m[2] * m[4]) * d;
  inverse[3] = (m[5] * m[6] - m[3] * m[8]) * d;
  inverse[4] = (m[0] * m[8] - m[2] * m[6]) * d;
  inverse[5] = (m[2] * m[3] - m[0] * m[5]) * d;
  inverse[6] = (m[3] * m[7] - m[4] * m[6]) * d;
  inverse[7] = (m[1] * m[6] - m[0] * m[7]) * d;
  inverse[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

// The calibration's k, r and p as in sensor_msgs/CameraInfo, d with `coefficients` values. Binning
// scales k and p; the table is that of the region at (left, top). One work item per place.
__kernel void rectify_table(const __global double* k, const __global double* r,
                            const __global double* p, const __global double* d, int coefficients,
                            int binning_x, int binning_y, int left, int top,
                            __global short4* table) {
  const double scale_x = 1.0 / binning_x;
  const double scale_y = 1.0 / binning_y;
  double c[12];
  for (int i = 0; i < 12; ++i) c[i] = i < coefficients ? d[i] : 0.0;
  double projected[9];
  for (int row = 0; row < 3; ++row) {
    const double scale = row == 0 ? scale_x : row == 1 ? scale_y : 1.0;
    for (int column = 0; column < 3; ++column) {
      double sum = 0.0;
      for (int i = 0; i < 3; ++i) {
        const double of_p = row < 2 && i == 1 - row ? p[row * 4 + i] : p[row * 4 + i] * scale;
        sum += of_p * r[i * 3 + column];
      }
      projected[row * 3 + column] = sum;
    }
  }
  double back[9];
  invert(projected, back);
  const double column = get_global_id(0) + left;
  const double row = get_global_id(1) + top;
  const double w = 1.0 / (row * back[7] + back[8] + column * back[6]);
  const double x = (row * back[1] + back[2] + column * back[0]) * w;
  const double y = (row * back[4] + back[5] + column * back[3]) * w;
  const double x2 = x * x;
  const double y2 = y * y;
  const double r2 = x2 + y2;
  const double xy2 = 2 * x * y;
  const double radial = (1 + ((c[4] * r2 + c[1]) * r2 + c[0]) * r2) /
                        (1 + ((c[7] * r2 + c[6]) * r2 + c[5]) * r2);
  const double at_x = x * radial + c[2] * xy2 + c[3] * (r2 + 2 * x2) + c[8] * r2 + c[9] * r2 * r2;
  const double at_y = y * radial + c[2] * (r2 + 2 * y2) + c[3] * xy2 + c[10] * r2 + c[11] * r2 * r2;
  const int u = fixed_point(k[0] * scale_x * at_x + k[2] * scale_x);
  const int v = fixed_point(k[4] * scale_y * at_y + k[5] * scale_y);
  short4 place;
  place.x = convert_short_sat((u >> 5) - left);
  place.y = convert_short_sat((v >> 5) - top);
  place.z = (short)((v & 31) * 32 + (u & 31));
  place.w = 0;
  table[get_global_id(1) * get_global_size(0) + get_global_id(0)] = place;
}

typedef struct {
  const __global uchar* data;
  int width, height, channels;
  uint step;
} image_t;

// Outside the image all is black.
int pixel(image_t in, int x, int y, int channel) {
  const bool inside = x >= 0 && y >= 0 && x < in.width && y < in.height;
  return inside ? in.data[(ulong)y * in.step + x * in.channels + channel] : 0;
}

// The weights of the four neighbours are multiples of 32 that add up to 2^15.
uchar between(int a, int b, int c, int d, int right, int lower) {
  const int above = a * (32 - right) + b * right;
  const int below = c * (32 - right) + d * right;
  return (uchar)(((above * (32 - lower) + below * lower) * 32 + 16384) >> 15);
}

// One work item per pixel.
__kernel void rectify_linear(const __global uchar* in, int width, int height, uint in_step,
                             __global uchar* out, uint out_step, int channels,
                             const __global short4* table) {
  const short4 place = table[get_global_id(1) * width + get_global_id(0)];
  const int right = place.z & 31;
  const int lower = place.z >> 5;
  const int x = place.x;
  const int y = place.y;
  __global uchar* result = out + (ulong)get_global_id(1) * out_step + get_global_id(0) * channels;
  if (x >= 0 && y >= 0 && x + 1 < width && y + 1 < height) {
    const __global uchar* a = in + (ulong)y * in_step + x * channels;
    const __global uchar* c = a + in_step;
    for (int i = 0; i < channels; ++i) {
      result[i] = between(a[i], a[i + channels], c[i], c[i + channels], right, lower);
    }
    return;
  }
  const image_t image = {in, width, height, channels, in_step};
  for (int i = 0; i < channels; ++i) {
    result[i] = between(pixel(image, x, y, i), pixel(image, x + 1, y, i), pixel(image, x, y + 1, i),
                        pixel(image, x + 1, y + 1, i), right, lower);
  }
}

// A lens that bends nothing: the image as it is.
__kernel void pass_on(const __global uchar* in, uint in_step, __global uchar* out, uint out_step) {
  out[(ulong)get_global_id(1) * out_step + get_global_id(0)] =
      in[(ulong)get_global_id(1) * in_step + get_global_id(0)];
}
