// SPDX-License-Identifier: Apache-2.0
/// \file The paper's two workloads: what the CPU does, what the GPU does, and what must come out.
///
/// `cache`: a matrix in memory. The CPU does square roots, divisions and multiplications that read
/// and write a single address of it; then the GPU reduces it in two dimensions, again and again,
/// through linear reads. They never overlap.
///
/// `concurrent`: two tiles of equal size. The CPU makes the new first tile from the second while
/// the GPU makes the new second from the first, one read and one write per element, at the same
/// time; then each has what the other made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ligament/gpu.hpp>
#include <span>
#include <string>

namespace uma {

using Words = std::span<std::uint32_t>;
using ConstWords = std::span<const std::uint32_t>;

enum class Workload : std::uint8_t { cache, concurrent };

/// How much of it. The matrix has `rows` rows of `columns` words; so has a tile.
struct Size {
  std::int64_t rows = 1024;
  std::int64_t columns = 1024;
  std::int64_t cpu_repeats = 1;  ///< cache: operations; concurrent: arithmetic per element
  std::int64_t gpu_repeats = 1;  ///< cache: reductions; concurrent: arithmetic per element

  [[nodiscard]] std::size_t words() const { return static_cast<std::size_t>(rows * columns); }
  [[nodiscard]] std::size_t bytes() const { return words() * sizeof(std::uint32_t); }
};

/// What every matrix and tile holds at first.
void fill(Words words);

/// cache: `repeats` square roots, divisions and multiplications on the first word, read as a float.
void work_on_one_address(Words matrix, std::int64_t repeats);
/// cache: what the GPU's sums must add up to.
[[nodiscard]] std::uint32_t sum_of(ConstWords words);

/// concurrent: the new tile from the other one.
void work_on_tile(ConstWords other, Words own, std::int64_t repeats);

/// The kernels of both, each the GPU's part: `reduce` and `renew`.
[[nodiscard]] ligament::gpu::ProgramDescription kernels();
/// Launches of one step, over arguments that must outlive them. cache: sums has a word per row.
[[nodiscard]] ligament::gpu::Launch launch_of(Workload workload, const Size& size,
                                              std::span<const ligament::gpu::Argument> arguments);
[[nodiscard]] std::array<ligament::gpu::Argument, 4> arguments_of(const Size& size, ConstWords in,
                                                                  Words out);
[[nodiscard]] inline std::size_t answer_words(Workload workload, const Size& size) {
  return workload == Workload::cache ? static_cast<std::size_t>(size.rows) : size.words();
}

}  // namespace uma
