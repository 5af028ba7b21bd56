// SPDX-License-Identifier: Apache-2.0
// Reads requests from stdin, answers on stdout; driven by test_roundtrip.py.
//   request: verb 'r' (round trip) or 's' (swap), name, bytes; answer: problem, bytes, bytes.
// Texts and bytes are a 32-bit length and the contents.
#include <cstdio>
#include <map>

#include "registry.hpp"

namespace {

bool read_block(std::string& block) {
  std::uint32_t size = 0;
  if (std::fread(&size, sizeof(size), 1, stdin) != 1) {
    return false;
  }
  block.resize(size);
  return std::fread(block.data(), 1, size, stdin) == size;
}

void write_block(const void* data, std::size_t size) {
  const auto length = static_cast<std::uint32_t>(size);
  std::fwrite(&length, sizeof(length), 1, stdout);
  if (size != 0) {  // of nothing there may be no address
    std::fwrite(data, 1, size, stdout);
  }
}

roundtrip::Outcome answer(const roundtrip::Entry& entry, char verb, const std::string& bytes) {
  // The body starts at a multiple of eight, as in a pool block.
  std::vector<std::uint64_t> words(bytes.size() / 8 + 2);
  auto* begin = reinterpret_cast<std::byte*>(words.data()) + 4;
  std::memcpy(begin, bytes.data(), bytes.size());
  return verb == 'r' ? entry.run({begin, bytes.size()}) : entry.swap({begin, bytes.size()});
}

}  // namespace

int main() {
  std::map<std::string_view, roundtrip::Entry> entries;
  for (const auto& part : roundtrip::registry()) {
    for (const auto& entry : part) {
      entries[entry.name] = entry;
    }
  }
  std::string name;
  std::string bytes;
  for (int verb = std::getchar(); verb != EOF; verb = std::getchar()) {
    if (!read_block(name) || !read_block(bytes)) {
      return 1;
    }
    roundtrip::Outcome outcome{"no such type", {}, {}};
    if (const auto found = entries.find(name); found != entries.end()) {
      outcome = answer(found->second, static_cast<char>(verb), bytes);
    }
    write_block(outcome.problem.data(), outcome.problem.size());
    write_block(outcome.from_struct.data(), outcome.from_struct.size());
    write_block(outcome.from_builder.data(), outcome.from_builder.size());
    std::fflush(stdout);
  }
  return 0;
}
