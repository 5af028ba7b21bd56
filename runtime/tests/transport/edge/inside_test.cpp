// SPDX-License-Identifier: Apache-2.0
/// The edge as a container loads it: what it is asked for reaches the network.
#include <optional>

#include "container/inner_edge.hpp"
#include "edge_fixture.hpp"
#include "transport/edge/graph_info.hpp"

extern "C" {
extern const ligament::container::InnerEdgeEntry ligament_inner_edge;
}

namespace ligament::edge {
namespace {

class InsideTest : public EdgeTest {
 protected:
  void SetUp() override {
    EdgeTest::SetUp();
    edge_.reset();
  }

  /// In which form an inner edge tells the gids of its graph.
  std::optional<GidForm> told_form(bool humble) {
    container::StatusChannel channel(-1);
    const auto inner = ligament_inner_edge.start({.graph = graph_,
                                                  .run_id = "run",
                                                  .domain_id = domain_id_,
                                                  .humble = humble,
                                                  .channel = &channel});
    EXPECT_TRUE(inner) << inner.error();
    dds::EndpointSpec spec{
        graph_info_topic, graph_info_type, {}, dds::endpoint_user_data(graph_info_hash), true};
    spec.qos.durability = DurabilityPolicy::transient_local;
    std::optional<GidForm> form;
    std::mutex mutex;
    const auto hear = [&](dds::Received&& sample) {
      const auto bytes = sample.incoming->bytes();
      const auto info = decode(bytes);
      const std::lock_guard guard(mutex);
      if (info && !form) {
        form = encode(*info, GidForm::humble).size() == bytes.size() ? GidForm::humble
                                                                     : GidForm::jazzy;
      }
    };
    const auto reader = other_->create_reader(spec, std::make_shared<HeapInbox>(), hear);
    EXPECT_TRUE(wait_until([&] {
      const std::lock_guard guard(mutex);
      return form.has_value();
    }));
    return form;
  }
};

TEST_F(InsideTest, IsOnTheDomainAndTellsGidsInTheFormThatItIsAskedFor) {
  EXPECT_EQ(told_form(false), GidForm::jazzy);
  EXPECT_EQ(told_form(true), GidForm::humble);
}

}  // namespace
}  // namespace ligament::edge
