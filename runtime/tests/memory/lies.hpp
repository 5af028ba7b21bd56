// SPDX-License-Identifier: Apache-2.0
/// \file How `pool_peer` plays the hostile peer: it overwrites pool pages that this process may
/// write. A race with our own library is the point, so the thread sanitizer looks away.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace ligament::pool::test {

struct Page {
  char* base;
  std::size_t bytes;
};

/// The writable mappings of segments whose name starts so.
inline std::vector<Page> writable_pages(const std::string& segment) {
  std::vector<Page> pages;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long first = 0;
    unsigned long last = 0;
    char mode[5] = {};
    if (line.find("memfd:ligament" + segment) != std::string::npos &&
        std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, mode) == 3 && mode[1] == 'w') {
      pages.push_back({reinterpret_cast<char*>(first), last - first});
    }
  }
  return pages;
}

/// Overwrites all writable pool pages with random words for a while.
__attribute__((no_sanitize("thread"))) inline std::string scribble(unsigned seed,
                                                                   int milliseconds) {
  const auto pages = writable_pages("");
  std::mt19937_64 random(seed);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  std::uint64_t written = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (const auto& [base, bytes] : pages) {
      for (int i = 0; i < 64; ++i, ++written) {
        // Mostly small changes of what is there: they get further than noise.
        std::uint64_t& word = reinterpret_cast<std::uint64_t*>(base)[random() % (bytes / 8)];
        const auto choice = random() % 4;
        word = choice == 0   ? random()
               : choice == 1 ? word + 1
               : choice == 2 ? word ^ (1ULL << random() % 64)
                             : 0;
      }
    }
  }
  return fmt::format("ok {} pages {}", written, pages.size());
}

struct Lie {
  std::string segment;  ///< directory, rows, writer, chunk, reader, bell
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::uint64_t value = 0;
};

/// Writes one value into each such segment of ours. Answers into how many.
__attribute__((no_sanitize("thread"))) inline std::string tell(const Lie& lie) {
  const auto pages = writable_pages("-" + lie.segment);
  for (const Page& page : pages) {
    if (lie.bytes > 8 || lie.offset + lie.bytes > page.bytes) {
      return "error there is no such place";
    }
    for (std::size_t i = 0; i < lie.bytes; ++i) {
      page.base[lie.offset + i] = static_cast<char>(lie.value >> (8 * i));
    }
  }
  return fmt::format("ok {}", pages.size());
}

}  // namespace ligament::pool::test
