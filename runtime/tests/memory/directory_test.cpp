// SPDX-License-Identifier: Apache-2.0
// How directories are found and read, and what is done without descriptors to do it with.
#include "memory/directory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "memory/os/socket.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

layout::EndpointRow row_on(const std::string& topic, std::uint64_t nonce, std::uint64_t counter) {
  layout::EndpointRow row = to_row(bytes_on(topic), EndpointKind::reader);
  row.counter = counter;
  row.id = layout::endpoint_id(nonce, counter);
  row.bell_slot = 1;
  row.inode = 1;
  return row;
}

std::vector<std::string> topics_of(const PeerDirectory::Rows& rows) {
  std::vector<std::string> topics;
  for (const auto& [id, row] : rows) {
    topics.emplace_back(row.topic);
  }
  std::sort(topics.begin(), topics.end());
  return topics;
}

std::shared_ptr<const Ends> only(const std::vector<std::string>& names) {
  auto ends = std::make_shared<Ends>();
  for (const std::string& name : names) {
    ends->insert(name, EndpointKind::reader);
  }
  return ends;
}

/// A directory of this process, and the same as a peer would see it.
struct Both {
  explicit Both(const std::string& name) {
    EXPECT_TRUE(own.open({name, "run", 7}));
    seen = PeerDirectory::open(::getpid(), name).value();
  }
  Directory::Place add(const std::string& topic) {
    const auto place = own.add(row_on(topic, own.nonce(), ++counter)).value();
    own.raise_generation();
    return place;
  }
  Directory own;
  std::unique_ptr<PeerDirectory> seen;
  std::uint64_t counter = 0;
};

TEST(PeerDirectory, KeepsRowsOfWantedTopicsOnlyAndKnowsTheOthers) {
  Both both(unique_name());
  both.seen->keep_only(only({"/a"}));
  both.add("/a");
  const auto place = both.add("/b");
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_EQ(topics_of(both.seen->rows()), std::vector<std::string>{"/a"});
  EXPECT_TRUE(both.seen->has_any(*only({"/b"})));
  EXPECT_FALSE(both.seen->has_any(*only({"/c"})));
  EXPECT_EQ(both.seen->all_rows().size(), 2U);
  EXPECT_FALSE(both.seen->refresh()) << "nothing changed";

  both.own.remove(place);
  both.own.raise_generation();
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_FALSE(both.seen->has_any(*only({"/b"})));
  EXPECT_EQ(both.seen->all_rows().size(), 1U);
}

TEST(PeerDirectory, KeepsWhatAnEndCanBeMatchedWith) {
  Both both(unique_name());
  Ends of_reader;
  of_reader.insert_partners("/a", EndpointKind::reader);
  both.seen->keep_only(std::make_shared<const Ends>(of_reader));
  both.add("/a");  // a reader
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_TRUE(both.seen->rows().empty()) << "two readers do not meet";
  EXPECT_FALSE(both.seen->has_any(of_reader));

  Ends of_writer;
  of_writer.insert_partners("/a", EndpointKind::writer);
  EXPECT_TRUE(both.seen->has_any(of_writer));
  both.seen->keep_only(std::make_shared<const Ends>(of_writer));
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_EQ(topics_of(both.seen->rows()), std::vector<std::string>{"/a"});
}

TEST(PeerDirectory, ReadsAgainWhatIsWantedLater) {
  Both both(unique_name());
  both.seen->keep_only(only({}));
  both.add("/a");
  both.add("/b");
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_TRUE(both.seen->rows().empty());

  both.seen->keep_only(only({"/a", "/b"}));
  ASSERT_TRUE(both.seen->refresh()) << "though its generation is the same";
  EXPECT_EQ(topics_of(both.seen->rows()), (std::vector<std::string>{"/a", "/b"}));
  both.seen->keep_only(only({"/b"}));
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_EQ(topics_of(both.seen->rows()), std::vector<std::string>{"/b"});
  EXPECT_EQ(both.seen->invalid_rows(), 0U);
}

/// No descriptor can be opened in this process while it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit none{0, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

TEST(PeerDirectory, MapsLaterWhatItHadNoDescriptorsForThoughNothingChanged) {
  Both both(unique_name());
  const std::size_t first = layout::rows_in_segment(0);
  for (std::size_t i = 0; i <= first; ++i) {
    both.add("/t" + std::to_string(i));  // the last one in a second segment
  }
  {
    const NoDescriptors none;
    ASSERT_TRUE(both.seen->refresh());
    EXPECT_TRUE(both.seen->rows().empty());
    EXPECT_TRUE(both.seen->is_torn()) << "so that housekeeping looks again";
    ASSERT_TRUE(both.seen->refresh());
    EXPECT_TRUE(both.seen->is_torn());
  }
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_EQ(both.seen->rows().size(), first + 1);
  EXPECT_FALSE(both.seen->is_torn());
  EXPECT_FALSE(both.seen->refresh()) << "nothing is left to read";

  both.add("/more");  // in the segments that are mapped: no descriptor is needed
  const NoDescriptors none;
  ASSERT_TRUE(both.seen->refresh());
  EXPECT_EQ(both.seen->rows().size(), first + 2);
  EXPECT_FALSE(both.seen->is_torn());
}

TEST(PeerDirectory, IsFoundWhateverItsNumber) {
  std::vector<os::Fd> before;
  for (int i = 0; i < 100; ++i) {
    before.emplace_back(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  }
  const auto name = unique_name();
  Both both(name);
  EXPECT_GE(both.seen->fd, 64U);
  EXPECT_EQ(both.seen->fd, both.own.fd());
  EXPECT_TRUE(PeerDirectory::open(::getpid(), name, both.own.fd())) << "where it was said to be";
  EXPECT_TRUE(PeerDirectory::open(::getpid(), name, 1)) << "where it is not";
  EXPECT_FALSE(PeerDirectory::open(::getpid(), name + "-other", both.own.fd()));
}

TEST(Descriptors, WhoHasNoneCannotJoinAndHearsWhatToRaise) {
  const auto name = unique_name();
  const OtherProcess poor;
  ASSERT_EQ(poor.ask("descriptors none"), "ok");
  const std::string refused = poor.ask("join " + name + " run");
  EXPECT_NE(refused.find("ulimit -n"), std::string::npos) << refused;
  ASSERT_EQ(poor.ask("descriptors many"), "ok");
  EXPECT_EQ(poor.ask("join " + name + " run"), "ok");
}

TEST(Descriptors, NewcomersWaitUntilThereAreSomeAgain) {
  const auto name = unique_name();
  const OtherProcess poor(name);
  ASSERT_EQ(poor.ask("writer /t"), "ok");
  ASSERT_EQ(poor.ask("descriptors none"), "ok");
  const Side rich(name);
  const auto reader = rich.reader(bytes_on("/t"));
  EXPECT_TRUE(eventually([&] {
    return poor.ask("problems").find("newcomers cannot be joined yet") != std::string::npos;
  }));
  EXPECT_EQ(reader->matched_writers(), 0U);
  ASSERT_EQ(poor.ask("descriptors many"), "ok");
  EXPECT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
}

/// Whoever fills a mailbox costs its owner 64 reads per look, no more: the rest says the same.
TEST(Mailbox, ALookReadsABoundedNumberOfNotices) {
  const auto name = unique_name();
  const os::Fd mailbox = std::move(*os::open_mailbox());
  const os::Fd sender = std::move(*os::open_mailbox());
  ASSERT_TRUE(os::bind_name(mailbox, name));
  constexpr unsigned bound = 64;
  const auto fill = [&] {
    for (unsigned i = 0; i < 4 * bound; ++i) {
      os::notify(sender, name);  // full is as good as delivered: it neither blocks nor fails
    }
  };
  const auto left = [&] {
    char byte = 0;
    unsigned count = 0;
    while (::recv(mailbox.get(), &byte, 1, MSG_DONTWAIT) > 0) {
      ++count;
    }
    return count;
  };
  fill();
  const unsigned fits = left();
  fill();
  os::drain_mailbox(mailbox);
  EXPECT_EQ(left(), fits - std::min(fits, bound));
  std::cout << fits << " notices fit into a mailbox here\n";
}

}  // namespace
}  // namespace ligament::pool::test
