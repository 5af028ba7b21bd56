// SPDX-License-Identifier: Apache-2.0
// The life of a link, its channels, and messages of each size, with both sides in one process.
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

using Texts = std::vector<std::string>;

TEST(Rpmsg, BothMeetWhoeverIsFirst) {
  Pair core_first;
  ASSERT_EQ(core_first.core->start(), 0);
  core_first.settle();
  EXPECT_EQ(core_first.host->ups, 1);
  EXPECT_EQ(core_first.host->channels, Texts{"+echo"});

  Pair host_first;
  host_first.host->link.work();
  EXPECT_FALSE(host_first.host->link.running());
  EXPECT_EQ(host_first.host->send("x"), SendStatus::down);
  ASSERT_EQ(host_first.core->start(), 0);
  EXPECT_EQ(host_first.core->send("x"), LIGAMENT_RPMSG_DOWN);
  host_first.settle();
  EXPECT_EQ(host_first.host->ups, 1);
  EXPECT_EQ(host_first.core->send("x"), LIGAMENT_RPMSG_INVALID) << "it knows no peer yet";
}

TEST(Rpmsg, EchoesAroundTheRingManyTimes) {
  Pair pair(small_map);
  pair.up();
  // Indices are 16 bits: past their end too.
  for (int round = 0; round < 70'000; ++round) {
    const std::string text = "message " + std::to_string(round);
    ASSERT_EQ(pair.host->send(text), SendStatus::ok) << round;
    pair.core->poll();
    ASSERT_EQ(pair.core->got, Texts{text});
    ASSERT_EQ(pair.core->send(text), 0);
    pair.host->link.work();
    ASSERT_EQ(pair.host->got, Texts{text});
    pair.core->got.clear();
    pair.host->got.clear();
  }
}

TEST(Rpmsg, CarriesEachSizeBothWays) {
  Pair pair;
  pair.up();
  const std::size_t most = pair.host->link.limit();
  EXPECT_EQ(most, 32U * 4096U);
  EXPECT_EQ(ligament_rpmsg_limit(&pair.core->link), most);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{495}, std::size_t{496},
                                 std::size_t{497}, std::size_t{4096}, std::size_t{4097}, most}) {
    const std::string text(size, static_cast<char>('a' + size % 23));
    ASSERT_EQ(pair.host->send(text), SendStatus::ok) << size;
    ASSERT_EQ(pair.core->send(text), 0) << size;
    pair.settle();
    EXPECT_EQ(pair.core->got, Texts{text}) << size;
    EXPECT_EQ(pair.host->got, Texts{text}) << size;
    pair.core->got.clear();
    pair.host->got.clear();
  }
  EXPECT_EQ(pair.host->send(std::string(most + 1, 'x')), SendStatus::too_large);
  EXPECT_EQ(pair.core->send(std::string(most + 1, 'x')), LIGAMENT_RPMSG_TOO_LARGE);
}

TEST(Rpmsg, FullRingsSayWhenThereIsRoom) {
  Pair pair(small_map);
  pair.up();
  for (std::uint32_t sent = 0; sent < small_map.count; ++sent) {
    ASSERT_EQ(pair.host->send("x"), SendStatus::ok);
    ASSERT_EQ(pair.core->send("y"), 0);
  }
  EXPECT_EQ(pair.host->send("x"), SendStatus::full);
  EXPECT_EQ(pair.core->send("y"), LIGAMENT_RPMSG_FULL);
  pair.host->link.work();
  EXPECT_EQ(pair.host->rooms, 0);
  const int kicks = pair.core->kicks;
  pair.core->poll();
  EXPECT_GT(pair.core->kicks, kicks) << "the host waits for buffers";
  pair.host->link.work();
  EXPECT_EQ(pair.host->rooms, 1);
  EXPECT_EQ(pair.core->got.size(), small_map.count);
  EXPECT_EQ(pair.host->got.size(), small_map.count);
  EXPECT_EQ(pair.host->send("x"), SendStatus::ok);
  EXPECT_EQ(pair.core->send("y"), 0);
}

TEST(Rpmsg, AFullSlabFallsBackToParts) {
  Pair pair(small_map);
  pair.up();
  pair.core->hold = true;
  const std::string large(4 * 1024, 'L');  // the whole slab
  ASSERT_EQ(pair.host->send(large), SendStatus::ok);
  pair.core->poll();
  ASSERT_EQ(pair.core->held.size(), 1U);
  // In parts: 3 of 4 buffers. 5 buffers there never are.
  const std::string parts(1400, 'p');
  EXPECT_EQ(pair.host->send(parts), SendStatus::ok);
  EXPECT_EQ(pair.host->send(std::string(2000, 'q')), SendStatus::full);
  pair.core->hold = false;
  pair.core->poll();
  EXPECT_EQ(pair.core->got, (Texts{large, parts}));
  // Given back: the slab is used again.
  pair.host->link.work();
  EXPECT_EQ(pair.host->send(std::string(2000, 'q')), SendStatus::full);
  const int kicks = pair.core->kicks;
  ligament_rpmsg_release(&pair.core->link, pair.core->held.front());
  EXPECT_GT(pair.core->kicks, kicks);
  pair.host->link.work();
  EXPECT_EQ(pair.host->rooms, 1);
  EXPECT_EQ(pair.host->send(std::string(2500, 'r')), SendStatus::ok);
  pair.settle();
  EXPECT_EQ(pair.core->got.back(), std::string(2500, 'r'));
}

TEST(Rpmsg, TheCoreLendsAndSendsInParts) {
  Pair pair(small_map);
  pair.up();
  auto first = ligament_rpmsg_loan(&pair.core->link, 3 * 1024);
  auto second = ligament_rpmsg_loan(&pair.core->link, 1);
  ASSERT_NE(first.data, nullptr);
  ASSERT_NE(second.data, nullptr);
  EXPECT_EQ(ligament_rpmsg_loan(&pair.core->link, 1).data, nullptr);
  EXPECT_EQ(ligament_rpmsg_loan(&pair.core->link, 5 * 1024).data, nullptr);
  ASSERT_EQ(pair.core->send(std::string(1400, 'p')), 0) << "in parts";
  std::memset(first.data, 'F', first.size);
  std::memset(second.data, 'S', second.size);
  EXPECT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &first, 4000),
            LIGAMENT_RPMSG_INVALID);
  ASSERT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &first, 3000), 0);
  EXPECT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &second, 1),
            LIGAMENT_RPMSG_FULL);
  pair.host->link.work();
  ASSERT_EQ(ligament_rpmsg_send_loan(&pair.core->link, &pair.core->endpoint, &second, 1), 0);
  pair.settle();
  EXPECT_EQ(pair.host->got, (Texts{std::string(1400, 'p'), std::string(3000, 'F'), "S"}));
  auto again = ligament_rpmsg_loan(&pair.core->link, 4 * 1024);
  EXPECT_NE(again.data, nullptr);
  ligament_rpmsg_return_loan(&pair.core->link, &again);
  EXPECT_NE(ligament_rpmsg_loan(&pair.core->link, 4 * 1024).data, nullptr);
}

TEST(Rpmsg, RawBuffersCarryNoHeaders) {
  Options options;
  options.features = LIGAMENT_RPMSG_F_RAW;
  Map map = usual_map;
  map.buffer_size = 65536;
  map.count = 4;
  Pair pair(map, options);
  ASSERT_EQ(pair.core->start(), 0);
  pair.settle();
  ASSERT_TRUE(pair.host->link.running());
  EXPECT_TRUE(pair.host->channels.empty());
  const std::string whole(65536, 'w');
  ASSERT_EQ(pair.host->send(whole), SendStatus::ok);
  ASSERT_EQ(pair.core->send(whole), 0);
  ASSERT_EQ(pair.core->send(""), 0);
  EXPECT_EQ(pair.host->send(whole + "x"), SendStatus::too_large);
  EXPECT_EQ(pair.core->send(whole + "x"), LIGAMENT_RPMSG_TOO_LARGE);
  pair.settle();
  EXPECT_EQ(pair.core->got, Texts{whole});
  EXPECT_EQ(pair.host->got, (Texts{whole, ""}));
}

TEST(Rpmsg, WithoutLargeMessages496BytesAreTheMost) {
  Options options;
  options.features = LIGAMENT_RPMSG_F_NAME_SERVICE;
  Pair pair(usual_map, options);
  pair.up();
  EXPECT_EQ(pair.host->link.limit(), 496U);
  EXPECT_EQ(pair.host->send(std::string(496, 'x')), SendStatus::ok);
  EXPECT_EQ(pair.host->send(std::string(497, 'x')), SendStatus::too_large);
  EXPECT_EQ(pair.core->send(std::string(496, 'x')), 0);
  EXPECT_EQ(pair.core->send(std::string(497, 'x')), LIGAMENT_RPMSG_TOO_LARGE);
  EXPECT_EQ(ligament_rpmsg_loan(&pair.core->link, 600).data, nullptr);
}

TEST(Rpmsg, ChannelsComeAndGo) {
  Pair pair;
  pair.up();
  ligament_rpmsg_endpoint_t other = pair.core->endpoint;
  other.name = "other";
  EXPECT_EQ(ligament_rpmsg_open(&pair.core->link, &other), LIGAMENT_RPMSG_INVALID) << "its address";
  other.address = 0;
  other.name = "a name that is longer than 31 bytes";
  EXPECT_EQ(ligament_rpmsg_open(&pair.core->link, &other), LIGAMENT_RPMSG_INVALID);
  other.name = "other";
  ASSERT_EQ(ligament_rpmsg_open(&pair.core->link, &other), 0);
  pair.settle();
  ASSERT_EQ(pair.host->link.channels().size(), 2U);
  ligament_rpmsg_close(&pair.core->link, &other);
  pair.settle();
  EXPECT_EQ(pair.host->channels, (Texts{"+echo", "+other", "-other"}));
  // Nobody is there: dropped and counted, no breach.
  const std::string text = "x";
  const Bytes piece = bytes_of(text);
  EXPECT_EQ(pair.host->link.send(Host::local, 7777, std::span(&piece, 1)), SendStatus::ok);
  pair.settle();
  EXPECT_EQ(pair.core->link.figures.dropped, 1U);
  EXPECT_EQ(pair.core->link.figures.breaches, 0U);
}

TEST(Rpmsg, BellsRingOnceForMany) {
  Pair pair;
  pair.up();
  const int kicks = pair.core->kicks;
  for (int sent = 0; sent < 10; ++sent) {
    ASSERT_EQ(pair.core->send("x"), 0);
  }
  EXPECT_EQ(pair.core->kicks, kicks + 1);
  pair.host->link.work();
  EXPECT_EQ(pair.host->got.size(), 10U);
}

TEST(Rpmsg, WhoLooksIsNotRungAndMissesNothing) {
  Pair pair;
  EXPECT_FALSE(pair.host->link.hush()) << "only a bell tells that a core has come";
  pair.up();
  const int kicks = pair.core->kicks;
  ASSERT_TRUE(pair.host->link.hush());
  EXPECT_FALSE(pair.host->link.has_news());
  ASSERT_EQ(pair.core->send("x"), 0);
  EXPECT_TRUE(pair.host->link.has_news());
  EXPECT_EQ(pair.core->kicks, kicks);
  pair.host->link.work();
  EXPECT_EQ(pair.host->got, Texts{"x"});
  EXPECT_FALSE(pair.host->link.has_news());
  ASSERT_EQ(pair.core->send("y"), 0);
  EXPECT_EQ(pair.core->kicks, kicks + 1) << "after `work` the core rings again";
  pair.settle();
  ASSERT_TRUE(pair.host->link.hush());
  ligament_rpmsg_stop(&pair.core->link, 0);
  EXPECT_TRUE(pair.host->link.has_news()) << "its end is seen as well";
  pair.host->link.work();
  EXPECT_FALSE(pair.host->link.hush());
}

}  // namespace
}  // namespace ligament::rpmsg::twin
