// SPDX-License-Identifier: Apache-2.0
/// \file The goals of a server without a server: all transitions, whom a cancel request means,
/// time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ligament/action_msgs/srv/cancel_goal.hpp>
#include <ligament/detail/action_goals.hpp>
#include <ligament/detail/client_goals.hpp>
#include <vector>

namespace ligament::detail {
namespace {

using Code = action_msgs::srv::CancelGoal_Response;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;
using enum GoalStatus;

GoalUUID id(std::uint8_t number) {
  GoalUUID made{};
  made.back() = number;
  return made;
}

/// What to_cancel() chooses, by the last byte of the ids.
std::vector<int> chosen(const ActionGoals& goals, std::uint8_t number, std::int64_t stamp_ns) {
  std::vector<int> numbers;
  for (const auto& goal : goals.to_cancel(id(number), stamp_ns).goals) {
    numbers.push_back(goal->id.back());
  }
  return numbers;
}

constexpr std::array all{unknown, accepted, executing, canceling, succeeded, canceled, aborted};

TEST(ActionGoals, HaveExactlyTheTransitionsOfTheTable) {
  const std::vector<std::pair<GoalStatus, GoalStatus>> table{
      {accepted, executing}, {accepted, canceling},  {executing, canceling}, {executing, succeeded},
      {executing, aborted},  {canceling, succeeded}, {canceling, aborted},   {canceling, canceled}};
  for (const GoalStatus from : all) {
    for (const GoalStatus to : all) {
      const bool is_listed =
          std::find(table.begin(), table.end(), std::pair(from, to)) != table.end();
      EXPECT_EQ(has_transition(from, to), is_listed) << to_string(from) << to_string(to);
    }
  }
}

TEST(ActionGoals, ChangeNothingWhereATransitionIsRefused) {
  ActionGoals goals(10s);
  const auto goal = goals.accept(id(1), 5);
  ASSERT_NE(goal, nullptr);
  EXPECT_FALSE(goals.end(*goal, succeeded, nullptr, 0));
  EXPECT_FALSE(goals.move(*goal, accepted));
  EXPECT_EQ(goals.status_of(*goal), accepted);
  EXPECT_TRUE(goals.move(*goal, executing));
  EXPECT_FALSE(goals.move(*goal, executing));
  EXPECT_FALSE(goals.move(*goal, succeeded)) << "a terminal state needs a result";
  EXPECT_TRUE(goals.end(*goal, succeeded, std::make_shared<int>(1), 0));
  EXPECT_FALSE(goals.end(*goal, aborted, std::make_shared<int>(2), 0));
  EXPECT_FALSE(goals.move(*goal, canceling));
  EXPECT_EQ(goals.status_of(*goal), succeeded);
  EXPECT_EQ(*static_cast<const int*>(goals.ask_result(id(1), {}).result.get()), 1);
}

TEST(ActionGoals, RefuseIdsThatAreKnownOrZero) {
  ActionGoals goals(10s);
  EXPECT_FALSE(goals.may_accept({}));
  EXPECT_EQ(goals.accept({}, 0), nullptr);
  EXPECT_TRUE(goals.may_accept(id(1)));
  EXPECT_NE(goals.accept(id(1), 0), nullptr);
  EXPECT_FALSE(goals.may_accept(id(1)));
  EXPECT_EQ(goals.accept(id(1), 0), nullptr);
}

TEST(ActionGoals, RefuseMoreThanTheirMost) {
  ActionGoals goals(10s);
  GoalUUID next{};
  for (std::size_t i = 0; i < ActionGoals::max_goals; ++i) {
    next[0] = static_cast<std::uint8_t>(i + 1);
    next[1] = static_cast<std::uint8_t>((i + 1) >> 8U);
    ASSERT_NE(goals.accept(next, 0), nullptr) << i;
  }
  EXPECT_FALSE(goals.may_accept(id(200)));
  EXPECT_EQ(goals.accept(id(200), 0), nullptr);
}

TEST(ActionGoals, LetRequestsForTheResultWait) {
  ActionGoals goals(10s);
  const auto goal = goals.accept(id(1), 0);
  (void)goals.move(*goal, executing);
  for (std::size_t i = 0; i < ActionGoals::max_waiting; ++i) {
    EXPECT_TRUE(goals.ask_result(id(1), {{}, static_cast<std::int64_t>(i)}).later);
  }
  const auto one_more = goals.ask_result(id(1), {{}, 1000});
  EXPECT_FALSE(one_more.later);
  EXPECT_EQ(one_more.result, nullptr);
  const auto waiting = goals.end(*goal, aborted, std::make_shared<int>(3), 0);
  ASSERT_TRUE(waiting);
  ASSERT_EQ(waiting->size(), ActionGoals::max_waiting);
  EXPECT_EQ(waiting->back().sequence_number, static_cast<int>(ActionGoals::max_waiting) - 1);
  const auto late = goals.ask_result(id(1), {});
  EXPECT_FALSE(late.later);
  EXPECT_EQ(*static_cast<const int*>(late.result.get()), 3);
  const auto unknown_goal = goals.ask_result(id(2), {});
  EXPECT_FALSE(unknown_goal.later);
  EXPECT_EQ(unknown_goal.result, nullptr);
}

/// Accepted at 10, 20, 30 and 40: ACCEPTED, EXECUTING, CANCELING, SUCCEEDED.
class ToCancel : public ::testing::Test {
 protected:
  void SetUp() override {
    (void)goals_.accept(id(1), 10);
    (void)goals_.move(*goals_.accept(id(2), 20), executing);
    (void)goals_.move(*goals_.accept(id(3), 30), canceling);
    const auto ended = goals_.accept(id(4), 40);
    (void)goals_.move(*ended, executing);
    (void)goals_.end(*ended, succeeded, nullptr, 0);
    (void)goals_.accept(id(5), 50);
  }
  ActionGoals goals_{10s};
};

TEST_F(ToCancel, AllAreMeantWithoutIdAndStamp) {
  EXPECT_THAT(chosen(goals_, 0, 0), UnorderedElementsAre(1, 2, 5));
}

TEST_F(ToCancel, ThoseUpToAStampAreMeant) {
  EXPECT_THAT(chosen(goals_, 0, 9), UnorderedElementsAre());
  EXPECT_THAT(chosen(goals_, 0, 10), UnorderedElementsAre(1));
  EXPECT_THAT(chosen(goals_, 0, 49), UnorderedElementsAre(1, 2));
  EXPECT_THAT(chosen(goals_, 0, 50), UnorderedElementsAre(1, 2, 5));
  EXPECT_THAT(chosen(goals_, 0, -1), UnorderedElementsAre());
  EXPECT_EQ(goals_.to_cancel(id(0), 9).code, Code::ERROR_NONE);
}

TEST_F(ToCancel, OneIsMeantByItsId) {
  EXPECT_THAT(chosen(goals_, 2, 0), UnorderedElementsAre(2));
  EXPECT_EQ(goals_.to_cancel(id(2), 0).code, Code::ERROR_NONE);
  EXPECT_EQ(goals_.to_cancel(id(3), 0).code, Code::ERROR_GOAL_TERMINATED);
  EXPECT_EQ(goals_.to_cancel(id(4), 0).code, Code::ERROR_GOAL_TERMINATED);
  EXPECT_EQ(goals_.to_cancel(id(9), 0).code, Code::ERROR_UNKNOWN_GOAL_ID);
  EXPECT_THAT(chosen(goals_, 9, 0), UnorderedElementsAre());
}

TEST_F(ToCancel, OneAndThoseUpToAStampAreMeant) {
  EXPECT_THAT(chosen(goals_, 5, 10), UnorderedElementsAre(1, 5));
  EXPECT_THAT(chosen(goals_, 9, 20), UnorderedElementsAre(1, 2));
  EXPECT_EQ(goals_.to_cancel(id(9), 20).code, Code::ERROR_NONE);
}

TEST(ActionGoals, AreForgottenAfterTheirTime) {
  ActionGoals goals(10ns);
  const auto first = goals.accept(id(1), 0);
  (void)goals.move(*first, executing);
  (void)goals.accept(id(2), 0);
  EXPECT_FALSE(goals.expire(1'000'000)) << "none has ended";
  (void)goals.end(*first, succeeded, nullptr, 100);
  EXPECT_TRUE(goals.expire(109));
  EXPECT_EQ(goals.count().known, 2U);
  EXPECT_EQ(goals.count().active, 1U);
  EXPECT_FALSE(goals.expire(110));
  EXPECT_EQ(goals.count().known, 1U);
  EXPECT_TRUE(goals.may_accept(id(1)));
}

TEST(ActionGoals, AreKeptForEverOrNotAtAll) {
  constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();
  ActionGoals always(-1ns);
  ActionGoals never(0ns);
  for (ActionGoals* goals : {&always, &never}) {
    const auto goal = goals->accept(id(1), 0);
    (void)goals->move(*goal, executing);
    (void)goals->end(*goal, succeeded, nullptr, 7);
  }
  EXPECT_TRUE(always.expire(end_of_time));
  EXPECT_EQ(always.count().known, 1U);
  EXPECT_FALSE(never.expire(7));
  EXPECT_EQ(never.count().known, 0U);
}

TEST(ActionGoals, TellTheirStates) {
  ActionGoals goals(10s);
  (void)goals.move(*goals.accept(id(1), 3'000'000'004), executing);
  const auto told = goals.statuses();
  ASSERT_EQ(told.status_list.size(), 1U);
  EXPECT_EQ(told.status_list[0].goal_info.goal_id.uuid, id(1));
  EXPECT_EQ(told.status_list[0].goal_info.stamp.sec, 3);
  EXPECT_EQ(told.status_list[0].goal_info.stamp.nanosec, 4U);
  EXPECT_EQ(told.status_list[0].status, 2);
}

TEST(GoalStatus, NumbersFromOutsideMayBeAnything) {
  EXPECT_EQ(goal_status_of(-1), unknown);
  EXPECT_EQ(goal_status_of(6), aborted);
  EXPECT_EQ(goal_status_of(7), unknown);
  EXPECT_EQ(goal_status_of(127), unknown);
}

/// States and results come on topics of their own: an older state may come last.
TEST(ClientGoal, OnlyGoesForward) {
  ClientGoal goal;
  goal.set_status(executing);
  goal.set_accepted(Time(7));
  EXPECT_EQ(goal.get_status(), executing);
  EXPECT_EQ(goal.get_goal_stamp(), Time(7));
  goal.set_status(canceled);
  goal.set_status(aborted);
  goal.set_status(unknown);
  EXPECT_EQ(goal.get_status(), canceled);
}

TEST(GoalIds, AreRandomAndReadable) {
  const GoalUUID one = random_goal_id();
  EXPECT_NE(one, random_goal_id());
  EXPECT_EQ(one[6] >> 4U, 4) << "a version 4 UUID";
  EXPECT_EQ(to_string(id(0xab)), "00000000-0000-0000-0000-0000000000ab");
}

}  // namespace
}  // namespace ligament::detail
