// SPDX-License-Identifier: Apache-2.0
/// \file What makes OpenCL C of CUDA C++: compiled before the kernels, so that one `.cl` serves
/// both.
///
/// It covers what kernels over arrays use: work items, address spaces, conversions, barriers,
/// atomics on 32 bits. Not vector arithmetic, vector literals, images, and pointers into
/// `__constant` memory (spec/device/gpu.md): the compiler names the line.
#pragma once

namespace ligament::gpu::cuda {

inline constexpr const char* opencl_c = R"cuda(
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define __kernel static __device__
#define kernel static __device__
#define __global
#define __constant __constant__
#define __local __shared__
#define __private
#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2

__shared__ ulong ligament_sizes[3];

__device__ inline uint ligament_part(dim3 of, uint d) { return d == 0 ? of.x : d == 1 ? of.y : of.z; }
__device__ inline dim3 ligament_dim(uint3 v) { return dim3(v.x, v.y, v.z); }
__device__ inline ulong get_local_id(uint d) { return d < 3 ? ligament_part(ligament_dim(threadIdx), d) : 0; }
__device__ inline ulong get_group_id(uint d) { return d < 3 ? ligament_part(ligament_dim(blockIdx), d) : 0; }
__device__ inline ulong get_local_size(uint d) { return d < 3 ? ligament_part(blockDim, d) : 1; }
__device__ inline ulong get_num_groups(uint d) { return d < 3 ? ligament_part(gridDim, d) : 1; }
__device__ inline ulong get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
__device__ inline ulong get_global_size(uint d) { return d < 3 ? ligament_sizes[d] : 1; }
__device__ inline ulong get_global_offset(uint) { return 0; }
__device__ inline uint get_work_dim() { return 3; }
__device__ inline void barrier(uint) { __syncthreads(); }

template <typename T> __device__ inline T clamp(T x, T low, T high) {
  return x < low ? low : high < x ? high : x;
}
template <typename T> __device__ inline T mad(T a, T b, T c) { return a * b + c; }

template <typename T> __device__ inline T ligament_saturated(double x, double low, double high) {
  return x != x ? (T)0 : x <= low ? (T)low : x >= high ? (T)high : (T)x;
}
#define LIGAMENT_CONVERT(name, type, low, high)                                                          \
  __device__ inline type convert_##name(double x) { return (type)(long)x; }                       \
  __device__ inline type convert_##name##_rte(double x) { return (type)(long)rint(x); }           \
  __device__ inline type convert_##name##_sat(double x) {                                         \
    return ligament_saturated<type>(x, low, high);                                                       \
  }                                                                                                      \
  __device__ inline type convert_##name##_sat_rte(double x) {                                     \
    return ligament_saturated<type>(rint(x), low, high);                                                 \
  }
LIGAMENT_CONVERT(char, signed char, -128.0, 127.0)
LIGAMENT_CONVERT(uchar, uchar, 0.0, 255.0)
LIGAMENT_CONVERT(short, short, -32768.0, 32767.0)
LIGAMENT_CONVERT(ushort, ushort, 0.0, 65535.0)
LIGAMENT_CONVERT(int, int, -2147483648.0, 2147483647.0)
LIGAMENT_CONVERT(uint, uint, 0.0, 4294967295.0)
__device__ inline float convert_float(double x) { return (float)x; }
__device__ inline double convert_double(double x) { return x; }

__device__ inline int atomic_add(volatile int* p, int v) { return atomicAdd((int*)p, v); }
__device__ inline uint atomic_add(volatile uint* p, uint v) { return atomicAdd((uint*)p, v); }
__device__ inline int atomic_inc(volatile int* p) { return atomicAdd((int*)p, 1); }
__device__ inline uint atomic_inc(volatile uint* p) { return atomicAdd((uint*)p, 1u); }
__device__ inline int atomic_min(volatile int* p, int v) { return atomicMin((int*)p, v); }
__device__ inline int atomic_max(volatile int* p, int v) { return atomicMax((int*)p, v); }
)cuda";

}  // namespace ligament::gpu::cuda
