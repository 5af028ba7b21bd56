// SPDX-License-Identifier: Apache-2.0
/// Clients that say anything, over a bus on which there is always something to deliver.
#include <cstdlib>

#include "agent/agent.hpp"
#include "fake_bus.hpp"
#include "pieces.hpp"

namespace {

using namespace ligament::xrce;
using ligament::xrce::test::next_piece;

/// Keeps nothing of what is published.
class ForgetfulBus : public test::FakeBus {
 public:
  void forget() {
    published.clear();
    writers.clear();
    readers.clear();
  }
};

class NullLink : public Link {
 public:
  void send(const Address&, std::span<const Bytes> pieces) override {
    for (const Bytes& piece : pieces) {
      for (const std::byte byte : piece) {
        sum_ = sum_ + std::to_integer<unsigned>(byte);  // the sanitizer sees each byte read
      }
    }
  }

 private:
  volatile unsigned sum_ = 0;
};

Profiles make_profiles() {
  return *Profiles::parse(
      "<dds><profiles><participant profile_name='p'><rtps><name>n</name></rtps></participant>"
      "<topic profile_name='t'><name>rt/t</name><dataType>T</dataType></topic></profiles></dds>");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Profiles profiles = make_profiles();
  ForgetfulBus bus;
  NullLink link;
  Agent agent({}, bus, profiles);
  std::span<const std::uint8_t> input(data, size);
  std::int64_t now = 1'000'000'000;
  unsigned count = 0;
  for (auto piece = next_piece(input); !piece.empty(); piece = next_piece(input)) {
    // A copy of its own, so that reading behind it is seen.
    const std::vector<std::byte> message(
        reinterpret_cast<const std::byte*>(piece.data()),
        reinterpret_cast<const std::byte*>(piece.data()) + piece.size());
    agent.receive(link, {static_cast<std::byte>(message[0] & std::byte{1})}, message, now, now);
    for (test::FakeBus::Reader* reader : bus.open_readers) {
      if (reader->waiting.size() < 3) {
        reader->waiting.push_back({std::vector<std::byte>(count % 3 == 0 ? 900 : count % 7), {}});
      }
    }
    agent.flush(now);
    now += 7'000'000;
    (void)agent.tick(now);
    ++count;
  }
  // Nothing stays of clients that are gone.
  agent.close(link);
  if (!bus.nodes.empty() || !bus.open_readers.empty() || !bus.open_writers.empty()) {
    std::abort();
  }
  bus.forget();
  return 0;
}
