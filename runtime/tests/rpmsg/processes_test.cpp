// SPDX-License-Identifier: Apache-2.0
// The core is a process of its own, which is killed at each step; the host's process goes on.
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "twin.hpp"

namespace ligament::rpmsg::twin {
namespace {

enum class Step : std::uint8_t {
  starting,
  started,
  running,
  greeted,
  lent,
  half_sent,
  sent,
  holding,
  never
};

/// The program of the core. It dies, with nothing in order, when it gets to `end`.
class CoreProgram {
 public:
  CoreProgram(int memory, int bell, const Map& map, Step end) : end_(end) {
    const auto area = *Area::of(memory, 0, map);
    memory_.emplace(area);
    core_ = std::make_unique<Core>(*memory_, std::make_unique<SocketBell>(bell));
    core_->hold = end == Step::holding;
  }
  [[noreturn]] void run() {
    reach(Step::starting);
    (void)core_->start();
    reach(Step::started);
    for (;;) {
      core_->poll();
      if (core_->link.state == LIGAMENT_RPMSG_RUNNING) {
        reach(Step::running);
      }
      answer();
      pollfd waits{core_->bell->fd(), POLLIN, 0};
      ::poll(&waits, 1, -1);
      if (core_->bell->clear() == Bell::Heard::gone) {
        ::_exit(0);
      }
    }
  }

 private:
  void reach(Step step) const {
    if (step == end_) {
      ::raise(SIGKILL);
    }
  }
  void answer() {
    for (const std::string& text : std::exchange(core_->got, {})) {
      reach(Step::greeted);
      reach(Step::holding);
      auto loan = ligament_rpmsg_loan(&core_->link, 1000);
      reach(Step::lent);
      ligament_rpmsg_return_loan(&core_->link, &loan);
      if (end_ == Step::half_sent) {  // a message is there, the host was not told
        core_->config.kick = [](void*) { ::raise(SIGKILL); };
        core_->link.config.kick = core_->config.kick;
      }
      (void)core_->send(text);
      reach(Step::sent);
    }
  }

  /// As `twin::Memory`, of a mapping.
  struct Mapped : Memory {
    explicit Mapped(const Area& shared) : Memory(shared.map()), mapping(shared) {
      area = std::unique_ptr<std::byte, decltype(&std::free)>(mapping.at(0), [](void*) noexcept {});
    }
    Area mapping;
  };

  Step end_;
  std::optional<Mapped> memory_;
  std::unique_ptr<Core> core_;
};

class RpmsgProcesses : public ::testing::TestWithParam<Step> {
 protected:
  void SetUp() override {
    memory_ = ::memfd_create("area", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(memory_, ligament_rpmsg_layout(&usual_map).size), 0);
    host = std::make_unique<Host>(*Area::of(memory_, 0, usual_map), nullptr);
  }
  void TearDown() override {
    host.reset();
    ::close(memory_);
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  void start_core(Step end) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ends[0]);
      CoreProgram(memory_, ends[1], usual_map, end).run();
    }
    children_.push_back(child);
    ::close(ends[1]);
    host->link.attach(std::make_unique<SocketBell>(ends[0]));
  }
  /// The limit is for a link that hangs.
  template <typename Condition>
  bool until(const Condition& condition) {
    bool met = condition();  // which may do something: it is asked once a round
    for (int round = 0; round < 100'000 && !met; ++round) {
      pollfd waits{host->link.fd(), POLLIN, 0};
      ::poll(&waits, 1, 100);
      host->link.work();
      met = condition();
    }
    return met;
  }
  [[nodiscard]] bool dead() const { return ::waitpid(children_.back(), nullptr, WNOHANG) != 0; }

  std::unique_ptr<Host> host;

 private:
  int memory_ = -1;
  std::vector<pid_t> children_;
};

TEST_P(RpmsgProcesses, ACoreKilledAtThisStepComesBack) {
  start_core(GetParam());
  bool sent = false;
  bool over = false;
  ASSERT_TRUE(until([&] {
    if (!sent && !host->link.channels().empty()) {
      sent = host->send(std::string(600, 'x')) == SendStatus::ok;
    }
    return over = over || dead();
  }));
  EXPECT_TRUE(until([&] { return !host->link.running(); })) << "its bell is gone";
  EXPECT_TRUE(host->link.channels().empty());
  host->got.clear();
  const std::uint64_t starts = host->link.figures().starts;
  start_core(Step::never);
  // Of the new core: what the dead one had announced may have been taken only now.
  ASSERT_TRUE(until(
      [&] { return host->link.figures().starts > starts && !host->link.channels().empty(); }));
  for (const std::size_t size : {16U, 5000U}) {
    host->got.clear();
    ASSERT_EQ(host->send(std::string(size, 'y')), SendStatus::ok);
    ASSERT_TRUE(until([&] { return !host->got.empty(); })) << size;
    EXPECT_EQ(host->got, std::vector<std::string>{std::string(size, 'y')});
  }
  EXPECT_EQ(host->link.figures().breaches, 0U);
}

INSTANTIATE_TEST_SUITE_P(Steps, RpmsgProcesses,
                         ::testing::Values(Step::starting, Step::started, Step::running,
                                           Step::greeted, Step::lent, Step::half_sent, Step::sent,
                                           Step::holding));

}  // namespace
}  // namespace ligament::rpmsg::twin
