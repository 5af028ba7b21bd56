// SPDX-License-Identifier: Apache-2.0
// What the other side writes is checked: each rule broken once, from either side.
#include <functional>

#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

struct View {
  explicit View(Pair& pair) : area(pair.memory.host()) {}
  std::uint16_t& list(int ring, std::uint32_t begin, std::uint32_t word) {
    return *reinterpret_cast<std::uint16_t*>(area.at(area.layout().ring[ring] + begin + 2 * word));
  }
  std::uint16_t& avail(int ring, std::uint32_t word) {
    return list(ring, area.layout().avail, word);
  }
  std::uint16_t& used_index(int ring) { return list(ring, area.layout().used, 1); }
  ligament_vring_used_t& used(int ring, std::uint32_t slot) {
    return *reinterpret_cast<ligament_vring_used_t*>(
        area.at(area.layout().ring[ring] + area.layout().used + 4 + 8 * slot));
  }
  ligament_vring_descriptor_t& descriptor(int ring, std::uint32_t id) {
    return reinterpret_cast<ligament_vring_descriptor_t*>(area.at(area.layout().ring[ring]))[id];
  }
  Header& header(int ring, std::uint32_t id) {
    return *reinterpret_cast<Header*>(
        area.at(area.layout().buffers[ring] + id * area.map().buffer_size));
  }
  Extent& extent(int ring, std::uint32_t id) {
    return *reinterpret_cast<Extent*>(&header(ring, id) + 1);
  }
  Area area;
};

struct Lie {
  const char* name;
  std::function<void(Pair&, View&)> tell;
};

/// The core has sent one message that the host has not seen. Which slot and buffer it is in.
constexpr std::uint32_t slot = 1;

const std::vector<Lie> lies_of_the_core = {
    {"index far ahead", [](Pair&, View& view) { view.used_index(0) += 1000; }},
    {"index back", [](Pair&, View& view) { view.used_index(0) -= 2; }},
    {"id beyond the ring", [](Pair&, View& view) { view.used(0, slot).id = 4; }},
    {"id far beyond", [](Pair&, View& view) { view.used(0, slot).id = 0xFFFFFFFF; }},
    {"length beyond the buffer", [](Pair&, View& view) { view.used(0, slot).length = 513; }},
    {"no header", [](Pair&, View& view) { view.used(0, slot).length = 15; }},
    {"message longer than its buffer",
     [](Pair&, View& view) { view.header(0, view.used(0, slot).id).length = 500; }},
    {"extent outside",
     [](Pair&, View& view) {
       const auto id = view.used(0, slot).id;
       view.used(0, slot).length = 32;
       view.header(0, id).flags = LIGAMENT_RPMSG_SLAB;
       view.header(0, id).length = 16;
       view.extent(0, id) = {3, 1025, 1, 0};
     }},
    {"extent of no bytes",
     [](Pair&, View& view) {
       const auto id = view.used(0, slot).id;
       view.used(0, slot).length = 32;
       view.header(0, id).flags = LIGAMENT_RPMSG_SLAB;
       view.header(0, id).length = 16;
       view.extent(0, id) = {0, 0, 1, 0};
     }},
    {"extent far outside",
     [](Pair&, View& view) {
       const auto id = view.used(0, slot).id;
       view.used(0, slot).length = 32;
       view.header(0, id).flags = LIGAMENT_RPMSG_SLAB;
       view.header(0, id).length = 16;
       view.extent(0, id) = {0xFFFFFFFF, 0xFFFFFFFF, 1, 0};
     }},
    {"half an extent",
     [](Pair&, View& view) { view.header(0, view.used(0, slot).id).flags = LIGAMENT_RPMSG_SLAB; }},
};

TEST(RpmsgHostile, TheHostSeesEachLieAndTheCoreComesBack) {
  for (const Lie& lie : lies_of_the_core) {
    Pair pair(small_map);
    pair.up();
    View view(pair);
    ASSERT_EQ(pair.core->send("0123456789"), 0);
    ASSERT_EQ(view.used_index(0), slot + 1) << "after the announcement";
    lie.tell(pair, view);
    pair.host->link.work();
    ASSERT_EQ(pair.host->link.figures().breaches, 1U) << lie.name;
    EXPECT_EQ(pair.host->downs.size(), 1U) << lie.name;
    EXPECT_EQ(pair.host->downs[0].find("the core broke a rule: "), 0U) << pair.host->downs[0];
    pair.settle();
    EXPECT_FALSE(pair.host->link.running()) << lie.name;
    auto bell = std::move(pair.core->bell);
    pair.core = std::make_unique<Core>(pair.memory, std::move(bell));
    ASSERT_EQ(pair.core->start(), 0);
    pair.settle();
    EXPECT_TRUE(pair.host->link.running()) << lie.name;
  }
}

/// The host has sent one message that the core has not seen, in slot 1.
const std::vector<Lie> lies_of_the_host = {
    {"index far ahead", [](Pair&, View& view) { view.avail(1, 1) += 1000; }},
    {"index back", [](Pair&, View& view) { view.avail(1, 1) -= 2; }},
    {"id beyond the ring", [](Pair&, View& view) { view.avail(1, 2 + slot) = 4; }},
    {"address below",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).address = 0; }},
    {"address above",
     [](Pair&, View& view) {
       view.descriptor(1, view.avail(1, 2 + slot)).address =
           view.area.map().base + view.area.layout().size;
     }},
    {"address whose end is above",
     [](Pair&, View& view) {
       const auto& layout = view.area.layout();
       view.descriptor(1, view.avail(1, 2 + slot)).address =
           view.area.map().base + layout.buffers[1] +
           view.area.map().count * view.area.map().buffer_size - 16;
     }},
    {"address in the rings",
     [](Pair&, View& view) {
       view.descriptor(1, view.avail(1, 2 + slot)).address =
           view.area.map().base + view.area.layout().ring[0];
     }},
    {"address that is odd",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).address += 1; }},
    {"address of 64 bits",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).high = 1; }},
    {"length beyond",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).length = 513; }},
    {"length that wraps",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).length = 0xFFFFFFF0; }},
    {"a chain", [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).flags = 1; }},
    {"a table", [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).flags = 4; }},
    {"no header",
     [](Pair&, View& view) { view.descriptor(1, view.avail(1, 2 + slot)).length = 8; }},
    {"message longer than its buffer",
     [](Pair&, View& view) { view.header(1, view.avail(1, 2 + slot)).length = 497; }},
    {"extent outside",
     [](Pair&, View& view) {
       const auto id = view.avail(1, 2 + slot);
       view.descriptor(1, id).length = 32;
       view.header(1, id).flags = LIGAMENT_RPMSG_SLAB;
       view.header(1, id).length = 16;
       view.extent(1, id) = {4, 1, 1, 0};
     }},
    {"a place to write that is too small",
     [](Pair& pair, View& view) {
       for (std::uint32_t id = 0; id < view.area.map().count; ++id) {
         view.descriptor(0, id).length = 17;
       }
       EXPECT_EQ(pair.core->send("0123456789"), LIGAMENT_RPMSG_DISTRUST);
     }},
};

TEST(RpmsgHostile, TheCoreSeesEachLieAndTheHostComesBack) {
  for (const Lie& lie : lies_of_the_host) {
    Pair pair(small_map);
    pair.up();
    View view(pair);
    ASSERT_EQ(pair.host->send("0123456789"), SendStatus::ok);
    ASSERT_EQ(view.avail(1, 1), slot + 1) << "after the hello";
    lie.tell(pair, view);
    (void)ligament_rpmsg_poll(&pair.core->link);
    ASSERT_EQ(pair.core->link.figures.breaches, 1U) << lie.name;
    EXPECT_EQ(pair.core->states.back(), LIGAMENT_RPMSG_BROKEN) << lie.name;
    pair.settle();
    // The host makes new rings, without a restart of the core.
    EXPECT_TRUE(pair.host->link.running()) << lie.name;
    EXPECT_EQ(pair.host->downs.size(), 1U) << lie.name;
    pair.core->got.clear();
    ASSERT_EQ(pair.host->send("again"), SendStatus::ok) << lie.name;
    pair.settle();
    EXPECT_EQ(pair.core->got, std::vector<std::string>{"again"}) << lie.name;
  }
}

TEST(RpmsgHostile, AnExtentSentTwiceIsALieWhileItIsHeld) {
  Pair pair(small_map);
  pair.up();
  pair.core->hold = true;
  ASSERT_EQ(pair.host->send(std::string(600, 'x')), SendStatus::ok);
  pair.core->poll();
  View view(pair);
  const Extent extent = view.extent(1, view.avail(1, 2 + slot));
  ASSERT_EQ(pair.host->send(std::string(600, 'y')), SendStatus::ok);
  view.extent(1, view.avail(1, 2 + slot + 1)) = extent;
  pair.core->poll();
  EXPECT_EQ(pair.core->link.figures.breaches, 1U);
}

TEST(RpmsgHostile, ABufferGivenBackTwiceIsALie) {
  Pair pair(small_map);
  pair.up();
  View view(pair);
  for (int sent = 0; sent < 3; ++sent) {  // with the hello: the whole ring
    ASSERT_EQ(pair.host->send("x"), SendStatus::ok);
  }
  pair.core->poll();
  view.used(1, 2).id = view.used(1, 1).id;
  EXPECT_EQ(pair.host->send("y"), SendStatus::down);
  EXPECT_EQ(pair.host->link.figures().breaches, 1U);
}

TEST(RpmsgHostile, NamesThatAreNoneAreDropped) {
  Pair pair(small_map);
  pair.up();
  View view(pair);
  const std::vector<std::function<void(ligament_rpmsg_announcement_t&)>> lies = {
      [](auto& said) { std::memset(said.name, 'n', sizeof said.name); },
      [](auto& said) { said.name[0] = '\0'; },
      [](auto& said) { said.name[1] = '\n'; },
      [](auto& said) { said.flags = 2; },
      [](auto& said) { said.address += 1; },
  };
  std::uint32_t at = slot;
  ligament_rpmsg_endpoint_t other = pair.core->endpoint;
  other.name = "other";
  for (const auto& lie : lies) {
    other.address = 0;
    ASSERT_EQ(ligament_rpmsg_open(&pair.core->link, &other), 0);
    auto& header = view.header(0, view.used(0, at++ % 4).id);
    lie(*reinterpret_cast<ligament_rpmsg_announcement_t*>(&header + 1));
    pair.host->link.work();
    ligament_rpmsg_close(&pair.core->link, &other);
    pair.host->link.work();
    ++at;
  }
  EXPECT_EQ(pair.host->link.figures().dropped, 2 * lies.size());
  EXPECT_EQ(pair.host->link.channels().size(), 1U);
  EXPECT_EQ(pair.host->link.figures().breaches, 0U);
}

TEST(RpmsgHostile, PartsAreBounded) {
  Options options;
  options.max_parts_size = 1000;
  Map map = small_map;
  map.block_size = 0;
  Pair pair(map, options);
  pair.core->config.assembly_size = 1000;
  pair.up();
  ASSERT_EQ(pair.core->send(std::string(1001, 'x')), 0);
  pair.settle();
  ASSERT_EQ(pair.core->send(std::string(1000, 'y')), 0);
  ASSERT_EQ(pair.host->send(std::string(1001, 'x')), SendStatus::ok);
  pair.settle();
  ASSERT_EQ(pair.host->send(std::string(1000, 'y')), SendStatus::ok);
  pair.settle();
  EXPECT_EQ(pair.host->got, std::vector<std::string>{std::string(1000, 'y')});
  EXPECT_EQ(pair.core->got, std::vector<std::string>{std::string(1000, 'y')});
  EXPECT_EQ(pair.host->link.figures().dropped, 1U);
  EXPECT_EQ(pair.core->link.figures.dropped, 1U);
}

}  // namespace
}  // namespace ligament::rpmsg::twin
