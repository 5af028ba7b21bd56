// SPDX-License-Identifier: Apache-2.0
/// \file Distribution of message ages: fixed memory, no lock, 6 % resolution.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ligament::detail {

/// Buckets of an eighth of an octave. Executors add, another thread reads: relaxed.
class AgeHistogram {
 public:
  static constexpr std::size_t bucket_count = 8U * 62U;
  using Counts = std::array<std::uint64_t, bucket_count>;

  /// `shared`: several threads may add at once.
  void add(std::int64_t age_ns, bool shared = false) {
    auto& bucket = buckets_[index(age_ns < 0 ? 0 : static_cast<std::uint64_t>(age_ns))];
    if (shared) {
      bucket.fetch_add(1, std::memory_order_relaxed);
    } else {
      bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] Counts counts() const {
    Counts counts{};
    for (std::size_t i = 0; i < bucket_count; ++i) {
      counts[i] = buckets_[i].load(std::memory_order_relaxed);
    }
    return counts;
  }
  /// Middle of the bucket that holds the given share (0.5: the median); 0 where there are none.
  [[nodiscard]] static std::uint64_t percentile(const Counts& counts, double share) {
    std::uint64_t total = 0;
    for (const auto count : counts) {
      total += count;
    }
    if (total == 0) {
      return 0;
    }
    const auto rank = static_cast<std::uint64_t>(share * static_cast<double>(total - 1));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bucket_count; ++i) {
      seen += counts[i];
      if (seen > rank) {
        return middle(i);
      }
    }
    return middle(bucket_count - 1);
  }

 private:
  /// Values below 8 have a bucket each; above, three bits below the leading one choose.
  static std::size_t index(std::uint64_t value) {
    if (value < 8) {
      return static_cast<std::size_t>(value);
    }
    const auto octave = static_cast<unsigned>(std::bit_width(value)) - 4;  // value >> octave: 8..15
    const std::size_t found = (octave + std::size_t{1}) * 8 + ((value >> octave) & 7);
    return found < bucket_count ? found : bucket_count - 1;
  }
  static std::uint64_t middle(std::size_t index) {
    if (index < 8) {
      return index;
    }
    const std::size_t octave = index / 8 - 1;
    return ((8 + index % 8) << octave) + (std::uint64_t{1} << octave) / 2;
  }

  std::array<std::atomic<std::uint64_t>, bucket_count> buckets_{};
};

}  // namespace ligament::detail
