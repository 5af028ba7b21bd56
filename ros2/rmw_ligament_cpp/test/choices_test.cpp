// SPDX-License-Identifier: Apache-2.0
/// Policies of QoS: which pairs fit, what `best available` becomes, and what the pool makes of
/// them.
#include <rmw/qos_profiles.h>
#include <rmw/time.h>

#include <initializer_list>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/basic_types.hpp>
#include <test_msgs/srv/basic_types.hpp>
#include <thread>

#include "rmw_fixture.hpp"

namespace {

using test_msgs::msg::BasicTypes;
using Qos = rmw_qos_profile_t;

constexpr rmw_time_t best_time = RMW_QOS_DEADLINE_BEST_AVAILABLE;

/// The default leaves its liveliness to the system.
const Qos plain = [] {
  Qos qos = rmw_qos_profile_default;
  qos.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  return qos;
}();

/// The default with something else in it.
template <typename Value>
Qos with(Value Qos::*policy, Value value, Qos qos = plain) {
  qos.*policy = value;
  return qos;
}
Qos reliability(rmw_qos_reliability_policy_t is) { return with(&Qos::reliability, is); }
Qos durability(rmw_qos_durability_policy_t is) { return with(&Qos::durability, is); }
Qos liveliness(rmw_qos_liveliness_policy_t is) { return with(&Qos::liveliness, is); }
Qos deadline(rmw_time_t is) { return with(&Qos::deadline, is); }
Qos lease(rmw_time_t is) { return with(&Qos::liveliness_lease_duration, is); }

struct Verdict {
  rmw_qos_compatibility_type_t kind;
  std::string reason;
};
Verdict judge(const Qos& publisher, const Qos& subscription) {
  Verdict verdict{RMW_QOS_COMPATIBILITY_OK, {}};
  char reason[512] = "unwritten";
  EXPECT_EQ(rmw_qos_profile_check_compatible(publisher, subscription, &verdict.kind, reason,
                                             sizeof reason),
            RMW_RET_OK);
  verdict.reason = reason;
  return verdict;
}

const Qos best_effort = reliability(RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
const Qos reliable = reliability(RMW_QOS_POLICY_RELIABILITY_RELIABLE);
const Qos transient_local = durability(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);
const Qos manual = liveliness(RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC);

}  // namespace

TEST(Fitting, EachPolicyThatKeepsTwoApartIsNamed) {
  const Qos& lax = plain;
  struct Case {
    Qos weak;
    Qos strong;
    const char* word;
  };
  for (const Case& one :
       std::initializer_list<Case>{{best_effort, reliable, "best effort"},
                                   {lax, transient_local, "volatile"},
                                   {deadline({2, 0}), deadline({1, 0}), "deadline"},
                                   {lax, deadline({1, 0}), "deadline"},
                                   {lax, manual, "liveliness is automatic"},
                                   {lease({2, 0}), lease({1, 0}), "lease"},
                                   {lax, lease({1, 0}), "lease"}}) {
    const Verdict bad = judge(one.weak, one.strong);
    EXPECT_EQ(bad.kind, RMW_QOS_COMPATIBILITY_ERROR) << one.word;
    EXPECT_NE(bad.reason.find(one.word), std::string::npos) << bad.reason;
    EXPECT_EQ(bad.reason.find(';'), std::string::npos) << bad.reason;
    for (const Verdict& good : {judge(one.strong, one.weak), judge(one.strong, one.strong)}) {
      EXPECT_EQ(good.kind, RMW_QOS_COMPATIBILITY_OK) << one.word;
      EXPECT_EQ(good.reason, "");
    }
  }
  const Qos both = with(&Qos::durability, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, manual);
  EXPECT_NE(judge(lax, both).reason.find("transient local; the publisher's liveliness"),
            std::string::npos);
}

TEST(Fitting, WhatIsNotDecidedYetIsAWarningAndTheBestAvailableFits) {
  EXPECT_EQ(judge(rmw_qos_profile_system_default, rmw_qos_profile_default).kind,
            RMW_QOS_COMPATIBILITY_WARNING);
  for (const auto& [publisher, subscription] : std::initializer_list<std::pair<Qos, Qos>>{
           {reliability(RMW_QOS_POLICY_RELIABILITY_UNKNOWN), reliable},
           {best_effort, reliability(RMW_QOS_POLICY_RELIABILITY_UNKNOWN)},
           {durability(RMW_QOS_POLICY_DURABILITY_UNKNOWN), transient_local},
           {liveliness(RMW_QOS_POLICY_LIVELINESS_UNKNOWN), manual}}) {
    const Verdict verdict = judge(publisher, subscription);
    EXPECT_EQ(verdict.kind, RMW_QOS_COMPATIBILITY_WARNING) << verdict.reason;
    EXPECT_NE(verdict.reason.find("it may be that the publisher"), std::string::npos);
  }
  for (const auto& [publisher, subscription] : std::initializer_list<std::pair<Qos, Qos>>{
           {reliable, reliability(RMW_QOS_POLICY_RELIABILITY_UNKNOWN)},
           {reliability(RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT), best_effort},
           {durability(RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT), plain},
           {transient_local, durability(RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT)},
           {liveliness(RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT), plain},
           {manual, liveliness(RMW_QOS_POLICY_LIVELINESS_UNKNOWN)},
           {rmw_qos_profile_best_available, reliable},
           {rmw_qos_profile_best_available, transient_local},
           {rmw_qos_profile_best_available, manual},
           {rmw_qos_profile_best_available, deadline({1, 0})},
           {rmw_qos_profile_best_available, lease({1, 0})},
           {best_effort, rmw_qos_profile_best_available}}) {
    const Verdict verdict = judge(publisher, subscription);
    EXPECT_EQ(verdict.kind, RMW_QOS_COMPATIBILITY_OK) << verdict.reason;
  }
}

TEST(Fitting, AReasonIsCutToItsRoom) {
  auto kind = RMW_QOS_COMPATIBILITY_OK;
  char reason[8] = "";
  EXPECT_EQ(rmw_qos_profile_check_compatible(best_effort, reliable, &kind, reason, sizeof reason),
            RMW_RET_OK);
  EXPECT_STREQ(reason, "the pub");
  EXPECT_EQ(rmw_qos_profile_check_compatible(best_effort, reliable, &kind, nullptr, 0), RMW_RET_OK);
  EXPECT_EQ(kind, RMW_QOS_COMPATIBILITY_ERROR);
  EXPECT_EQ(rmw_qos_profile_check_compatible(best_effort, reliable, &kind, nullptr, 1),
            RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
  EXPECT_EQ(rmw_qos_profile_check_compatible(best_effort, reliable, nullptr, nullptr, 0),
            RMW_RET_INVALID_ARGUMENT);
  rmw_reset_error();
}

namespace {

class Chosen : public RmwTest {
 protected:
  void TearDown() override {
    for (auto* one : publishers_) {
      EXPECT_EQ(rmw_destroy_publisher(node_, one), RMW_RET_OK);
    }
    for (auto* one : subscriptions_) {
      EXPECT_EQ(rmw_destroy_subscription(node_, one), RMW_RET_OK);
    }
    RmwTest::TearDown();
  }
  rmw_publisher_t* offer(const Qos& qos, const char* topic = "/chosen") {
    return publishers_.emplace_back(publisher<BasicTypes>(topic, qos));
  }
  rmw_subscription_t* request(const Qos& qos, const char* topic = "/chosen") {
    return subscriptions_.emplace_back(subscription<BasicTypes>(topic, qos));
  }
  static Qos actual(const rmw_publisher_t* one) {
    Qos qos{};
    EXPECT_EQ(rmw_publisher_get_actual_qos(one, &qos), RMW_RET_OK);
    return qos;
  }
  static Qos actual(const rmw_subscription_t* one) {
    Qos qos{};
    EXPECT_EQ(rmw_subscription_get_actual_qos(one, &qos), RMW_RET_OK);
    return qos;
  }
  static std::size_t matched(const rmw_publisher_t* one) {
    std::size_t count = 0;
    EXPECT_EQ(rmw_publisher_count_matched_subscriptions(one, &count), RMW_RET_OK);
    return count;
  }
  static std::size_t matched(const rmw_subscription_t* one) {
    std::size_t count = 0;
    EXPECT_EQ(rmw_subscription_count_matched_publishers(one, &count), RMW_RET_OK);
    return count;
  }
  static std::vector<std::uint8_t> take_all(const rmw_subscription_t* from) {
    std::vector<std::uint8_t> numbers;
    for (bool taken = true; taken;) {
      BasicTypes message;
      EXPECT_EQ(rmw_take(from, &message, &taken, nullptr), RMW_RET_OK) << taken_error();
      if (taken) {
        numbers.push_back(message.uint8_value);
      }
    }
    return numbers;
  }
  static void publish(const rmw_publisher_t* by, std::uint8_t first, std::uint8_t last) {
    BasicTypes message;
    for (std::uint8_t number = first; number <= last; ++number) {
      message.uint8_value = number;
      ASSERT_EQ(rmw_publish(by, &message, nullptr), RMW_RET_OK) << taken_error();
    }
  }

 private:
  std::vector<rmw_publisher_t*> publishers_;
  std::vector<rmw_subscription_t*> subscriptions_;
};

}  // namespace

TEST_F(Chosen, ABestPublisherServesEachOfItsSubscriptions) {
  request(best_effort);
  request(with(&Qos::deadline, rmw_time_t{3, 0}, manual));
  request(with(&Qos::liveliness_lease_duration, rmw_time_t{2, 0}, deadline({1, 0})));
  request(transient_local);
  auto* made = offer(rmw_qos_profile_best_available);
  await([&] { return matched(made) == 4; });
  const Qos qos = actual(made);
  EXPECT_EQ(qos.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  EXPECT_EQ(qos.durability, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);
  EXPECT_EQ(qos.liveliness, RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC);
  EXPECT_TRUE(rmw_time_equal(qos.deadline, {1, 0}));
  EXPECT_TRUE(rmw_time_equal(qos.liveliness_lease_duration, {2, 0}));
}

TEST_F(Chosen, ABestSubscriptionHearsEachOfItsPublishers) {
  offer(with(&Qos::deadline, rmw_time_t{1, 0}, transient_local));
  auto* strict = request(rmw_qos_profile_best_available);
  await([&] { return matched(strict) == 1; });
  EXPECT_EQ(actual(strict).reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  EXPECT_EQ(actual(strict).durability, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);
  EXPECT_EQ(actual(strict).liveliness, RMW_QOS_POLICY_LIVELINESS_AUTOMATIC);
  EXPECT_TRUE(rmw_time_equal(actual(strict).deadline, {1, 0}));
  offer(with(&Qos::deadline, rmw_time_t{2, 0}, best_effort));
  auto* lax = request(rmw_qos_profile_best_available);
  await([&] { return matched(lax) == 2; });
  EXPECT_EQ(actual(lax).reliability, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
  EXPECT_EQ(actual(lax).durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
  EXPECT_TRUE(rmw_time_equal(actual(lax).deadline, {2, 0}));
  offer(rmw_qos_profile_default);
  auto* laxest = request(rmw_qos_profile_best_available);
  await([&] { return matched(laxest) == 3; });
  EXPECT_TRUE(rmw_time_equal(actual(laxest).deadline, RMW_DURATION_INFINITE));
}

TEST_F(Chosen, ABestDeadlineAloneIsChosen) {
  request(deadline({1, 0}));
  auto* made = offer(deadline(best_time));
  await([&] { return matched(made) == 1; });
  EXPECT_TRUE(rmw_time_equal(actual(made).deadline, {1, 0}));
  request(lease({3, 0}), "/lease");
  EXPECT_TRUE(
      rmw_time_equal(actual(offer(lease(best_time), "/lease")).liveliness_lease_duration, {3, 0}));
}

TEST_F(Chosen, ABestClientIsAnsweredByAnOrdinaryServer) {
  const auto* type =
      rosidl_typesupport_cpp::get_service_type_support_handle<test_msgs::srv::BasicTypes>();
  for (const auto& [served, asked] : std::initializer_list<std::pair<Qos, Qos>>{
           {rmw_qos_profile_services_default, rmw_qos_profile_best_available},
           {rmw_qos_profile_best_available, rmw_qos_profile_services_default}}) {
    auto* service = rmw_create_service(node_, type, "/best", &served);
    auto* client = rmw_create_client(node_, type, "/best", &asked);
    bool is_there = false;
    EXPECT_EQ(rmw_service_server_is_available(node_, client, &is_there), RMW_RET_OK);
    EXPECT_TRUE(is_there);
    Qos qos{};
    EXPECT_EQ(rmw_client_request_publisher_get_actual_qos(client, &qos), RMW_RET_OK);
    EXPECT_EQ(qos.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
    EXPECT_EQ(qos.durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
    EXPECT_EQ(rmw_destroy_client(node_, client), RMW_RET_OK);
    EXPECT_EQ(rmw_destroy_service(node_, service), RMW_RET_OK);
  }
}

TEST_F(Chosen, DefaultsOfTheSystemAreThoseOfROS) {
  for (const Qos& qos : {actual(offer(rmw_qos_profile_system_default)),
                         actual(request(rmw_qos_profile_system_default))}) {
    EXPECT_EQ(qos.history, RMW_QOS_POLICY_HISTORY_KEEP_LAST);
    EXPECT_EQ(qos.depth, 10U);
    EXPECT_EQ(qos.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
    EXPECT_EQ(qos.durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
    EXPECT_EQ(qos.liveliness, RMW_QOS_POLICY_LIVELINESS_AUTOMATIC);
    EXPECT_TRUE(rmw_time_equal(qos.deadline, RMW_DURATION_INFINITE));
  }
  EXPECT_EQ(actual(offer(with(&Qos::depth, std::size_t{0}))).depth, 1U);
}

// In DDS a subscription has a history of its own.
TEST_F(Chosen, APublisherOfDepthOneKeepsTenForItsSubscriptions) {
  auto* ten = request(with(&Qos::depth, std::size_t{10}));
  auto* one = request(with(&Qos::depth, std::size_t{1}));
  auto* from = offer(with(&Qos::depth, std::size_t{1}));
  await([&] { return matched(from) == 2; });
  publish(from, 1, 10);
  EXPECT_EQ(take_all(ten), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(take_all(one), (std::vector<std::uint8_t>{10}));
}

TEST_F(Chosen, WhatHasOutlivedItsLifespanIsNotTaken) {
  auto* to = request(rmw_qos_profile_default);
  auto* from = offer(with(&Qos::lifespan, rmw_time_t{0, 5'000'000}));
  await([&] { return matched(from) == 1; });
  publish(from, 1, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(take_all(to), (std::vector<std::uint8_t>{}));
}
