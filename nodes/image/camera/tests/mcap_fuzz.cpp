// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the MCAP reader: any bytes give messages or an error, never a read outside them.
// Built for libFuzzer (LIGAMENT_IMAGE_FUZZ), or with a main() that mutates well-formed recordings.
#include <lz4frame.h>
#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "camera/mcap_reader.hpp"
#include "camera/tests/mcap_bytes.hpp"

using namespace ligament::nodes::image;  // NOLINT: this file is the program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input =
      std::make_unique<mcap::MemoryInput>(std::string(reinterpret_cast<const char*>(data), size));
  McapOptions options;
  options.max_chunk_bytes = 1 << 20;
  auto reader = McapReader::open(std::move(input), options);
  if (!reader) return 0;
  unsigned sum = 0;
  while (true) {
    const auto message = (*reader)->next();
    if (!message || !*message) break;
    for (const std::byte byte : (*message)->data) sum += std::to_integer<unsigned>(byte);
    sum += static_cast<unsigned>((*message)->topic->name.size());
  }
  volatile unsigned keep = sum;  // the bytes must really be read
  (void)keep;
  return 0;
}

#ifdef LIGAMENT_FUZZ_MAIN
namespace {

std::vector<std::string> seeds() {
  const std::string records =
      mcap::schema(1, "sensor_msgs/msg/Image") + mcap::channel(7, 1, "/camera/image_raw") +
      mcap::message(7, 10, std::string(64, 'x')) + mcap::message(7, 20, std::string(300, 'y'));
  std::string zstd(ZSTD_compressBound(records.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), records.data(), records.size(), 3));
  std::string lz4(LZ4F_compressFrameBound(records.size(), nullptr), '\0');
  lz4.resize(LZ4F_compressFrame(lz4.data(), lz4.size(), records.data(), records.size(), nullptr));
  return {mcap::file(records), mcap::file(mcap::chunk(records, "", records.size())),
          mcap::file(mcap::chunk(zstd, "zstd", records.size())),
          mcap::file(mcap::chunk(lz4, "lz4", records.size()))};
}

void mutate_once(std::string& bytes, std::mt19937_64& random) {
  const std::size_t at = random() % bytes.size();
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 64));
      break;
    default:
      for (std::size_t k = at; k < bytes.size() && k < at + 8; ++k) bytes[k] = '\xff';
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1000;
  std::mt19937_64 random(1);  // NOLINT: the same mutations in each run
  const auto all = seeds();
  for (long run = 0; run < runs; ++run) {
    std::string bytes = all[random() % all.size()];
    const std::size_t changes = 1 + random() % 8;
    for (std::size_t i = 0; i < changes && !bytes.empty(); ++i) mutate_once(bytes, random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  std::printf("%ld mutated recordings read\n", runs);
  return 0;
}
#endif
