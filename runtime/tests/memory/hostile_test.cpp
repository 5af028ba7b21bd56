// SPDX-License-Identifier: Apache-2.0
/// Peers that lie: memory that could kill us, nonsense in directories, pages overwritten at random.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <vector>

#include "memory/blocks.hpp"
#include "memory/directory.hpp"
#include "memory/os/system.hpp"
#include "memory/rendezvous.hpp"
#include "support.hpp"

namespace ligament::pool::test {
namespace {

constexpr int all_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;

os::ForeignMemory mine(int fd, std::uint64_t inode = 0, std::uint64_t size = 0) {
  return {::getpid(), static_cast<std::uint32_t>(fd), inode, size};
}

TEST(ForeignMemory, IsMappedReadOnlyAndCannotBeMadeWritable) {
  auto memory = os::create_shared("ligament-test", 8192, {}).value();
  memory.mapping.base()[17] = std::byte{42};
  auto seen = os::map_foreign(mine(memory.fd.get(), memory.inode, 8192), {}).value();
  EXPECT_EQ(seen.base()[17], std::byte{42});
  EXPECT_FALSE(os::map_foreign(mine(memory.fd.get()), {.peers_write = true, .prefault = false}));
  EXPECT_NE(::mprotect(seen.base(), seen.size(), PROT_READ | PROT_WRITE), 0);
  EXPECT_NE(::ftruncate(memory.fd.get(), 0), 0);
  EXPECT_NE(::pwrite(memory.fd.get(), "x", 1, 0), 1);
  EXPECT_NE(::fallocate(memory.fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
}

TEST(ForeignMemory, OfTheWrongKindIsRefused) {
  auto memory = os::create_shared("ligament-test", 4096, {}).value();
  EXPECT_FALSE(os::map_foreign(mine(memory.fd.get(), memory.inode + 1), {})) << "another object";
  EXPECT_FALSE(os::map_foreign(mine(memory.fd.get(), 0, 8192), {})) << "another size";
  EXPECT_FALSE(os::map_foreign(mine(1'000'000), {})) << "no such descriptor";
  const os::Fd unsealed(::memfd_create("ligament-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), 4096), 0);
  EXPECT_FALSE(os::map_foreign(mine(unsealed.get()), {})) << "could shrink and kill us by SIGBUS";
  const os::Fd sparse(::memfd_create("ligament-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(sparse.get(), off_t{1} << 26), 0);
  ASSERT_EQ(::fcntl(sparse.get(), F_ADD_SEALS, all_seals), 0);
  EXPECT_FALSE(os::map_foreign(mine(sparse.get()), {})) << "its pages would be on our account";
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  EXPECT_FALSE(os::map_foreign(mine(pipe_ends[0]), {})) << "opening a pipe must not block either";
  const os::Fd file(::open(POOL_PEER, O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(os::map_foreign(mine(file.get()), {})) << "a file";
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST(ForeignMemory, ThatItsOwnerMayStillPunchHolesIntoIsRefused) {
  const os::Fd fd(::memfd_create("ligament-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::fallocate(fd.get(), 0, 0, 8192), 0);
  ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  EXPECT_FALSE(os::map_foreign(mine(fd.get()), {}));
  ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  EXPECT_TRUE(os::map_foreign(mine(fd.get()), {}));
}

/// Its owner shrinks it while we check it, and seals it then: what we map must have that size, or
/// reading it is a SIGBUS.
TEST(ForeignMemory, ThatShrinksWhileItIsCheckedIsMappedAsItIs) {
  constexpr std::size_t large = 1U << 16;
  unsigned mapped = 0;
  unsigned refused = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    const os::Fd fd(::memfd_create("ligament-test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    ASSERT_EQ(::fallocate(fd.get(), 0, 0, large), 0);
    std::atomic<bool> go{false};
    std::thread owner([&] {
      while (!go) {
      }
      for (unsigned i = 0; i < round % 64 * 32; ++i) {
        os::cpu_relax();
      }
      (void)!::ftruncate(fd.get(), 4096);
      (void)::fcntl(fd.get(), F_ADD_SEALS, all_seals);
    });
    go = true;
    for (int look = 0; look < 8; ++look) {
      if (const auto mapping = os::map_foreign(mine(fd.get()), {})) {
        ++mapped;
        ASSERT_EQ(mapping->size(), 4096U);
      } else {
        ++refused;
      }
    }
    owner.join();
  }
  std::cout << mapped << " mapped, " << refused << " refused\n";
}

TEST(SharedMemory, BeyondWhatTheSystemHasIsRefusedBeforeAnyPageIsTaken) {
  const auto memory = os::create_shared("ligament-test", std::size_t{1} << 50, {});
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ENOMEM);
}

/// A peer's directory with arbitrary content, as this process's own descriptor.
class ForgedDirectory {
 public:
  explicit ForgedDirectory(const std::string& domain)
      : page_(os::create_shared("ligament-directory:" + domain, page_bytes, {}).value()),
        rows_(os::create_shared("ligament-rows", round_up(layout::row_segment_bytes(0), page_bytes),
                                {})
                  .value()) {
    auto& page = directory();
    page.header = {
        layout::magic, layout::version, layout::SegmentKind::directory, nonce(), 0, page_bytes, {}};
    std::strcpy(page.domain, domain.c_str());
    std::strcpy(page.run_id, "run");
    page.pid = ::getpid();
    page.rows[0].fd = static_cast<std::uint32_t>(rows_.fd.get());
    page.rows[0].inode = rows_.inode;
    page.rows[0].bytes = rows_.mapping.size();
    page.row_segments = 1;
    page.generation = 1;
  }
  layout::DirectoryPage& directory() { return *page_.mapping.as<layout::DirectoryPage>(); }
  void put(std::size_t index, const layout::EndpointRow& row) {
    auto& target = rows_.mapping.as<layout::SharedRow>(sizeof(layout::SegmentHeader))[index];
    std::array<std::uint64_t, sizeof(layout::EndpointRow) / 8> words{};
    std::memcpy(words.data(), &row, sizeof row);
    for (std::size_t i = 0; i < words.size(); ++i) {
      target.words[i] = words[i];
    }
    target.version += 2;
    directory().generation += 1;
  }
  [[nodiscard]] layout::EndpointRow good_row(std::uint64_t counter) const {
    layout::EndpointRow row = to_row(bytes_on("/t"), EndpointKind::reader);
    row.counter = counter;
    row.id = layout::endpoint_id(nonce(), counter);
    row.bell_slot = 1;
    row.inode = 1;
    return row;
  }
  /// The only one that this process may show here.
  [[nodiscard]] std::uint64_t nonce() const {
    return layout::process_nonce(page_.inode, static_cast<std::uint64_t>(::getpid()),
                                 os::boot_id().value());
  }

 private:
  os::SharedMemory page_;
  os::SharedMemory rows_;
};

TEST(HostileDirectory, NonsenseRowsAreIgnoredOneByOne) {
  const auto name = unique_name();
  ForgedDirectory forged(name);
  auto seen = PeerDirectory::open(::getpid(), name).value();
  std::size_t index = 0;
  const auto add = [&](auto&& spoil) {
    auto row = forged.good_row(index + 1);
    spoil(row);
    forged.put(index++, row);
  };
  add([](auto&) {});
  add([](auto& row) { row.id += 1; });  // somebody else's identity
  add([](auto& row) { row.kind = 9; });
  add([](auto& row) { row.state = 77; });
  add([](auto& row) { row.max_held = 0xFFFFFFFF; });
  add([](auto& row) { row.depth = 0; });
  add([](auto& row) { row.bell_slot = 64; });
  add([](auto& row) { row.reliability = 200; });
  add([](auto& row) { std::memset(row.topic, 'x', sizeof row.topic); });
  add([](auto& row) { row.topic[0] = '\0'; });
  EXPECT_TRUE(seen->refresh());
  EXPECT_EQ(seen->rows().size(), 1U);
  EXPECT_EQ(seen->invalid_rows(), 9U);
  EXPECT_FALSE(seen->refresh()) << "nothing changed";
}

TEST(HostileDirectory, NonsenseHeadersAreNoDirectory) {
  const auto name = unique_name();
  const auto is_refused = [&](auto&& spoil) {
    ForgedDirectory forged(name);
    EXPECT_TRUE(PeerDirectory::open(::getpid(), name));
    spoil(forged.directory());
    return !PeerDirectory::open(::getpid(), name);
  };
  EXPECT_TRUE(is_refused([](auto& page) { page.header.magic ^= 1; }));
  EXPECT_TRUE(is_refused([](auto& page) { page.header.version += 1; }));
  EXPECT_TRUE(is_refused([](auto& page) { page.header.kind = layout::SegmentKind::writer; }));
  EXPECT_TRUE(is_refused([](auto& page) { page.header.process = 0; }));
  EXPECT_TRUE(is_refused([](auto& page) { page.pid += 1; }));
  EXPECT_TRUE(is_refused([](auto& page) { page.slot = 99'999; }));
  EXPECT_TRUE(is_refused([](auto& page) { std::memset(page.domain, 'x', sizeof page.domain); }));
}

TEST(HostileDirectory, ACopiedIdentityIsSeenToBeOne) {
  const auto name = unique_name();
  ForgedDirectory forged(name);
  const std::uint64_t own = forged.nonce();
  for (const std::uint64_t copied : {own ^ 1, own + 1, std::uint64_t{4711}, std::uint64_t{0}}) {
    forged.directory().header.process = copied;
    const auto seen = PeerDirectory::open(::getpid(), name);
    ASSERT_FALSE(seen) << copied;
    EXPECT_NE(seen.error().text.find("an identity that is not its own"), std::string::npos)
        << seen.error().text;
  }
  forged.directory().header.process = own;
  EXPECT_TRUE(PeerDirectory::open(::getpid(), name));
}

TEST(HostilePeer, AnImpostorIsRefusedByNameAndItsVictimServed) {
  const auto name = unique_name();
  const OtherProcess impostor(name);  // in the lower slot: met first
  const OtherProcess victim(name);
  const std::uint64_t nonce = PeerDirectory::open(victim.pid(), name).value()->nonce;
  ASSERT_EQ(impostor.ask(fmt::format("lie directory 16 8 {}", nonce)), "ok 1");
  const Side side(name);
  const auto problems = side.domain->problems();
  const auto refused = std::count_if(problems.begin(), problems.end(), [&](const Problem& one) {
    return one.kind == ProblemKind::refused_peer &&
           one.text.find(fmt::format("process {} ", impostor.pid())) != std::string::npos &&
           one.text.find("an identity that is not its own") != std::string::npos;
  });
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(side.domain->peers(), std::vector<std::int32_t>{victim.pid()});
  ASSERT_EQ(victim.ask("writer /t"), "ok");
  auto reader = side.reader(bytes_on("/t"));
  ASSERT_TRUE(eventually([&] { return reader->matched_writers() == 1; }));
  ASSERT_EQ(victim.ask("publish /t 5 64"), "ok 5");
  for (std::uint64_t i = 1; i <= 5; ++i) {
    const auto sample = reader->take().value();
    ASSERT_TRUE(sample);
    EXPECT_EQ(number_of(sample->payload()), i);
  }
  std::cout << "1 impostor refused, 5 of 5 samples of its victim taken\n";
}

TEST(HostileDirectory, RandomBytesNeverDoHarm) {
  const auto name = unique_name();
  ForgedDirectory forged(name);
  auto seen = PeerDirectory::open(::getpid(), name).value();
  std::uint64_t random = 5;
  const auto next = [&random] { return random = mix(random + 0x9E3779B97F4A7C15ULL); };
  for (int round = 0; round < 3000; ++round) {
    auto row = forged.good_row(next() % 20);
    auto* bytes = reinterpret_cast<unsigned char*>(&row);
    for (std::uint64_t i = next() % 4; i > 0; --i) {
      bytes[next() % sizeof row] = static_cast<unsigned char>(next());
    }
    forged.put(next() % 16, row);
    forged.directory().row_segments = static_cast<std::uint32_t>(next());
    (void)seen->refresh();
    for (const auto& [id, good] : seen->rows()) {
      EXPECT_LE(to_description(good).topic.size(), 255U);
    }
  }
}

/// Whatever a sample says, it must lie inside the mapped chunk: reads every byte. A number that
/// grows with them; 0 if there is no sample.
std::uint64_t read_all_of_one(Reader& reader) {
  std::uint64_t sum = 0;
  if (const auto sample = reader.take().value()) {
    for (const std::byte byte : sample->payload()) {
      sum += static_cast<std::uint64_t>(byte) + 1;
    }
  }
  return sum;
}

TEST(HostilePeer, ScribblingOverItsOwnPagesHarmsOnlyItself) {
  const auto name = unique_name();
  const Side side(name);
  auto writer = side.writer(bytes_on("/down"));
  auto reader = side.reader(bytes_on("/up"));
  auto honest = side.reader(bytes_on("/fine"));
  const OtherProcess friendly(name);
  ASSERT_EQ(friendly.ask("writer /fine"), "ok");
  ASSERT_TRUE(eventually([&] { return honest->matched_writers() == 1; }));
  std::uint64_t sent = 0;
  std::uint64_t bytes_read = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const OtherProcess hostile(name);
    ASSERT_EQ(hostile.ask("writer /up"), "ok");
    ASSERT_EQ(hostile.ask("reader /down"), "ok");
    ASSERT_TRUE(eventually(
        [&] { return reader->matched_writers() >= 1 && writer->matched_readers() >= 1; }));
    ASSERT_EQ(hostile.ask("publish /up 5 1000"), "ok 5");
    hostile.send(fmt::format("scribble {} 150", seed));
    for (int i = 0; i < 300; ++i) {
      auto loan = writer->loan(100);
      if (loan) {
        stamp(loan->payload(), 1);
        ASSERT_TRUE(writer->publish(std::move(*loan)));
      }
      bytes_read += read_all_of_one(*reader);
      if (i % 100 == 0) {
        ASSERT_EQ(friendly.ask("publish /fine 1 64"), fmt::format("ok {}", ++sent));
        auto sample = honest->take().value();
        ASSERT_TRUE(sample);
        ASSERT_EQ(number_of(sample->payload()), sent) << "another's data was harmed";
      }
      (void)side.waiter->wait(WaitStrategy::sleep(), monotonic_now_ns() + 500'000);
    }
    EXPECT_EQ(hostile.answer().rfind("ok", 0), 0U);
  }
  EXPECT_GT(bytes_read, 0U) << "nothing of the hostile peer was ever taken: the test is too weak";
  ASSERT_TRUE(eventually([&] {
    while (reader->take().value()) {
    }
    return writer->matched_readers() == 0 && reader->matched_writers() == 0;
  }));
}

/// Connects to that name again and again until it is killed. In a child of a process with threads,
/// hence system calls only.
pid_t start_knocking(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
      const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
      (void)::connect(fd, reinterpret_cast<const sockaddr*>(&address), size);
      ::close(fd);
    }
  }
  return child;
}

TEST(HostilePeer, ConnectingAgainAndAgainKeepsNobodyFromJoiningAndMatching) {
  const auto name = unique_name();
  const Side side(name);
  const pid_t stranger =
      start_knocking(fmt::format("ligament/{}/{}/v{}/0", ::geteuid(), name, layout::version));
  // It shows no directory: refused, and named.
  EXPECT_TRUE(eventually([&] { return !side.domain->problems().empty(); }));
  for (int round = 0; round < 3; ++round) {
    const OtherProcess friendly(name);
    ASSERT_EQ(friendly.ask("writer /t"), "ok");
    auto reader = side.reader(bytes_on("/t"));
    EXPECT_TRUE(eventually([&] { return reader->matched_writers() == 1; })) << round;
    EXPECT_EQ(friendly.ask("publish /t 1 64"), "ok 1");
    EXPECT_TRUE(reader->take().value());
  }
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

}  // namespace
}  // namespace ligament::pool::test
