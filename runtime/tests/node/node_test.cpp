// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/int32.hpp>
#include <ligament/std_msgs/msg/string.hpp>

#include "fixture.hpp"
#include "node/age_histogram.hpp"
#include "node/event_info.hpp"

namespace ligament {
namespace {

using sensor_msgs::msg::Image;
using std_msgs::msg::Int32;
using std_msgs::msg::String;
using testing::errors_of;

class Nodes : public testing::WithContext {};

TEST_F(Nodes, HaveNamesFromOutside) {
  const Node plain("camera", options());
  EXPECT_EQ(plain.get_fully_qualified_name(), "/camera");
  const Node placed("camera", options().node_name("eye").node_namespace("/rig"));
  EXPECT_EQ(placed.get_fully_qualified_name(), "/rig/eye");
  EXPECT_EQ(placed.get_name(), "eye");
  EXPECT_EQ(placed.get_namespace(), "/rig");
  EXPECT_EQ(placed.trace_handle(), name_hash("/rig/eye"));
}

TEST_F(Nodes, KeepMistakesInsteadOfThrowing) {
  Node node("1st", options().remap("a b", "c"));
  auto publisher = node.create_publisher<String>("x//y", 1);
  EXPECT_EQ(errors_of(node),
            "'1st' is no node name: '1st' starts with a digit\n"
            "remapping 'a b' to 'c': 'a b' is no topic name: 'a b' may only contain letters, "
            "digits and _ (character 2)\n"
            "'x//y' is no topic name: it must not contain // (character 3)\n");
  EXPECT_FALSE(publisher->is_open());
  EXPECT_EQ(publisher->publish(String{}).error(), PublishError::inert);
  EXPECT_EQ(publisher->statistics().loans_failed, 1U);
}

TEST_F(Nodes, WithoutAContextAreInert) {
  ASSERT_EQ(default_context(), nullptr);
  Node node("lonely");
  auto subscription = node.create_subscription<String>("x", 1, [](const String&) {});
  EXPECT_FALSE(subscription->is_open());
  EXPECT_NE(errors_of(node).find("call ligament::init()"), std::string::npos);
}

/// In a process of its own, so that the others have no default context.
TEST(DefaultContext, IsOkFromInitToShutdown) {
  EXPECT_EXIT(
      {
        const bool before = ok();
        const bool made = init({.domain = testing::unique_domain(), .run_id = "test"}).has_value();
        const bool between = ok();
        shutdown();
        std::_Exit(!before && made && between && !ok() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(Nodes, RefuseATopicOfAnotherType) {
  TopicOptions topic;
  topic.message = "sensor_msgs/msg/Image";
  Node node("n", options().topic("/chat", topic));
  (void)node.create_publisher<String>("chat", 1);
  EXPECT_EQ(errors_of(node),
            "topic '/chat' carries sensor_msgs/msg/Image, but node '/n' uses it with "
            "std_msgs/msg/String\n");
}

TEST_F(Nodes, FollowTheGraphsQualityOfService) {
  TopicOptions topic;
  topic.qos.depth = 33;
  topic.qos.durability = DurabilityPolicy::transient_local;
  Node node("n", options().topic("/chat", topic));
  const auto publisher = node.create_publisher<String>("chat", QoS(1).best_effort());
  EXPECT_EQ(publisher->get_actual_qos().depth, 33U);
  EXPECT_EQ(publisher->get_actual_qos().durability, DurabilityPolicy::transient_local);
  EXPECT_EQ(publisher->get_actual_qos().reliability, ReliabilityPolicy::best_effort);
}

TEST_F(Nodes, RefuseMessagesBeyondTheBoundWithOneSentence) {
  TopicOptions topic;
  topic.bound_bytes = 64;
  Node node("n", options().topic("/chat", topic));
  auto publisher = node.create_publisher<String>("chat", 1);
  String text;
  text.data = std::string(100, 'x');
  EXPECT_EQ(publisher->publish(text).error(), PublishError::exceeds_bound);
  EXPECT_EQ(publisher->publish(text).error(), PublishError::exceeds_bound);
  EXPECT_EQ(publisher->statistics().loans_failed, 2U);
  EXPECT_EQ(errors_of(node),
            "the publisher on '/chat' of node '/n' could not send a message: the message is larger "
            "than the topic's bound_bytes: 109 > 64 bytes\n");
}

TEST_F(Nodes, CountLoansThatAreOut) {
  Node node("n", options());
  auto publisher = node.create_publisher<Image>("image", 1);
  Publisher<Image>::Shape shape;
  shape.data = 10;
  auto first = publisher->borrow_loaned_message(shape);
  auto second = publisher->borrow_loaned_message(shape);
  auto third = publisher->borrow_loaned_message(shape);
  ASSERT_TRUE(first && second);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), LoanError::too_many_loans);
  ASSERT_TRUE(publisher->publish(std::move(*first)));
  EXPECT_TRUE(publisher->borrow_loaned_message(shape));
}

TEST_F(Nodes, SendWhatADeviceFilledAndRefuseWhatIsNoMessage) {
  TopicOptions topic;
  topic.bound_bytes = 64;
  Node node("n", options().topic("/chat", topic));
  PublisherOptions device;
  device.front_bytes = 64;
  auto publisher = node.create_publisher<String>("chat", 1, device);
  const auto fill = [&](std::uint8_t length, std::size_t size) {
    auto loan = publisher->borrow_for_device(128, 0);
    EXPECT_TRUE(loan);
    // Encapsulation, the text's length, and the text, behind 12 bytes that say nothing.
    const std::array<std::uint8_t, 12> message{0, 1, 0, 0, length, 0, 0, 0, 'a', 'b', 'c', 0};
    std::memcpy(loan->payload().data() + 12, message.data(), message.size());
    return publisher->publish_filled(std::move(*loan), 12, size);
  };
  EXPECT_TRUE(fill(4, 12));
  EXPECT_EQ(fill(200, 12).error(), PublishError::not_encodable);
  EXPECT_EQ(fill(4, 65).error(), PublishError::exceeds_bound);
  EXPECT_EQ(publisher->statistics().published, 1U);
  EXPECT_EQ(publisher->borrow_for_device(129, 0).error(), LoanError::exceeds_bound);
}

TEST_F(Nodes, RefuseLoansFilledAgainstTheirShape) {
  Node node("n", options());
  auto publisher = node.create_publisher<Image>("image", 1);
  Publisher<Image>::Shape shape;
  shape.encoding = 4;
  auto loan = publisher->borrow_loaned_message(shape);
  ASSERT_TRUE(loan);
  loan->get().set_encoding("mono16");
  EXPECT_EQ(publisher->publish(std::move(*loan)).error(), PublishError::not_encodable);
}

TEST_F(Nodes, FinishOnceAndTellTheObserver) {
  struct Observer : ContextObserver {
    std::string seen;
    void node_error(const std::string& id, const std::string& text) override {
      seen += id + " error " + text + ";";
    }
    void node_finished(const std::string& id) override { seen += id + " finished;"; }
  } observer;
  context_->set_observer(&observer);
  Node node("n", options());
  EXPECT_FALSE(node.is_finished());
  node.finish();
  node.finish();
  node.report_error("no film");
  EXPECT_TRUE(node.is_finished());
  EXPECT_EQ(observer.seen, "/n finished;/n error no film;");
  context_->set_observer(nullptr);
}

/// A message from elsewhere may cause each.
TEST_F(Nodes, LimitTheRateOfTheirErrorsAndCountTheRest) {
  ::testing::internal::CaptureStderr();
  {
    Node node("n", options());
    for (int i = 0; i < 5000; ++i) {
      node.report_error(fmt::format("frame {} is bad", i));
    }
    EXPECT_EQ(node.errors().size(), LogThrottle::Limits{}.burst);
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), LogThrottle::Limits{}.burst + 1);
  EXPECT_NE(said.find("and 4,990 more in "), std::string::npos) << said;
  EXPECT_NE(said.find("frame 4999 is bad"), std::string::npos) << said;
}

TEST(Clocks, TimeAndDurationCalculate) {
  const Time time(2, 500'000'000U);
  EXPECT_EQ(time.nanoseconds(), 2'500'000'000);
  EXPECT_EQ((time - Duration(1, 0)).nanoseconds(), 1'500'000'000);
  EXPECT_EQ((Time(1, 0) - time).seconds(), -1.5);
  const builtin_interfaces::msg::Duration negative = Duration::from_nanoseconds(-1);
  EXPECT_EQ(negative.sec, -1);
  EXPECT_EQ(negative.nanosec, 999'999'999U);
  const builtin_interfaces::msg::Time message = time;
  EXPECT_EQ(Time(message), time);
  EXPECT_EQ(Duration::from_seconds(0.25).nanoseconds(), 250'000'000);
}

TEST(Clocks, RosTimeIsWhatWasSet) {
  Clock clock(ClockType::ros);
  EXPECT_FALSE(clock.ros_time_is_active());
  int changes = 0;
  clock.on_ros_time_change([&] { ++changes; });
  clock.set_ros_time(Time(12, 0));
  EXPECT_EQ(clock.now(), Time(12, 0));
  clock.clear_ros_time();
  EXPECT_GT(clock.now(), Time(1'000'000, 0));
  EXPECT_EQ(changes, 2);
}

TEST(Ages, PercentilesAreWithinTheirResolution) {
  auto histogram = std::make_unique<detail::AgeHistogram>();
  for (std::int64_t age = 1; age <= 1000; ++age) {
    histogram->add(age * 1000);
  }
  histogram->add(-5);  // clocks of two cores may disagree
  const auto counts = histogram->counts();
  EXPECT_NEAR(static_cast<double>(detail::AgeHistogram::percentile(counts, 0.5)), 500e3,
              0.07 * 500e3);
  EXPECT_NEAR(static_cast<double>(detail::AgeHistogram::percentile(counts, 0.99)), 990e3,
              0.07 * 990e3);
  histogram->add(std::numeric_limits<std::int64_t>::max());
  EXPECT_GT(detail::AgeHistogram::percentile(histogram->counts(), 1.0), 1'000'000'000ULL);
}

TEST(EventInfo, AMatchThatIsGoneAndOneThatCameAndWentAreNews) {
  EXPECT_FALSE(detail::is_news(pool::MatchedStatus{.total = 1, .current = 1}));
  EXPECT_TRUE(detail::is_news(pool::MatchedStatus{.total = 1, .current_change = -1}));
  EXPECT_TRUE(detail::is_news(pool::MatchedStatus{.total = 1, .total_change = 1}));
}

}  // namespace
}  // namespace ligament
