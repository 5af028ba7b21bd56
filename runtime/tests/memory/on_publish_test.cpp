// SPDX-License-Identifier: Apache-2.0
/// Readers that publishers of their own process call, instead of waking who waits.
#include <atomic>
#include <thread>
#include <vector>

#include "support.hpp"

namespace ligament::pool::test {
namespace {

EndpointDescription of_node(const std::string& node) {
  auto description = bytes_on("/t");
  description.node = node;
  return description;
}

/// A reader of node `/taker` that notes by which threads it was called.
struct Called {
  explicit Called(const std::string& name = unique_name()) : side(name) {
    ReaderOptions options;
    options.on_publish = [this] {
      const std::lock_guard guard(mutex);
      threads.push_back(std::this_thread::get_id());
    };
    reader = std::move(*side.domain->create_reader(of_node("/taker"), *side.waiter, options));
  }
  std::size_t calls() {
    const std::lock_guard guard(mutex);
    return threads.size();
  }
  Side side;
  std::mutex mutex;
  std::vector<std::thread::id> threads;
  std::unique_ptr<Reader> reader;
};

TEST(OnPublish, IsCalledByTheThreadThatHasPublished) {
  Called called;
  const auto writer = called.side.writer(of_node("/giver"));
  ASSERT_TRUE(eventually(
      [&] { return writer->matched_readers() == 1 && called.reader->matched_writers() == 1; }));
  publish_stamped(*writer, 1, 32);
  ASSERT_EQ(called.calls(), 1U);
  EXPECT_EQ(called.threads.front(), std::this_thread::get_id());
  ASSERT_TRUE(called.reader->take().value());  // it is there already when it is called
  EXPECT_EQ(writer->stats().wakes, 0U);
}

TEST(OnPublish, IsNotCalledByTheReadersOwnNode) {
  Called called;
  const auto writer = called.side.writer(of_node("/taker"));
  ASSERT_TRUE(eventually(
      [&] { return writer->matched_readers() == 1 && called.reader->matched_writers() == 1; }));
  publish_stamped(*writer, 1, 32);
  EXPECT_EQ(wait_for_data(*called.side.waiter), WaitResult::data);
  EXPECT_EQ(called.calls(), 0U);
}

TEST(OnPublish, OtherProcessesWakeAsEver) {
  const auto name = unique_name();
  Called called(name);
  const OtherProcess other(name);
  ASSERT_EQ(other.ask("writer /t"), "ok");
  ASSERT_TRUE(eventually([&] { return called.reader->matched_writers() == 1; }));
  ASSERT_EQ(other.ask("publish /t 1 1000"), "ok 1");
  EXPECT_EQ(wait_for_data(*called.side.waiter), WaitResult::data);
  EXPECT_EQ(called.calls(), 0U);
}

/// Readers come and go while several threads publish.
TEST(OnPublish, EndsWithTheReader) {
  const Side side(unique_name());
  const auto writer = side.writer(of_node("/giver"));
  std::atomic<bool> stop{false};
  std::vector<std::thread> publishers;
  for (int i = 0; i < 2; ++i) {
    publishers.emplace_back([&] {
      while (!stop) {
        publish_stamped(*writer, 1, 32);
        std::this_thread::yield();
      }
    });
  }
  for (int life = 0; life < 20; ++life) {
    const auto calls = std::make_shared<std::atomic<unsigned>>(0);
    ReaderOptions options;
    options.on_publish = [calls] { ++*calls; };
    const auto reader = side.domain->create_reader(of_node("/taker"), *side.waiter, options);
    ASSERT_TRUE(reader);
    EXPECT_TRUE(eventually([&] { return *calls > 10; }));
  }
  stop = true;
  for (auto& publisher : publishers) {
    publisher.join();
  }
  EXPECT_TRUE(eventually([&] { return writer->matched_readers() == 0; }));
}

}  // namespace
}  // namespace ligament::pool::test
