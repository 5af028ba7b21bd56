// SPDX-License-Identifier: Apache-2.0
// One work item per byte.
__kernel void compare(const __global uchar* in, uint level, __global uchar* out) {
  const size_t i = get_global_id(0);
  out[i] = in[i] >= level ? 255 : 0;
}
