// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <bit>
#include <cmath>
#include <numeric>

namespace uma {
namespace {

constexpr std::uint32_t factor =
    1664525;  // of a linear congruence: cheap, and never the same twice
constexpr std::uint32_t addend = 1013904223;

/// `renew` is work_on_tile(). In `reduce` each pass begins elsewhere in the row, so that no
/// compiler makes one pass of many.
constexpr const char* text = R"(
__kernel void reduce(const __global uint* matrix, __global uint* sums, uint columns, uint repeats) {
  const __global uint* row = matrix + (ulong)get_global_id(0) * columns;
  uint sum = 0;
  for (uint pass = 0; pass < repeats; ++pass) {
    const uint middle = (pass * 64) % columns;
    sum = 0;
    for (uint i = middle; i < columns; ++i) sum += row[i];
    for (uint i = 0; i < middle; ++i) sum += row[i];
    sums[get_global_id(0)] = sum;
  }
}
__kernel void renew(const __global uint* other, __global uint* own, uint columns, uint repeats) {
  const ulong first = (ulong)get_global_id(0) * columns;
  for (uint i = 0; i < columns; ++i) {
    uint value = other[first + i];
    for (uint k = 0; k < repeats; ++k) value = value * 1664525u + 1013904223u;
    own[first + i] = value;
  }
}
)";

}  // namespace

void fill(Words words) { std::iota(words.begin(), words.end(), 1U); }

void work_on_one_address(Words matrix, std::int64_t repeats) {
  volatile std::uint32_t* address = matrix.data();
  for (std::int64_t i = 0; i < repeats; ++i) {
    const float read = std::bit_cast<float>(static_cast<std::uint32_t>(*address));
    const float value = std::sqrt(std::fabs(read) + 2.0F) * 1.5F / 1.25F;
    *address = std::bit_cast<std::uint32_t>(value);
  }
}

std::uint32_t sum_of(ConstWords words) {
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
}

void work_on_tile(ConstWords other, Words own, std::int64_t repeats) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::uint32_t value = other[i];
    for (std::int64_t k = 0; k < repeats; ++k) {
      value = value * factor + addend;
    }
    own[i] = value;
  }
}

ligament::gpu::ProgramDescription kernels() {
  using enum ligament::gpu::ArgumentKind;
  return {
      {{"uma.cl", text}},
      {{"reduce", {input, output, number, number}}, {"renew", {input, output, number, number}}}};
}

ligament::gpu::Launch launch_of(Workload workload, const Size& size,
                                std::span<const ligament::gpu::Argument> arguments) {
  return {.kernel = workload == Workload::cache ? 0U : 1U,
          .global = {size.rows, 1, 1},
          .arguments = arguments};
}

std::array<ligament::gpu::Argument, 4> arguments_of(const Size& size, ConstWords in, Words out) {
  return {std::as_bytes(in), std::as_writable_bytes(out), size.columns, size.gpu_repeats};
}

}  // namespace uma
