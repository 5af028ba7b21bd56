// SPDX-License-Identifier: Apache-2.0
/// \file CUDA's words for the host's own compiler.
#pragma once

namespace twin {

inline constexpr const char* emulated = R"cuda(
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local
#define __constant__ static
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct short4 { short x, y, z, w; };
struct int4 { int x, y, z, w; };
struct float4 { float x, y, z, w; };
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static inline void __syncthreads() {}
template <typename T> static inline T atomicAdd(T* p, T v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }
template <typename T> static inline T atomicMin(T* p, T v) { T old = *p; if (v < old) *p = v; return old; }
template <typename T> static inline T atomicMax(T* p, T v) { T old = *p; if (v > old) *p = v; return old; }
template <typename A, typename B> static inline std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(b) < C(a) ? C(b) : C(a);
}
template <typename A, typename B> static inline std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return C(a) < C(b) ? C(b) : C(a);
}
)cuda";

}  // namespace twin
