// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <ligament/ligament.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "common/scheduler.hpp"
#include "common/worker.hpp"
#include "join/join_node.hpp"

namespace ligament::nodes::parallel {
namespace {

std::uint32_t number_in(const Sample<Part>& part) {
  std::uint32_t number = 0;
  std::memcpy(&number, part.view().data().data(), sizeof number);
  return number;
}

/// Its part: its number plus those of the parts that it needs. A hermit needs none.
class Adder : public CpuWorker {
 public:
  using AtWork = std::array<std::atomic<std::uint32_t>, 4>;  ///< by group, ever
  Adder(const Membership& membership, const NodeOptions& options, AtWork& at_work, bool is_hermit)
      : CpuWorker("adder" + std::to_string(membership.worker), membership, options),
        at_work_(at_work),
        is_hermit_(is_hermit) {
    join();
  }

 private:
  bool reads_parts() const override { return !is_hermit_; }
  std::vector<PartId> needs(std::uint32_t step) const override {
    return is_hermit_ ? std::vector<PartId>{} : CpuWorker::needs(step);
  }

  void work(std::uint32_t step, const Parts& parts) override {
    // Overlap: nobody of a group is done before all of it are at work.
    const std::uint32_t group = membership().plan.group_of(membership().worker);
    ++at_work_[group];
    while (at_work_[group] % membership().plan.groups[group] != 0) {
      std::this_thread::yield();
    }
    std::uint32_t sum = membership().worker + 1;
    for (const PartSample& part : parts) {
      sum += number_in(*part);
    }
    auto loan = lend(step, sizeof sum);
    ASSERT_TRUE(loan);
    std::memcpy(loan->get().data().data(), &sum, sizeof sum);
    publish(std::move(*loan));
  }

  AtWork& at_work_;
  bool is_hermit_;
};

class Recorder : public Scheduler {
 public:
  using Scheduler::Scheduler;
  std::vector<std::vector<std::uint32_t>> seen;

 private:
  void merged(std::uint32_t step, const std::vector<PartSample>& parts) override {
    std::vector<std::uint32_t> numbers{step};
    for (const PartSample& part : parts) {
      numbers.push_back(number_in(*part));
    }
    seen.push_back(numbers);
  }
};

/// A node with an executor in a thread of its own.
template <typename NodeT>
class Spun {
 public:
  Spun(std::shared_ptr<Context> context, std::shared_ptr<NodeT> made)
      : node(std::move(made)), executor_({.context = context}) {
    EXPECT_TRUE(executor_.add_node(node));
    thread_ = std::thread([this] { (void)executor_.spin(); });
  }
  ~Spun() {
    executor_.cancel();
    thread_.join();
  }
  std::shared_ptr<NodeT> node;

 private:
  executors::SingleThreadedExecutor executor_;
  std::thread thread_;
};

class Steps : public ::testing::Test {
 protected:
  std::shared_ptr<Context> context() {
    auto made = Context::create({.domain = domain_, .run_id = "test"});
    EXPECT_TRUE(made);
    return *made;
  }
  NodeOptions options(const std::shared_ptr<Context>& context) const {
    TopicOptions parts;
    parts.mode = mode_;
    return NodeOptions().context(context).topic("/parts", parts);
  }

  /// Runs `steps` steps of a plan; what the scheduler has merged.
  std::vector<std::vector<std::uint32_t>> run(const Plan& plan, std::int64_t steps) {
    Adder::AtWork at_work{};
    std::vector<std::unique_ptr<Spun<Adder>>> workers;
    for (std::uint32_t worker = 0; worker < plan.workers(); ++worker) {
      const auto own = context();
      workers.push_back(std::make_unique<Spun<Adder>>(
          own, std::make_shared<Adder>(Membership{plan, worker}, options(own), at_work,
                                       worker < hermits_)));
    }
    const auto own = context();
    const auto scheduler = std::make_shared<Recorder>("scheduler", plan, options(own));
    executors::SingleThreadedExecutor executor({.context = own});
    EXPECT_TRUE(executor.add_node(scheduler));
    const auto spin_until = [&](const auto& is_so) {
      while (!is_so()) {
        (void)executor.spin_once(std::chrono::milliseconds(100));
      }
    };
    spin_until([&] { return scheduler->is_ready(); });
    scheduler->begin(steps);
    spin_until([&] { return scheduler->is_done(); });
    counts_ = scheduler->counts();
    for (const auto& worker : workers) {
      const PartCounts counts = worker->node->counts();
      counts_.made += counts.made;
      counts_.made_copied += counts.made_copied;
      counts_.came += counts.came;
      counts_.came_copied += counts.came_copied;
      EXPECT_TRUE(worker->node->errors().empty());
    }
    EXPECT_TRUE(scheduler->errors().empty());
    return scheduler->seen;
  }

  TopicMode mode_ = TopicMode::shared;
  PartCounts counts_;
  std::uint32_t hermits_ = 0;  ///< workers, from the first, that read no parts

 private:
  static std::string unique() {
    static int count = 0;
    return "parallel" + std::to_string(::getpid()) + "_" + std::to_string(++count);
  }
  const std::string domain_ = unique();
};

using Seen = std::vector<std::vector<std::uint32_t>>;

TEST_F(Steps, AreDoneByAllWorkersAtOnce) {
  // Each adds the others' last: 1 2 3, then 1+5 2+4 3+3.
  EXPECT_EQ(run({{3}}, 2), (Seen{{1, 1, 2, 3}, {2, 6, 6, 6}}));
  EXPECT_EQ(counts_.made, 6U);
  EXPECT_EQ(counts_.made_copied + counts_.came_copied, 0U);
}

TEST_F(Steps, HaveGroupsOneAfterTheOther) {
  // The third has the parts of the first two of the same step.
  EXPECT_EQ(run({{2, 1}}, 2), (Seen{{1, 1, 2}, {1, 6}, {2, 3, 3}, {2, 9}}));
}

TEST_F(Steps, WakeNoWorkerThatReadsNoParts) {
  hermits_ = 2;
  EXPECT_EQ(run({{2, 1}}, 2), (Seen{{1, 1, 2}, {1, 6}, {2, 1, 2}, {2, 6}}));
  // In each step the scheduler takes three parts, the last worker two.
  EXPECT_EQ(counts_.came, 2U * (3 + 2));
}

TEST_F(Steps, BeginWhereTheWholeGroupBeforeIsDone) {
  // The last has the parts of all three groups before, of which the one before it has two workers.
  EXPECT_EQ(run({{1, 2, 1}}, 2),
            (Seen{{1, 1}, {1, 3, 4}, {1, 12}, {2, 1}, {2, 3 + 4, 4 + 3}, {2, 1 + 7 + 7 + 4}}));
}

TEST_F(Steps, OfOneWorkerNeedNobodyElse) { EXPECT_EQ(run({{1}}, 1), (Seen{{1, 1}})); }

TEST_F(Steps, AreTheSameWherePartsAreCopied) {
  mode_ = TopicMode::copied;
  EXPECT_EQ(run({{2}}, 2), (Seen{{1, 1, 2}, {2, 3, 3}}));
  EXPECT_EQ(counts_.made_copied, counts_.made);
  EXPECT_EQ(counts_.came_copied, counts_.came);
}

TEST_F(Steps, AreTheSameWherePartsAreHandedOver) {
  mode_ = TopicMode::handed_over;
  EXPECT_EQ(run({{2}}, 2), (Seen{{1, 1, 2}, {2, 3, 3}}));
  EXPECT_EQ(counts_.made_copied, 0U);
}

TEST(Joins, AreCompleteWhenAllHaveAnswered) {
  Join join(2);
  EXPECT_FALSE(join.add(10, 1));
  EXPECT_FALSE(join.add(10, 1));
  EXPECT_FALSE(join.add(20, 1));
  EXPECT_TRUE(join.add(10, 2));
  EXPECT_FALSE(join.add(10, 3));
  EXPECT_EQ(join.given_up(), 0U);
}

TEST(Joins, GiveUpWhatAWorkerPassedOver) {
  Join join(2);
  EXPECT_FALSE(join.add(10, 1));
  EXPECT_FALSE(join.add(20, 1));
  EXPECT_TRUE(join.add(20, 2));
  EXPECT_EQ(join.given_up(), 1U);
  EXPECT_FALSE(join.add(10, 2));
}

TEST(Joins, LetTheSourceGoOn) {
  auto made =
      Context::create({.domain = "parallel_join" + std::to_string(::getpid()), .run_id = "test"});
  ASSERT_TRUE(made);
  NodeOptions options;
  options.context(*made).append_parameter_override("workers", std::int64_t{2});
  options.append_parameter_override("steps", std::int64_t{1});
  const auto join = std::make_shared<JoinNode>(options);
  const auto workers = std::make_shared<Node>("workers", NodeOptions().context(*made));
  const auto one = workers->create_publisher<Part>("parts", 5);
  const auto other = workers->create_publisher<Part>("parts", 5);
  std::uint64_t done_ns = 0;
  const auto done = workers->create_subscription<std_msgs::msg::UInt64>(
      "done", 5, [&](const std_msgs::msg::UInt64& stamp) { done_ns = stamp.data; });
  executors::SingleThreadedExecutor executor({.context = *made});
  ASSERT_TRUE(executor.add_node(join));
  ASSERT_TRUE(executor.add_node(workers));
  while (one->get_subscription_count() != 1 || other->get_subscription_count() != 1 ||
         done->get_publisher_count() != 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Part part;
  part.header.stamp.sec = 3;
  part.header.stamp.nanosec = 7;
  ASSERT_TRUE(one->publish(part));
  ASSERT_TRUE(other->publish(part));
  while (done_ns == 0) {
    (void)executor.spin_once(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(done_ns, 3'000'000'007U);
  EXPECT_TRUE(join->is_finished());
  EXPECT_TRUE(join->errors().empty());
}

TEST(Inboxes, KeepNothingOlderThanTwoStepsWhateverWasLost) {
  const auto held = std::make_shared<int>();
  const auto part = [&held] {
    return PartSample(held, reinterpret_cast<const Sample<Part>*>(held.get()));
  };
  Inbox inbox;
  for (const std::uint32_t step : {1U, 2U, 4U, 5U, 9U}) {  // 3 and 6 to 8 were lost
    inbox.add({0, step}, part());
  }
  inbox.add({1, 1}, part());
  EXPECT_EQ(held.use_count(), 1 + 2);
  EXPECT_EQ(inbox.find({0, 5}), nullptr);
  EXPECT_NE(inbox.find({0, 9}), nullptr);
  EXPECT_NE(inbox.find({1, 1}), nullptr);
  inbox.let_go({0, 9});
  EXPECT_EQ(held.use_count(), 1 + 1);
  EXPECT_TRUE(inbox.has({0, 9}));
  EXPECT_FALSE(inbox.has({0, 8}));
}

TEST(Plans, NumberWorkersGroupAfterGroup) {
  const Plan plan{{2, 1, 3}};
  EXPECT_EQ(plan.workers(), 6U);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t worker = 0; worker < plan.workers(); ++worker) {
    groups.push_back(plan.group_of(worker));
  }
  EXPECT_EQ(groups, (std::vector<std::uint32_t>{0, 0, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace ligament::nodes::parallel
