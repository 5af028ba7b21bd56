// SPDX-License-Identifier: Apache-2.0
/// Publishers of this process are recorded, and played to subscriptions of it.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bag_fixture.hpp"
#include "record/player.hpp"
#include "record/recorder.hpp"

namespace ligament::record::test {
namespace {

using std::chrono::milliseconds;

std::string fresh_domain() {
  static std::atomic<int> counter{0};
  return fmt::format("record-test-{}-{}", ::getpid(), ++counter);
}

/// A watchdog, no bound on speed.
bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 30'000; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return false;
}

pool::EndpointDescription bytes_on(const std::string& topic, QoS qos = QoS(10)) {
  return {topic, "test/msg/Bytes", "/test", {1, 2, 3}, qos.profile()};
}

void publish(pool::Writer& writer, const ByteVector& payload) {
  auto loan = writer.loan(payload.size()).value();
  std::ranges::copy(payload, loan.payload().begin());
  ASSERT_TRUE(writer.publish(std::move(loan)));
}

class RecordTest : public BagTest {
 protected:
  RecordOptions options() { return {{domain_name_, "run"}, path("bag"), {}, {}, false, 16}; }
  std::unique_ptr<Recorder> started(const RecordOptions& options) {
    auto recorder = Recorder::start(options);
    EXPECT_TRUE(recorder) << recorder.error();
    return recorder ? std::move(*recorder) : nullptr;
  }
  /// Until all of these have a subscription.
  bool heard(Recorder& recorder, const std::vector<pool::Writer*>& writers) {
    return eventually([&] {
      (void)recorder.work(pool::monotonic_now_ns());
      return std::all_of(writers.begin(), writers.end(),
                         [](pool::Writer* writer) { return writer->matched_readers() != 0; });
    });
  }
  bool recorded(Recorder& recorder, std::uint64_t messages) {
    return eventually([&] {
      (void)recorder.work(pool::monotonic_now_ns());
      return recorder.figures().messages >= messages;
    });
  }

  std::string domain_name_ = fresh_domain();
  std::shared_ptr<pool::Domain> domain_ = pool::Domain::join({domain_name_, "run"}).value();
};

TEST_F(RecordTest, LargeAndSmallMessagesAreInTheFileAsPublished) {
  const auto large = domain_->create_writer(bytes_on("/large")).value();
  const auto small = domain_->create_writer(bytes_on("/small")).value();
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {large.get(), small.get()}));
  for (unsigned i = 0; i < 30; ++i) {
    publish(*large, payload_of(copied_up_to + 1 + i * std::size_t{1000}, i));
    publish(*small, payload_of(i, i));
    ASSERT_TRUE(recorded(*recorder, 2 * i + 2));
  }
  const auto figures = recorder->finish();
  ASSERT_TRUE(figures) << figures.error();
  EXPECT_EQ(figures->messages, 60U);
  EXPECT_EQ(figures->lost, 0U);
  const ReadBack back = read_back(path("bag") / "bag_0.mcap");
  EXPECT_EQ(back.error, "");
  EXPECT_FALSE(back.is_cut);
  ASSERT_EQ(back.messages.size(), 60U);
  std::array<unsigned, 2> next{};
  // Each topic in its order. Between topics the file's order is free: where the disk is slow, all
  // samples of one may be held while the other's go on.
  for (unsigned i = 0; i < 60; ++i) {
    const MessageFields& message = back.messages[i].fields;
    const unsigned number = message.sequence - 1;
    const bool is_large = message.channel == back.messages[0].fields.channel;
    EXPECT_EQ(number, next[is_large ? 0 : 1]++);
    EXPECT_EQ(back.payloads[i],
              is_large ? payload_of(copied_up_to + 1 + number * std::size_t{1000}, number)
                       : payload_of(number, number));
  }
  EXPECT_TRUE(std::filesystem::exists(path("bag") / "metadata.yaml"));
}

TEST_F(RecordTest, AMessageWithHistoryIsRecordedOnce) {
  const auto latched = domain_->create_writer(bytes_on("/t", QoS(5).transient_local())).value();
  const auto plain = domain_->create_writer(bytes_on("/t")).value();
  publish(*latched, payload_of(10, 1));
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {latched.get(), plain.get()}));
  ASSERT_TRUE(recorded(*recorder, 1));
  publish(*latched, payload_of(10, 2));
  publish(*plain, payload_of(10, 3));
  ASSERT_TRUE(recorded(*recorder, 3));
  const auto figures = recorder->finish();
  ASSERT_TRUE(figures) << figures.error();
  EXPECT_EQ(figures->messages, 3U);
}

TEST_F(RecordTest, OnlyWhatIsSelectedIsRecorded) {
  const auto wanted = domain_->create_writer(bytes_on("/wanted")).value();
  const auto other = domain_->create_writer(bytes_on("/other")).value();
  RecordOptions chosen = options();
  chosen.selection.topics = {"/wanted"};
  const auto recorder = started(chosen);
  ASSERT_TRUE(heard(*recorder, {wanted.get()}));
  publish(*other, payload_of(10, 1));
  publish(*wanted, payload_of(10, 2));
  ASSERT_TRUE(recorded(*recorder, 1));
  const auto figures = recorder->finish();
  ASSERT_TRUE(figures) << figures.error();
  ASSERT_EQ(figures->topics.size(), 1U);
  EXPECT_EQ(figures->topics.at(0).topic, "/wanted");
  EXPECT_EQ(figures->messages, 1U);
}

TEST_F(RecordTest, WhatIsOverwrittenIsCountedAsLost) {
  const auto writer = domain_->create_writer(bytes_on("/t", QoS(2))).value();
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  for (unsigned i = 0; i < 1000; ++i) {
    publish(*writer, payload_of(10, i));
  }
  const auto figures = recorder->finish();
  ASSERT_TRUE(figures) << figures.error();
  EXPECT_EQ(figures->messages + figures->lost, 1000U);
  EXPECT_GT(figures->lost, 0U);
}

TEST_F(RecordTest, KeepAllPublishersWaitIfTheyAreTo) {
  const auto writer =
      domain_->create_writer(bytes_on("/t", QoS(KeepAll(4))), {.max_blocking_ns = 60'000'000'000})
          .value();
  RecordOptions waits = options();
  waits.waits = true;
  const auto recorder = started(waits);
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  std::thread publisher([&writer] {
    for (unsigned i = 0; i < 500; ++i) {
      publish(*writer, payload_of(20'000, i));
    }
  });
  EXPECT_TRUE(recorded(*recorder, 500));
  publisher.join();
  const auto figures = recorder->finish();
  ASSERT_TRUE(figures) << figures.error();
  EXPECT_EQ(figures->messages, 500U);
  EXPECT_EQ(figures->lost, 0U);
}

TEST_F(RecordTest, WhatIsPlayedIsWhatWasRecorded) {
  const auto writer = domain_->create_writer(bytes_on("/t")).value();
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  for (unsigned i = 0; i < 5; ++i) {
    publish(*writer, payload_of(100 + 20'000 * std::size_t{i}, i));
    ASSERT_TRUE(recorded(*recorder, i + 1));
  }
  ASSERT_TRUE(recorder->finish());

  const std::string other = fresh_domain();
  const auto listening = pool::Domain::join({other, "run"}).value();
  const auto waiter = listening->create_waiter().value();
  const auto reader = listening->create_reader(bytes_on("/t"), *waiter).value();
  auto player = Player::open({path("bag"), {other, "run"}, 2.0, {}, {}});
  ASSERT_TRUE(player) << player.error();
  ASSERT_TRUE((*player)->start());
  EXPECT_EQ((*player)->figures().in_file, 5U);
  std::vector<std::int64_t> due;
  const auto at_once = [&due](std::int64_t when) {
    due.push_back(when);
    return true;
  };
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_TRUE((*player)->step(at_once).value());
    auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    const auto payload = sample->payload();
    EXPECT_EQ(ByteVector(payload.begin(), payload.end()),
              payload_of(100 + 20'000 * std::size_t{i}, i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload.data() + 4) % 128, 0U);
  }
  EXPECT_FALSE((*player)->step(at_once).value());
  const ReadBack back = read_back(path("bag") / "bag_0.mcap");
  for (unsigned i = 1; i < 5; ++i) {
    EXPECT_EQ(due[i] - due[0], static_cast<std::int64_t>(back.messages[i].fields.log_time -
                                                         back.messages[0].fields.log_time) /
                                   2)
        << "at the rate";
  }
}

std::int64_t realtime_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

TEST_F(RecordTest, AMessageHasTheTimeOfItsPublicationHoweverLateItIsTaken) {
  const auto writer = domain_->create_writer(bytes_on("/t")).value();
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  const std::int64_t before = realtime_ns();
  publish(*writer, payload_of(10, 1));
  const std::int64_t after = realtime_ns();
  constexpr std::int64_t drift = 100'000'000;  // of the clocks against each other, at most
  std::this_thread::sleep_for(milliseconds(250));
  ASSERT_TRUE(recorded(*recorder, 1));
  ASSERT_TRUE(recorder->finish());
  const ReadBack back = read_back(path("bag") / "bag_0.mcap");
  ASSERT_EQ(back.messages.size(), 1U);
  const auto at = static_cast<std::int64_t>(back.messages[0].fields.log_time);
  EXPECT_GE(at, before - drift);
  EXPECT_LE(at, after + drift);
}

TEST_F(RecordTest, ADefinitionOfAnotherVersionOfTheTypeIsNotWritten) {
  const auto writer = domain_->create_writer(bytes_on("/t")).value();
  RecordOptions known = options();
  known.types["test/msg/Bytes"] = {{4, 5, 6}, "uint8[] other\n"};
  const auto recorder = started(known);
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  publish(*writer, payload_of(10, 1));
  ASSERT_TRUE(recorded(*recorder, 1));
  ASSERT_TRUE(recorder->finish());
  const auto notes = recorder->take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("type test/msg/Bytes is not known"), std::string::npos) << notes[0];
}

/// So that nothing of a publisher that comes later is missed.
TEST_F(RecordTest, ATopicWithSubscriptionsAloneIsListenedTo) {
  const auto waiter = domain_->create_waiter().value();
  const auto reader = domain_->create_reader(bytes_on("/t"), *waiter).value();
  const auto recorder = started(options());
  EXPECT_TRUE(eventually([&] {
    const auto ends = domain_->endpoints();
    (void)recorder->work(pool::monotonic_now_ns());
    return std::any_of(ends.begin(), ends.end(), [](const auto& end) {
      return end.description.topic == "/t" && end.description.node == recorder_node;
    });
  }));
}

/// A limit of a file's size, which is as a disk that is full.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(RecordTest, WhatThereWasRoomForIsWhole) {
  const auto writer = domain_->create_writer(bytes_on("/t")).value();
  const auto recorder = started(options());
  ASSERT_TRUE(heard(*recorder, {writer.get()}));
  constexpr std::size_t size = 100'000;
  publish(*writer, payload_of(size, 0));  // the pool's memory is made before there is a limit
  ASSERT_TRUE(recorded(*recorder, 1));
  const FileLimit limit(25 * size);
  bool goes_on = true;
  for (unsigned i = 1; i < 1000 && goes_on; ++i) {
    publish(*writer, payload_of(size, i));
    goes_on = recorder->work(pool::monotonic_now_ns() + 1'000'000);
  }
  EXPECT_FALSE(goes_on);
  const auto figures = recorder->finish();
  ASSERT_FALSE(figures);
  EXPECT_NE(figures.error().find("bag_0.mcap"), std::string::npos) << figures.error();
  const ReadBack back = read_back(path("bag") / "bag_0.mcap");
  EXPECT_EQ(back.error, "");
  EXPECT_FALSE(back.is_cut);
  ASSERT_GT(back.messages.size(), 8U);
  EXPECT_LT(back.messages.size(), 25U);
  for (const StoredMessage& message : back.messages) {
    EXPECT_EQ(message.size, size);
  }
  const ByteVector bytes = bytes_of(path("bag") / "bag_0.mcap");
  EXPECT_EQ(std::memcmp(bytes.data() + bytes.size() - 8, mcap_magic.data(), 8), 0);
}

TEST_F(RecordTest, AFileWithoutAnEndIsPlayedAndSaidToBeOne) {
  write_sample(2, false);
  Types types;
  types["std_msgs/msg/String"] = {};
  auto player = Player::open({path("sample_0.mcap"), {fresh_domain(), "run"}, 1.0, {}, types});
  ASSERT_TRUE(player) << player.error();
  EXPECT_EQ((*player)->figures().in_file, 6U);
  ASSERT_EQ((*player)->notes().size(), 1U);
  EXPECT_NE((*player)->notes().front().find("has no end"), std::string::npos);
}

TEST_F(RecordTest, PartsAreInTheOrderOfTheirNumbers) {
  std::filesystem::create_directory(path("parts"));
  for (const char* name : {"run_10.mcap", "run_2.mcap", "run_1.mcap", "metadata.yaml"}) {
    std::ofstream(path("parts") / name) << "x";
  }
  const auto files = files_of(path("parts"));
  ASSERT_TRUE(files) << files.error();
  std::vector<std::string> names;
  for (const auto& file : *files) {
    names.push_back(file.filename().string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"run_1.mcap", "run_2.mcap", "run_10.mcap"}));
}

TEST_F(RecordTest, OfATopicWithTwoTypesTheFirstIsPlayed) {
  auto writer = McapWriter::create(path("two.mcap")).value();
  Chunk chunk;
  for (const std::uint16_t id : {std::uint16_t{1}, std::uint16_t{2}}) {
    const std::string type = fmt::format("test/msg/Type{}", id);
    chunk.add(Schema{id, type, "", ""});
    chunk.add(Channel{id, id, "/t", "cdr", {{std::string(hash_key), hash_text({1, 2, 3})}}});
    chunk.add_copied({id, 1, 1000, 1000}, payload_of(10, id));
  }
  ASSERT_TRUE(writer->write(chunk));
  ASSERT_TRUE(writer->finish("version: 9"));
  const auto player = Player::open({path("two.mcap"), {fresh_domain(), "run"}, 1.0, {}, {}});
  ASSERT_TRUE(player) << player.error();
  EXPECT_EQ((*player)->figures().in_file, 1U);
  ASSERT_EQ((*player)->notes().size(), 1U);
  EXPECT_EQ((*player)->notes()[0], "topic /t has two types: test/msg/Type2 is not played");
}

TEST_F(RecordTest, WithoutATypesHashNothingIsPlayed) {
  write_sample(1);
  const auto player = Player::open({path("sample_0.mcap"), {fresh_domain(), "run"}, 1.0, {}, {}});
  ASSERT_FALSE(player);
  EXPECT_NE(player.error().find("std_msgs/msg/String"), std::string::npos) << player.error();
}

TEST_F(RecordTest, AGraphIsFoundByItsNameWithItsRun) {
  const auto found = find_target(domain_name_);
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->domain, domain_name_);
  EXPECT_EQ(found->run_id, "run");
  // It was looked up, not called: nobody has tried to join.
  EXPECT_TRUE(domain_->peers().empty());
  EXPECT_TRUE(domain_->problems().empty());
}

TEST_F(RecordTest, OfOthersTheNamesAreTold) {
  const auto missing = find_target(domain_name_ + ".x");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("'" + domain_name_ + ".x' does not run"), std::string::npos);
  EXPECT_NE(missing.error().find("these run: "), std::string::npos);
  const auto second = pool::Domain::join({fresh_domain(), "run"}).value();
  const auto which = find_target("");
  ASSERT_FALSE(which);
  EXPECT_NE(which.error().find("which graph?"), std::string::npos) << which.error();
  EXPECT_NE(which.error().find(domain_name_), std::string::npos) << which.error();
}

TEST_F(RecordTest, AFolderThatIsThereIsRefused) {
  std::filesystem::create_directory(path("bag"));
  const auto recorder = Recorder::start(options());
  ASSERT_FALSE(recorder);
  EXPECT_NE(recorder.error().find("is there already"), std::string::npos);
}

}  // namespace
}  // namespace ligament::record::test
