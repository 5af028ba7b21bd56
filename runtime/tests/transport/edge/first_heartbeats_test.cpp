// SPDX-License-Identifier: Apache-2.0
/// Heartbeats of writers that are not matched yet: which ones are dropped, and that what such a
/// writer sends is not lost.
#include "transport/dds/first_heartbeats.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <random>

#include "peers.hpp"

struct ddsi_proxy_writer;
struct ddsi_guid;

namespace ligament::edge {
namespace {

/// Where the engine matches a writer outside: a reader here has it, and others may follow.
struct Matching {
  std::atomic<bool> is_held{false};
  std::atomic<bool> has_come{false};
};
Matching& matching() {
  static Matching instance;
  return instance;
}

}  // namespace
}  // namespace ligament::edge

/// The engine's own, as it is called between the two: it stands still there while a test wants so.
// NOLINTNEXTLINE(readability-identifier-naming): the engine's name
extern "C" void qxev_pwr_entityid(ddsi_proxy_writer* writer, const ddsi_guid* reader) {
  using Function = void (*)(ddsi_proxy_writer*, const ddsi_guid*);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "qxev_pwr_entityid"));
  auto& matching = ligament::edge::matching();
  std::uint32_t entity = 0;  // in the engine's byte order: the kind is the lowest byte
  std::memcpy(&entity, reinterpret_cast<const char*>(reader) + 12, sizeof entity);
  const bool is_of_discovery = (entity & 0xc0U) != 0;
  if (!is_of_discovery && matching.is_held.load()) {
    matching.has_come.store(true);
    matching.is_held.wait(true);
  }
  next(writer, reader);
}

namespace ligament::edge {
namespace {

using dds::drop_early_heartbeats;
using example_interfaces::srv::AddTwoInts;
using Bytes = std::vector<std::byte>;

Bytes bytes_in(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

const std::string prefix = "010f78fd747a05cd00000000";
const std::string header = "525450530202010f" + prefix;
const std::string destination = "0e010c0001108dbfb699ebad9469d2ee";
/// Behind id, flags and length. "From 1 to 0", number 1.
const std::string numbers = "0000000001000000000000000000000001000000";
const std::string matched = "00000000000010c2" + numbers;
const std::string unmatched = "00000000000011c2" + numbers;

bool is_matched(const pool::Gid& writer) {
  const auto expected = bytes_in(prefix);
  EXPECT_EQ(std::memcmp(writer.data(), expected.data(), expected.size()), 0);
  return writer[14] == 0x10;
}

/// How many were dropped, and what is left.
using Left = std::pair<std::size_t, Bytes>;
Left left_of(const std::string& hex) {
  Bytes datagram = bytes_in(hex);
  const std::size_t dropped = drop_early_heartbeats(datagram, is_matched);
  return {dropped, datagram};
}

TEST(FirstHeartbeats, ThoseOfWritersThatAreNotMatchedBecomePadding) {
  const std::string data = "15050c00000000000000001100000000";
  EXPECT_EQ(left_of(header + destination + "07011c00" + unmatched + "07011c00" + matched + data),
            (Left{1, bytes_in(header + destination + "01011c00" + unmatched + "07011c00" + matched +
                              data)}));
}

TEST(FirstHeartbeats, AreFoundInEitherByteOrderAndUpToTheEnd) {
  EXPECT_EQ(left_of(header + "0702001c" + unmatched + "07010000" + unmatched),
            (Left{2, bytes_in(header + "01011c00" + unmatched + "01011c00" + unmatched)}));
}

TEST(FirstHeartbeats, OfOtherVendorsAndPassedOnStay) {
  std::string other = header;
  other.replace(16, 4, "0110");
  const std::string heartbeat = fmt::format("07011c00{}", unmatched);
  for (const auto& datagram : {other + heartbeat, fmt::format("{}0c011400000000000202010f{}{}",
                                                              header, prefix, heartbeat)}) {
    EXPECT_EQ(left_of(datagram), (Left{0, bytes_in(datagram)}));
  }
}

TEST(FirstHeartbeats, AnyBytesMayCome) {
  const auto whole = bytes_in(header + destination + "07011c00" + unmatched);
  const auto never = [](const pool::Gid&) { return false; };
  std::mt19937 random(7);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)drop_early_heartbeats(cut, never);
    for (int i = 0; i < 100; ++i) {
      Bytes changed(cut);
      std::generate(changed.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(size, 10)),
                    changed.end(), [&random] { return static_cast<std::byte>(random()); });
      (void)drop_early_heartbeats(changed, never);
    }
  }
}

class FastDdsWhileMatching : public GraphAndPeer {
 protected:
  FastDdsWhileMatching()
      : GraphAndPeer(fast_peer, "Fast DDS is not installed (Debian: libfastrtps-dev)") {}
  /// The engine's threads wait in its own reading before the edge wraps that, as they do when the
  /// edge is slow.
  void before_edge() override {
    auto early = dds::Participant::create({.domain = domain_id_}, [] {});
    ASSERT_TRUE(early) << early.error().text;
    early_ = std::move(*early);
    let_pass(std::chrono::milliseconds(100));
  }
  void TearDown() override { go_on(); }
  static void go_on() {
    matching().is_held.store(false);
    matching().is_held.notify_all();
  }
  /// Others do what they do meanwhile; nothing depends on how much of it.
  static void let_pass(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

 private:
  std::unique_ptr<dds::Participant> early_;
};

/// The client says that it has asked nothing yet, and asks; both come before the engine takes its
/// samples. It repeats nothing of itself.
TEST_F(FastDdsWhileMatching, ARequestThatComesMeanwhileIsAnswered) {
  bool is_asked = false;
  auto service = node_->create_service<AddTwoInts>(
      "add", [&](const std::shared_ptr<AddTwoInts::Request>& request,
                 const std::shared_ptr<AddTwoInts::Response>& response) {
        is_asked = true;
        response->sum = request->a + request->b;
      });
  spin_until([&] { return figures("rq/addRequest").subscriptions == 1; });
  matching().is_held.store(true);
  const auto client = peer("call", "/add", "40", "2");
  spin_until([&] { return matching().has_come.load(); });
  let_pass(std::chrono::milliseconds(200));
  client->say_begin();
  let_pass(std::chrono::milliseconds(500));
  go_on();
  spin_until([&] { return is_asked; });
  EXPECT_EQ(client->line(), "42 12");
  EXPECT_EQ(client->finish(), 0);
}

}  // namespace
}  // namespace ligament::edge
