// SPDX-License-Identifier: Apache-2.0
// Memory of the slab that the core keeps while the host reads it, because it may have to be sent
// again.
#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

using Texts = std::vector<std::string>;

struct Lent : testing::Test {
  Lent() { pair.up(); }
  std::uint8_t* lend(std::size_t size) { return ligament_rpmsg_lend(&pair.core->link, size); }
  int send(const std::uint8_t* memory, std::size_t size) {
    return ligament_rpmsg_send_lent(&pair.core->link, &pair.core->endpoint, memory, size);
  }
  void give_back(const std::uint8_t* memory) { ligament_rpmsg_give_back(&pair.core->link, memory); }
  Pair pair{small_map};  // four blocks of 1024 bytes, four buffers
};

TEST_F(Lent, IsFreeWhenBothAreDone) {
  std::uint8_t* memory = lend(4096);
  ASSERT_NE(memory, nullptr);
  std::memset(memory, 'm', 4096);
  ASSERT_EQ(send(memory, 4096), 0);
  EXPECT_EQ(lend(1), nullptr) << "ours, and the host's";
  pair.settle();
  EXPECT_EQ(pair.host->got, Texts{std::string(4096, 'm')});
  EXPECT_EQ(lend(1), nullptr) << "still ours";
  give_back(memory);
  EXPECT_EQ(lend(4096), memory);
}

TEST_F(Lent, GivenBackFirstItWaitsForTheHost) {
  std::uint8_t* memory = lend(4096);
  ASSERT_EQ(send(memory, 4096), 0);
  give_back(memory);
  EXPECT_EQ(lend(1), nullptr) << "the host has not read it";
  EXPECT_EQ(send(memory, 4096), LIGAMENT_RPMSG_DOWN) << "not ours any more";
  pair.settle();
  EXPECT_EQ(lend(4096), memory);
}

TEST_F(Lent, IsSentAgainWhenItWasReadAndNotBefore) {
  std::uint8_t* memory = lend(2000);
  std::memset(memory, 'a', 2000);
  ASSERT_EQ(send(memory, 2000), 0);
  EXPECT_EQ(send(memory, 2000), 0) << "it is on its way";
  pair.settle();
  EXPECT_EQ(pair.host->got, Texts{std::string(2000, 'a')});
  ASSERT_EQ(send(memory, 2000), 0);
  pair.settle();
  EXPECT_EQ(pair.host->got, Texts(2, std::string(2000, 'a')));
}

TEST_F(Lent, KeepsWhatWasWrittenAndFreesTheRest) {
  std::uint8_t* memory = lend(4000);
  EXPECT_EQ(lend(1), nullptr);
  EXPECT_EQ(send(memory, 0), LIGAMENT_RPMSG_INVALID);
  EXPECT_EQ(send(memory, 4097), LIGAMENT_RPMSG_INVALID);
  ASSERT_EQ(send(memory, 1025), 0);
  std::uint8_t* other = lend(2048);
  EXPECT_EQ(other, memory + 2048);
  EXPECT_EQ(send(memory, 2049), LIGAMENT_RPMSG_INVALID) << "which is the other's now";
  give_back(memory);
  give_back(other);
  pair.settle();
  EXPECT_NE(lend(4096), nullptr);
}

TEST_F(Lent, TwiceAndOfOtherMemoryIsNoHarm) {
  std::uint8_t* memory = lend(1024);
  std::uint8_t elsewhere = 0;
  for (const std::uint8_t* wrong : {&elsewhere, memory + 1, memory + 1024, memory + 4096}) {
    give_back(wrong);
    EXPECT_EQ(send(wrong, 1), LIGAMENT_RPMSG_DOWN);
  }
  EXPECT_EQ(pair.core->link.own.busy, 1U);
  give_back(memory);
  give_back(memory);
  EXPECT_EQ(pair.core->link.own.busy, 0U);
}

TEST_F(Lent, OfAnEarlierHostIsNobodys) {
  std::uint8_t* memory = lend(1024);
  pair.host.reset();
  auto bells = EventBell::pair();
  pair.core->bell = std::move(bells.first);
  pair.host = std::make_unique<Host>(pair.memory.host(), std::move(bells.second));
  pair.settle();
  ASSERT_EQ(pair.host->send("hello"), SendStatus::ok);
  pair.settle();
  EXPECT_EQ(send(memory, 1024), LIGAMENT_RPMSG_DOWN);
  give_back(memory);
  EXPECT_EQ(pair.core->link.own.busy, 0U);
}

TEST_F(Lent, AFullRingSendsNothingAndKeepsIt) {
  std::uint8_t* memory = lend(1024);
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(pair.core->send("x"), 0);
  }
  EXPECT_EQ(send(memory, 1024), LIGAMENT_RPMSG_FULL);
  pair.settle();
  EXPECT_EQ(send(memory, 1024), 0);
  pair.settle();
  EXPECT_EQ(pair.host->got.back().size(), 1024U);
}

TEST_F(Lent, NothingIsCopied) {
  const std::uint32_t before = pair.core->link.figures.copied;
  std::uint8_t* memory = lend(4096);
  ASSERT_EQ(send(memory, 4096), 0);
  pair.settle();
  EXPECT_EQ(pair.core->link.figures.copied - before, sizeof(ligament_rpmsg_extent_t));
  EXPECT_EQ(pair.host->link.figures().copied, 0U);
}

}  // namespace
}  // namespace ligament::rpmsg::twin
