// SPDX-License-Identifier: Apache-2.0
/// kill -9 at chance moments while others talk: nothing is lost between the living, and no node of
/// the dead stays in the graph. RMW_KILLS says how many: 1000 in a soak
/// (test_rmw_ligament --gtest_filter='Kills.*'), which prints the longest time that a node stayed.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <rosidl_typesupport_cpp/service_type_support.hpp>
#include <test_msgs/msg/strings.hpp>
#include <test_msgs/srv/basic_types.hpp>

#include "rmw_fixture.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Strings = test_msgs::msg::Strings;

/// A running victim.cpp.
class Victim {
 public:
  Victim(std::size_t domain_id, const std::string& name) : name_(name) {
    int out[2];
    EXPECT_EQ(::pipe2(out, O_CLOEXEC), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], 1);
      ::execl(RMW_VICTIM, RMW_VICTIM, std::to_string(domain_id).c_str(), name.c_str(),
              static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(out[1]);
    from_ = out[0];
  }
  ~Victim() {
    kill();
    ::close(from_);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void await_ready() const {
    char byte = 0;
    EXPECT_EQ(::read(from_, &byte, 1), 1) << name_ << " does not start";
  }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(std::exchange(pid_, -1), nullptr, 0);
    }
  }
  void stop() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void resume() const { ::kill(pid_, SIGCONT); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  pid_t pid_ = -1;
  int from_ = -1;
};

std::size_t wanted_kills() {
  const char* said = std::getenv("RMW_KILLS");
  return said == nullptr ? 30 : static_cast<std::size_t>(std::atol(said));
}

class Kills : public RmwTest {
 protected:
  void SetUp() override {
    ::setenv("LIGAMENT_RMW_EDGE", "off", 1);
    range_ = RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
    domain_id_ = 110 + static_cast<std::size_t>(::getpid()) % 60;
    RmwTest::SetUp();
  }
  std::vector<std::string> nodes() {
    auto names = rcutils_get_zero_initialized_string_array();
    auto spaces = rcutils_get_zero_initialized_string_array();
    EXPECT_EQ(rmw_get_node_names(node_, &names, &spaces), RMW_RET_OK) << taken_error();
    const std::vector<std::string> found(names.data, names.data + names.size);
    EXPECT_EQ(rcutils_string_array_fini(&names), RCUTILS_RET_OK);
    EXPECT_EQ(rcutils_string_array_fini(&spaces), RCUTILS_RET_OK);
    return found;
  }
  bool is_there(const std::string& name) {
    const auto found = nodes();
    return std::find(found.begin(), found.end(), name) != found.end();
  }
};

/// Living ones: two ends of this process, and a process that is not killed.
TEST_F(Kills, NothingOfTheDeadStaysAndTheLivingLoseNothing) {
  auto* publisher = this->publisher<Strings>("/living");
  auto* subscription = this->subscription<Strings>("/living");
  await_match(publisher);
  std::size_t sent = 0;
  std::size_t heard = 0;
  const auto talk = [&] {
    Strings message;
    message.string_value = std::to_string(sent++);
    ASSERT_EQ(rmw_publish(publisher, &message, nullptr), RMW_RET_OK) << taken_error();
    Strings back;
    bool taken = false;
    ASSERT_EQ(rmw_take(subscription, &back, &taken, nullptr), RMW_RET_OK) << taken_error();
    ASSERT_TRUE(taken);
    ASSERT_EQ(back.string_value, std::to_string(heard++));
  };
  std::mt19937 chance(4);
  auto fresh_name = [number = 0]() mutable {
    return "victim_" + std::to_string(::getpid()) + "_" + std::to_string(number++);
  };
  const Victim survivor(domain_id_, fresh_name());
  survivor.await_ready();
  Clock::duration longest{};
  for (std::size_t round = 0; round < wanted_kills(); ++round) {
    Victim victim(domain_id_, fresh_name());
    if (round % 2 == 0) {  // else it is killed while it starts
      victim.await_ready();
      await([&] { return is_there(victim.name()); });
    }
    const auto end = Clock::now() + std::chrono::microseconds(chance() % 20000);
    while (Clock::now() < end) {
      talk();
    }
    victim.kill();
    const auto dead = Clock::now();
    await([&] {
      talk();
      return !is_there(victim.name());
    });
    longest = std::max(longest, Clock::now() - dead);
  }
  EXPECT_TRUE(is_there(survivor.name()));
  EXPECT_EQ(nodes().size(), 2U);
  EXPECT_EQ(sent, heard);
  std::printf("kills: %zu, messages: %zu, longest time that a dead node was seen: %.1f ms\n",
              wanted_kills(), sent, std::chrono::duration<double, std::milli>(longest).count());
  EXPECT_EQ(rmw_destroy_subscription(node_, subscription), RMW_RET_OK);
  EXPECT_EQ(rmw_destroy_publisher(node_, publisher), RMW_RET_OK);
}

/// It has the requests' subscription, and has not seen who asks: its response would get lost.
TEST_F(Kills, AServerThatHasNotSeenItsClientIsNotThereYet) {
  const Victim server(domain_id_, "server");
  server.await_ready();
  await([&] { return is_there(server.name()); });
  server.stop();
  const auto* type =
      rosidl_typesupport_cpp::get_service_type_support_handle<test_msgs::srv::BasicTypes>();
  auto* client = rmw_create_client(node_, type, "/victims/call", &rmw_qos_profile_services_default);
  const auto is_available = [&] {
    bool available = false;
    EXPECT_EQ(rmw_service_server_is_available(node_, client, &available), RMW_RET_OK);
    return available;
  };
  EXPECT_FALSE(is_available());
  server.resume();
  await(is_available);
  EXPECT_EQ(rmw_destroy_client(node_, client), RMW_RET_OK);
}

}  // namespace
