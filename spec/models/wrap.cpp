// SPDX-License-Identifier: Apache-2.0
/// The 40 bits of a ring word wrap after 2^40 samples. Checks the code itself (ring.hpp), against
/// the same steps far from a wrap: every distance a ring can have, and every sequence of publishes
/// and takes of a length that laps small rings.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "memory/ring.hpp"

namespace {

using namespace ligament::pool;
constexpr std::uint64_t wrap = std::uint64_t{1} << 40;

std::uint64_t checks = 0;
std::uint64_t errors = 0;

void expect(bool holds, const char* what) {
  ++checks;
  if (!holds && errors++ < 3) {
    std::printf("wrap  %s\n", what);
  }
}

/// A ring holds 2^20 samples at most: no distance between a word and a cursor means anything else.
void check_distances() {
  constexpr std::int64_t most = std::int64_t{2} << 20;
  for (const std::uint64_t from : {wrap, 2 * wrap, 5 * wrap + 12345, (wrap << 20) + wrap / 2}) {
    for (std::int64_t ahead = -most; ahead <= most; ++ahead) {
      for (const std::uint64_t next :
           {from - 1, from, from + static_cast<std::uint64_t>(most) / 3}) {
        const auto sequence = next + static_cast<std::uint64_t>(ahead);
        expect(layout::word_ahead(layout::make_word(sequence, 0xFFFFFF), next) == ahead,
               "a distance");
      }
    }
  }
}

struct Shape {
  std::uint32_t capacity;
  std::uint32_t depth;
};

/// What a reader finds, as numbers that do not depend on where the numbering began.
std::vector<std::uint64_t> play(Shape shape, std::uint64_t first, unsigned steps, unsigned length) {
  std::vector<layout::Word> entries(shape.capacity);
  layout::Word head{first - 1};
  const auto publish = [&](std::uint64_t sequence) {
    entries[(sequence - 1) % shape.capacity] =
        layout::make_word(sequence, static_cast<std::uint32_t>(sequence - first) & 0xFF);
    head = sequence;
  };
  for (std::uint64_t sequence = first - shape.capacity; sequence < first; ++sequence) {
    publish(sequence);  // the lap before
  }
  RingCursor cursor(entries.data(), shape.capacity, shape.depth, first);
  std::uint64_t next = first;
  std::vector<std::uint64_t> found;
  for (unsigned step = 0; step < length; ++step) {
    if ((steps >> step & 1U) == 0) {
      publish(next++);
      continue;
    }
    layout::Word hold{0};
    const Claim claim = cursor.claim(hold, 1, head);
    found.insert(found.end(), {static_cast<std::uint64_t>(claim.result), claim.lost, claim.block,
                               cursor.next() - first});
    if (claim.result == Claim::Result::held) {
      found.push_back(claim.sequence - first);
    }
  }
  return found;
}

void check_rings() {
  constexpr unsigned length = 12;
  for (std::uint32_t capacity = 1; capacity <= 5; ++capacity) {
    for (std::uint32_t depth = 1; depth <= capacity; ++depth) {
      for (unsigned steps = 0; steps < 1U << length; ++steps) {
        const auto usual = play({capacity, depth}, 1000, steps, length);
        for (std::uint64_t before = 0; before <= 6; ++before) {
          expect(play({capacity, depth}, wrap - before, steps, length) == usual,
                 "a take at the wrap");
        }
      }
    }
  }
}

}  // namespace

int main() {
  check_distances();
  check_rings();
  std::printf("wrap  40-bit sequence numbers: %llu checks, errors: %llu\n",
              static_cast<unsigned long long>(checks), static_cast<unsigned long long>(errors));
  return errors == 0 ? 0 : 1;
}
