// SPDX-License-Identifier: Apache-2.0
/// Services between nodes here and Cyclone DDS's Python binding in another process, which speaks
/// rmw_cyclonedds's form; in both directions.
#include <future>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>

#include "peers.hpp"

namespace ligament::edge {
namespace {

using example_interfaces::srv::AddTwoInts;

class CyclonePython : public GraphAndPeer {
 protected:
  CyclonePython()
      : GraphAndPeer(python_peer, "the Python binding of Cyclone DDS is not installed") {}
};

TEST_F(CyclonePython, ServerAnswersClientsHere) {
  const auto other = peer("serve", "/add");
  auto first = node_->create_client<AddTwoInts>("add");
  auto second = node_->create_client<AddTwoInts>("add");
  ASSERT_TRUE(first->wait_for_service());
  ASSERT_TRUE(second->wait_for_service());
  for (std::int64_t a = 1; a <= 10; ++a) {
    AddTwoInts::Request request;
    request.a = a;
    request.b = 2;
    for (const auto& client : {first, second}) {
      const auto response = answer_of(*client, request);
      ASSERT_NE(response, nullptr);
      EXPECT_EQ(response->sum, a + 2);
    }
  }
  EXPECT_EQ(first->statistics().strayed + second->statistics().strayed, 0U);
  EXPECT_EQ(figures("rq/addRequest").out.sent, 20U);
  EXPECT_EQ(other->finish(), 0);
}

TEST_F(CyclonePython, ClientIsAnsweredByAServerHere) {
  int asked = 0;
  auto service = node_->create_service<AddTwoInts>(
      "add", [&](const std::shared_ptr<AddTwoInts::Request> request,
                 const std::shared_ptr<AddTwoInts::Response> response) {
        ++asked;
        response->sum = request->a + request->b;
      });
  const auto other = peer("call", "/add", "40", "2");
  spin_until([&] { return asked == 1; });
  EXPECT_EQ(other->line(), "42");
  EXPECT_EQ(other->finish(), 0);
}

/// What ROS 2's tools hear of a node without asking it.
class HeardByTools : public CyclonePython {
 protected:
  void SetUp() override {
    CyclonePython::SetUp();
    if (context_ != nullptr) {
      camera_ = std::make_shared<Node>(
          "camera",
          NodeOptions().context(context_).start_parameter_event_publisher(true).enable_rosout(
              true));
      camera_->declare_parameter("gain", 1);
    }
  }
  /// What the peer prints; `say` goes on until it has, since what comes while they match is not
  /// heard, and log lines last ten seconds.
  std::string told(const char* word, const std::function<void()>& say) {
    const auto other = peer(word);
    auto line = std::async(std::launch::async, [&other] { return other->line(); });
    while (line.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      say();
    }
    EXPECT_EQ(other->finish(), 0);
    return line.get();
  }
  std::shared_ptr<Node> camera_;
};

TEST_F(HeardByTools, LogLines) {
  EXPECT_EQ(
      told("rosout", [this] { LIGAMENT_WARN(camera_->get_logger(), "the lens is {}", "foggy"); }),
      "camera 30 the lens is foggy");
}

TEST_F(HeardByTools, ParameterEvents) {
  EXPECT_EQ(told("events", [this] { (void)camera_->set_parameter(Parameter("gain", 2)); }),
            "/camera gain 2");
}

}  // namespace
}  // namespace ligament::edge
