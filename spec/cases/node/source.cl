// SPDX-License-Identifier: Apache-2.0
__kernel void own(const __global uchar* in, __global uchar* out) { out[get_global_id(0)] = in[get_global_id(0)]; }
