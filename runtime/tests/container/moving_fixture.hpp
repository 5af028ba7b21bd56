// SPDX-License-Identifier: Apache-2.0
/// \file A node that relays numbers in a container of its own, its neighbours in this process, and
/// what asks it to move (spec/run/moving.md).
#pragma once

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstring>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "container/move_channel.hpp"
#include "node/context_state.hpp"
#include "process.hpp"

namespace ligament::testing {

using Text = std_msgs::msg::String;

/// A pair of sockets; `theirs` is inherited by what is started while this lives.
class SocketPair {
 public:
  explicit SocketPair(int type) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours_ = ends[0];
    theirs = ends[1];
    ::fcntl(theirs, F_SETFD, 0);
  }
  ~SocketPair() {
    ::close(theirs);
    if (ours_ >= 0) ::close(ours_);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;
  [[nodiscard]] int take_ours() { return std::exchange(ours_, -1); }

  int theirs = -1;

 private:
  int ours_ = -1;
};

/// A container with the node, which can be asked to give it away.
class Home {
 public:
  /// `taking`: socket to another home, whose node it takes; -1: none.
  Home(const TemporaryFolder& folder, const Json& configuration, int taking = -1,
       const std::vector<std::string>& more = {}) {
    SocketPair control(SOCK_SEQPACKET);
    const std::string name = unique_name();
    std::vector<std::string> words{folder.write(name + ".json", configuration.dump()),
                                   "--control-fd", std::to_string(control.theirs)};
    if (taking >= 0) {
      words.insert(words.end(), {"--take-over-fd", std::to_string(taking)});
    }
    words.insert(words.end(), more.begin(), more.end());
    process = std::make_unique<Process>(words, folder / (name + ".log"));
    control_ = control.take_ours();
  }
  ~Home() { ::close(control_); }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  /// Asks for the node, with the socket to whom it shall go.
  void ask(const std::string& node, int socket, const Json& state = Json::array()) const {
    const std::string text = Json{{"request", "give"}, {"node", node}, {"state", state}}.dump();
    iovec part{const_cast<char*>(text.data()), text.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = room.data();
    header.msg_controllen = room.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &socket, sizeof(int));
    EXPECT_EQ(::sendmsg(control_, &header, 0), static_cast<ssize_t>(text.size()));
  }

  std::unique_ptr<Process> process;

 private:
  int control_ = -1;
};

/// Publishes numbers as quickly as keep_all lets it, and keeps what comes back.
class Neighbours {
 public:
  explicit Neighbours(const std::string& domain)
      : context_(Context::create({.domain = domain, .run_id = "r"}).value()),
        node_(std::make_shared<Node>("neighbours", NodeOptions().context(context_))),
        executor_({.context = context_}) {
    // However busy the machine is: nobody is stalled.
    context_->state().patience_ns["/chat"] = 60'000'000'000;
    publisher_ = node_->create_publisher<Text>("/chat", QoS(16).keep_all());
    subscription_ = node_->create_subscription<Text>("/relayed", QoS(16).keep_all(),
                                                     [this](const Text& text) { add(text.data); });
    EXPECT_TRUE(executor_.add_node(node_));
    spinning_ = std::thread([this] { EXPECT_TRUE(executor_.spin()); });
  }
  ~Neighbours() {
    stop_feeding();
    context_->shutdown();
    spinning_.join();
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  void wait_until_met() const {
    while (publisher_->get_subscription_count() == 0 || subscription_->get_publisher_count() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void start_feeding() {
    feeding_ = std::thread([this] {
      while (!full_) {
        Text text;
        text.data = std::to_string(fed_);
        EXPECT_TRUE(publisher_->publish(text));
        ++fed_;
      }
    });
  }
  /// All that was fed has come back, or, after a minute, it has not.
  void stop_feeding() {
    full_ = true;
    if (feeding_.joinable()) {
      feeding_.join();
      wait_for(fed_);
    }
  }
  /// Until so many have come back.
  void wait_for(std::size_t count) const {
    for (int i = 0; i < 60'000 && came() < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void wait_for_more(std::size_t count) const { wait_for(came() + count); }
  [[nodiscard]] std::size_t fed() const { return fed_; }
  [[nodiscard]] std::size_t came() const {
    const std::lock_guard lock(mutex_);
    return came_.size();
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return came_;
  }
  [[nodiscard]] PublisherStatistics sent() const { return publisher_->statistics(); }
  [[nodiscard]] SubscriptionStatistics taken() const { return subscription_->statistics(); }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }

 private:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    came_.push_back(text);
  }
  std::shared_ptr<Context> context_;
  std::shared_ptr<Node> node_;
  executors::SingleThreadedExecutor executor_;
  std::shared_ptr<Publisher<Text>> publisher_;
  std::shared_ptr<Subscription<Text>> subscription_;
  std::thread spinning_;
  std::thread feeding_;
  std::atomic<bool> full_{false};
  std::atomic<std::size_t> fed_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> came_;
};

}  // namespace ligament::testing
