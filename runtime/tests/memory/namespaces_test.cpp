// SPDX-License-Identifier: Apache-2.0
/// Processes of one user in different pid namespaces share the pool: nested, side by side, in user
/// namespaces; they die, stop, join late, and lie.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>

#include "memory/layout.hpp"
#include "memory/os/passage.hpp"
#include "pretender.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

#define NEEDS_NAMESPACES(...)                                                                     \
  if (!has_namespaces(__VA_ARGS__)) {                                                             \
    GTEST_SKIP() << "this machine has no such thing: the leave to make pid namespaces, or Linux " \
                    "6.9";                                                                        \
  }

[[nodiscard]] bool meets(const OtherProcess& process, std::size_t others) {
  return eventually([&] { return process.ask("foreign") == fmt::format("ok {}", others); });
}

/// Five samples from there to here, and five back, of sizes that need new memory.
void expect_exchange(const Side& side, const OtherProcess& other, const std::string& name) {
  const std::string up = "/up_" + name;
  const std::string down = "/down_" + name;
  const auto reader = side.reader(bytes_on(up));
  const auto writer = side.writer(bytes_on(down));
  ASSERT_NO_FATAL_FAILURE(publish_in(other, up, *reader));
  ASSERT_NO_FATAL_FAILURE(subscribe_in(other, down));
  std::uint64_t number = 0;
  for (const std::size_t size : {100U, 10'000U, 1'000'000U, 50U, 2'000'000U}) {
    ASSERT_EQ(other.ask(fmt::format("publish {} 1 {}", up, size)), fmt::format("ok {}", ++number));
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample) << size;
    EXPECT_EQ(number_of(sample->payload()), number);
    EXPECT_EQ(sample->payload().size(), size);
    publish_stamped(*writer, number, size);
    EXPECT_EQ(other.ask(fmt::format("take {} 1", down)), "ok 1 lost 0") << size;
  }
  EXPECT_EQ(reader->stats().lost, 0U);
}

TEST(Namespaces, AProcessInAContainerSharesThePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 1; }));
  ASSERT_TRUE(meets(inside, 1));
  EXPECT_TRUE(side.domain->peers().empty());
  expect_exchange(side, inside, "a");
  EXPECT_THAT(side.domain->problems(), testing::IsEmpty());
  EXPECT_EQ(inside.ask("problems"), "ok");
}

TEST(Namespaces, AnOuterProcessThatComesLaterSharesThePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_EQ(inside.ask("writer /t latched=1 depth=5"), "ok");
  ASSERT_EQ(inside.ask("publish /t 9 64"), "ok 9");
  const Side side(name);
  const auto reader = side.reader(bytes_on("/t", QoS(3).transient_local()));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  for (std::uint64_t expected = 7; expected <= 9; ++expected) {
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), expected);
  }
  const auto endpoints = side.domain->endpoints();
  EXPECT_TRUE(std::any_of(endpoints.begin(), endpoints.end(), [&](const EndpointInfo& one) {
    return one.foreign && one.description.topic == "/t" && one.pid == inside.pid();
  })) << "its number is that which it has here";
}

TEST(Namespaces, NestedAndSideBySideAllShareOnePool) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess one(name, "run", Namespaces{});
  const OtherProcess other(name, "run", Namespaces{});
  const OtherProcess nested(name, "run", Namespaces{.depth = 2});
  const OtherProcess beside(name);
  ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 3; }));
  for (const OtherProcess* process : {&one, &other, &nested}) {
    ASSERT_TRUE(meets(*process, 4));
  }
  ASSERT_TRUE(meets(beside, 3));
  expect_exchange(side, one, "one");
  expect_exchange(side, other, "other");
  expect_exchange(side, nested, "nested");
  // Neither of these two sees the other in its /proc.
  ASSERT_NO_FATAL_FAILURE([&] {
    ASSERT_EQ(one.ask("writer /between"), "ok");
    ASSERT_NO_FATAL_FAILURE(subscribe_in(nested, "/between"));
    ASSERT_EQ(one.ask("publish /between 5 100000"), "ok 5");
    ASSERT_EQ(nested.ask("take /between 5"), "ok 5 lost 0");
  }());
}

TEST(Namespaces, ManyThatJoinAtOnceAllMeet) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  constexpr std::size_t count = 6;
  std::vector<std::unique_ptr<OtherProcess>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(std::make_unique<OtherProcess>(Namespaces{}));
  }
  for (const auto& process : all) {
    process->send("join " + name + " run");
  }
  for (const auto& process : all) {
    ASSERT_EQ(process->answer(), "ok");
  }
  for (const auto& process : all) {
    EXPECT_TRUE(meets(*process, count - 1));
    EXPECT_EQ(process->ask("problems"), "ok");
  }
  ASSERT_EQ(all.front()->ask("writer /t depth=100"), "ok");
  for (std::size_t i = 1; i < count; ++i) {
    ASSERT_NO_FATAL_FAILURE(subscribe_in(*all[i], "/t", " depth=100"));
  }
  ASSERT_EQ(all.front()->ask("publish /t 50 3000"), "ok 50");
  for (std::size_t i = 1; i < count; ++i) {
    EXPECT_EQ(all[i]->ask("take /t 50"), "ok 50 lost 0");
  }
}

/// Where neither may look at the other's descriptors: they are passed, not looked up.
TEST(Namespaces, UserNamespacesDoNotMatter) {
  NEEDS_NAMESPACES({.in_user = true})
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{.in_user = true});
  ASSERT_TRUE(meets(inside, 1));
  expect_exchange(side, inside, "a");
}

TEST(Namespaces, TheDeathOfEitherSideIsSeen) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto reader = side.reader(bytes_on("/up"));
  const auto writer = side.writer(bytes_on("/down", QoS(2)));
  for (int round = 0; round < 3; ++round) {
    OtherProcess inside(name, "run", Namespaces{});
    ASSERT_NO_FATAL_FAILURE(publish_in(inside, "/up", *reader));
    ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/down", " depth=2 held=2"));
    ASSERT_EQ(inside.ask("publish /up 3 100000"), "ok 3");
    publish_stamped(*writer, 1, 100);
    ASSERT_EQ(inside.ask("hold /down 1").rfind("ok 1", 0), 0U);
    inside.die();
    ASSERT_TRUE(eventually([&] {
      return reader->matched_writers() == 0 && writer->matched_readers() == 0 &&
             side.domain->foreign_peers() == 0;
    }));
    for (std::uint64_t expected = 1; expected <= 3; ++expected) {
      const auto sample = reader->take().value();
      ASSERT_TRUE(sample) << "what a dead publisher left stays readable";
      EXPECT_EQ(number_of(sample->payload()), expected);
    }
    const WriterStats stats = writer->stats();
    EXPECT_EQ(stats.blocks_free + stats.in_ring, stats.blocks) << "what it held came back";
  }
  OtherProcess outside(name);
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_EQ(outside.ask("writer /t"), "ok");
  ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/t"));
  outside.die();
  EXPECT_TRUE(eventually([&] { return inside.ask("matched /t") == "ok 0"; }));
  EXPECT_TRUE(meets(inside, 1));
}

TEST(Namespaces, WhoLeavesAndComesAgainIsMetAgain) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess inside(name, "run", Namespaces{});
  for (int round = 0; round < 5; ++round) {
    expect_exchange(side, inside, std::to_string(round));
    ASSERT_EQ(inside.ask("quit"), "ok");
    ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 0; }));
    ASSERT_EQ(inside.ask("join " + name + " run"), "ok");
  }
}

/// Its memory was passed before its sample was shown.
TEST(Namespaces, WhatAStoppedPublisherPublishedIsTaken) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto reader = side.reader(bytes_on("/t"));
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_NO_FATAL_FAILURE(publish_in(inside, "/t", *reader));
  std::uint64_t number = 0;
  for (const std::size_t size : {100U, 5'000U, 50'000U, 500'000U}) {
    ASSERT_EQ(inside.ask(fmt::format("publish /t 1 {}", size)), fmt::format("ok {}", ++number));
    inside.stop();
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample) << size;
    EXPECT_EQ(number_of(sample->payload()), number);
    inside.resume();
  }
}

TEST(Namespaces, AStoppedSubscriberBlocksNobodyAndGoesOn) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const auto writer = side.writer(bytes_on("/t", QoS(4)));
  const OtherProcess inside(name, "run", Namespaces{});
  ASSERT_NO_FATAL_FAILURE(subscribe_in(inside, "/t", " depth=4"));
  inside.stop();
  for (std::uint64_t i = 1; i <= 50; ++i) {
    publish_stamped(*writer, i, i * i * 1000);  // memory that it has not mapped, again and again
  }
  inside.resume();
  EXPECT_EQ(inside.ask("take /t 4").rfind("ok 4 lost", 0), 0U);
}

TEST(Namespaces, WhoIsStoppedIsMetWhenItGoesOn) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const OtherProcess inside(name, "run", Namespaces{});
  inside.stop();
  const Side side(name);
  const OtherProcess beside(name);
  EXPECT_TRUE(eventually([&] { return side.domain->peers().size() == 1; })) << "it delays nobody";
  EXPECT_EQ(side.domain->foreign_peers(), 0U) << "it has not reached us";
  inside.resume();
  EXPECT_TRUE(meets(inside, 2));
  expect_exchange(side, inside, "a");
}

TEST(Namespaces, AnotherRunIsToldOnBothSides) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name, "run-1");
  const OtherProcess inside(name, "run-2", Namespaces{});
  EXPECT_TRUE(eventually(
      [&] { return inside.ask("problems").find("does not share domain") != std::string::npos; }));
  ASSERT_TRUE(eventually([&] { return !side.domain->problems().empty(); }));
  EXPECT_THAT(side.domain->problems()[0].text, testing::HasSubstr("as run 'run-2'"));
  EXPECT_EQ(side.domain->foreign_peers(), 0U);
}

TEST(Namespaces, NewcomersWaitUntilThereAreDescriptorsAgain) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const OtherProcess poor(name, "run", Namespaces{});
  ASSERT_EQ(poor.ask("writer /t"), "ok");
  ASSERT_EQ(poor.ask("descriptors none"), "ok");
  const Side side(name);
  const auto reader = side.reader(bytes_on("/t"));
  EXPECT_TRUE(eventually(
      [&] { return poor.ask("problems").find("cannot be joined yet") != std::string::npos; }));
  EXPECT_EQ(reader->matched_writers(), 0U);
  ASSERT_EQ(poor.ask("descriptors many"), "ok");
  EXPECT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
}

/// A process of another pid namespace that passes what it should not, to one that all others meet.
class Pretender : public testing::TestWithParam<const char*> {};

TEST_P(Pretender, IsRefusedAndHarmsNobody) {
  NEEDS_NAMESPACES()
  const auto name = unique_name();
  const Side side(name);
  const OtherProcess honest(name, "run", Namespaces{});
  const OtherProcess victim(name, "run", Namespaces{});  // whose directory is passed by another
  ASSERT_TRUE(eventually([&] { return side.domain->foreign_peers() == 2; }));
  const std::string slot = fmt::format("ligament/{}/{}/v{}/0", ::geteuid(), name, layout::version);
  const std::string what = GetParam();
  const std::string answer = victim.ask("pretend " + slot + " " + what);
  const bool says_hello = what != "noise" && what != "half" && what != "early";
  const std::string refused = what == "nothing" ? "ok 4 3" : "ok 3";  // it is asked for it first
  EXPECT_EQ(answer, says_hello ? refused : "ok") << "nothing is passed to it";
  const auto problems = side.domain->problems();
  EXPECT_EQ(std::count_if(problems.begin(), problems.end(),
                          [](const Problem& one) {
                            return one.text.find("cannot be joined: ") != std::string::npos;
                          }),
            says_hello ? 1 : 0);
  EXPECT_EQ(side.domain->foreign_peers(), 2U);
  expect_exchange(side, honest, "honest");
  expect_exchange(side, victim, "victim");
}

INSTANTIATE_TEST_SUITE_P(Passes, Pretender,
                         testing::Values("another", "rows", "pipe", "proc", "nothing", "flood",
                                         "noise", "half", "early"),
                         [](const auto& what) { return std::string(what.param); });

/// Two ends of one connection.
struct Passages {
  Passages() {
    int ends[2] = {};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    raw = ends[0];
    here = std::make_unique<os::Passage>(os::Connection(os::Fd(ends[0])));
    there = std::make_unique<os::Passage>(os::Connection(os::Fd(ends[1])));
  }
  int raw = -1;  ///< of here: to send what a Passage never sends
  std::unique_ptr<os::Passage> here;
  std::unique_ptr<os::Passage> there;
};

std::uint32_t fd_of(const os::SharedMemory& memory) {
  return static_cast<std::uint32_t>(memory.fd.get());
}

TEST(Passage, PassesMemoryOfAPoolAndNothingElse) {
  const Passages both;
  const auto pool = os::create_shared("ligament-test", 4096, {}).value();
  const auto other = os::create_shared("other", 4096, {}).value();
  EXPECT_EQ(both.here->pass(pool.inode, fd_of(pool)), os::PassResult::passed);
  EXPECT_EQ(both.here->pass(other.inode, fd_of(other)), os::PassResult::not_ours);
  EXPECT_EQ(both.here->pass(pool.inode, fd_of(other)), os::PassResult::not_ours);
  EXPECT_EQ(both.here->pass(other.inode, fd_of(pool)), os::PassResult::not_ours);
  EXPECT_EQ(both.here->pass(pool.inode, 1'000'000), os::PassResult::not_ours);
  ASSERT_TRUE(both.there->receive());
  EXPECT_TRUE(both.there->take(pool.inode, fd_of(pool)));
  EXPECT_TRUE(both.there->take(pool.inode, fd_of(pool))) << "several map it";
  const auto missing = both.there->take(other.inode, fd_of(other));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, EAGAIN);
}

TEST(Passage, AsksOnceForWhatHasNotCome) {
  const Passages both;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(both.here->take(4711, 12));
  }
  ASSERT_TRUE(both.there->receive());
  const auto notes = both.there->take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, os::NoteKind::wanted);
  EXPECT_EQ(notes[0].word, 4711U);
  EXPECT_EQ(notes[0].fd, 12U);
}

/// A take finds it, though housekeeping has not looked and its sender is gone.
TEST(Passage, WhatWasSentIsTakenAfterItsSenderHasGone) {
  Passages both;
  const auto memory = os::create_shared("ligament-test", 4096, {}).value();
  ASSERT_EQ(both.here->pass(memory.inode, fd_of(memory)), os::PassResult::passed);
  both.here.reset();
  EXPECT_TRUE(both.there->take(memory.inode, fd_of(memory)));
  EXPECT_TRUE(both.there->has_ended());
  const auto other = both.there->take(memory.inode + 1, 1);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ENOENT) << "nobody is there to be asked";
}

TEST(Passage, OfWhatIsPassedWithoutEndTheNewestStays) {
  const Passages both;
  both.there->settle();
  std::vector<os::SharedMemory> memories;
  for (int i = 0; i < 100; ++i) {
    memories.push_back(os::create_shared("ligament-test", 4096, {}).value());
    ASSERT_EQ(both.here->pass(memories.back().inode, fd_of(memories.back())),
              os::PassResult::passed);
    (void)both.there->receive();
  }
  EXPECT_TRUE(both.there->take(memories.back().inode, fd_of(memories.back())));
  EXPECT_FALSE(both.there->take(memories.front().inode, fd_of(memories.front())));
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

/// Each process may have four connections on which it has not met us: none keeps as much as a
/// peer's, and what is kept first is the directory, which comes first.
TEST(Passage, OfWhomWeHaveNotMetFewAreKept) {
  const Passages both;
  std::vector<os::SharedMemory> memories;
  for (int i = 0; i < 60; ++i) {
    memories.push_back(os::create_shared("ligament-test", 4096, {}).value());
    ASSERT_EQ(both.here->pass(memories.back().inode, fd_of(memories.back())),
              os::PassResult::passed);
  }
  const std::ptrdiff_t before = open_descriptors();
  while (both.there->receive()) {
    if (open_descriptors() > before + 8) break;
  }
  EXPECT_LE(open_descriptors(), before + 8);
  EXPECT_TRUE(both.there->take(memories.front().inode, fd_of(memories.front())));
}

/// A connection on which more lies than its other end can take, so that closing the last descriptor
/// of this end waits for an hour, or until the other end has read all or is closed.
struct Lingering {
  Lingering() {
    const os::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), raw, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), raw, &size), 0);
    near = os::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(near.get(), raw, size), 0);
    far = os::Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const linger an_hour{1, 3600};
    EXPECT_EQ(::setsockopt(near.get(), SOL_SOCKET, SO_LINGER, &an_hour, sizeof an_hour), 0);
    const std::vector<char> much(1 << 16);
    while (::send(near.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
    }
  }
  os::Fd near;
  os::Fd far;
};

/// It would hang where this thread closes what came.
TEST(Passage, NobodyWaitsForTheEndOfWhatIsNoMemory) {
  const auto memory = os::create_shared("ligament-test", 4096, {}).value();
  Lingering first;
  Lingering second;
  Lingering third;
  Passages both;
  pass_anything(both.raw, {memory.inode, fd_of(memory), os::NoteKind::memory}, first.near.get());
  pass_anything(both.raw, {memory.inode, fd_of(memory), os::NoteKind::memory}, second.near.get());
  first.near = os::Fd();  // closed here: what lies in the message is the last
  second.near = os::Fd();
  (void)both.there->receive();
  EXPECT_FALSE(both.there->take(memory.inode, fd_of(memory)));
  EXPECT_TRUE(both.there->has_ended()) << "nothing more is received from it";
  // And one that lies unread in a connection that ends.
  Passages other;
  pass_anything(other.raw, {memory.inode, fd_of(memory), os::NoteKind::memory}, third.near.get());
  third.near = os::Fd();
  other.there.reset();
}

TEST(Passage, WhatIsFullIsSaid) {
  const Passages both;
  const auto memory = os::create_shared("ligament-test", 4096, {}).value();
  os::PassResult result = os::PassResult::passed;
  for (int i = 0; i < 100'000 && result == os::PassResult::passed; ++i) {
    result = both.here->pass(memory.inode, fd_of(memory));
  }
  EXPECT_EQ(result, os::PassResult::no_room);
  while (both.there->receive()) {
  }
  EXPECT_EQ(both.here->pass(memory.inode, fd_of(memory)), os::PassResult::passed);
}

TEST(Passage, TwoBecomeOne) {
  Passages first;
  Passages second;
  const auto one = os::create_shared("ligament-test", 4096, {}).value();
  const auto other = os::create_shared("ligament-test", 4096, {}).value();
  ASSERT_EQ(second.here->pass(one.inode, fd_of(one)), os::PassResult::passed);
  ASSERT_TRUE(second.there->receive());
  first.there->merge(*second.there);
  EXPECT_TRUE(first.there->take(one.inode, fd_of(one))) << "what had come before";
  ASSERT_EQ(second.here->pass(other.inode, fd_of(other)), os::PassResult::passed);
  EXPECT_TRUE(first.there->take(other.inode, fd_of(other))) << "what comes on the second";
  first.here.reset();
  EXPECT_FALSE(first.there->take(4711, 12));
  EXPECT_FALSE(first.there->has_ended());
  EXPECT_TRUE(second.here->receive()) << "it is asked for on the one that is left";
}

}  // namespace
}  // namespace ligament::pool::test
