// SPDX-License-Identifier: Apache-2.0
#include "ends.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "processors.hpp"

namespace uma {

using ligament::container::InnerEdgeKeeper;

void give_up(const std::string& why) {
  std::cerr << "ligament-bench-uma: " << why << '\n';
  std::_Exit(1);
}

Copies& Copies::operator+=(const Copies& other) {
  Copies theirs = other;
  const auto from = theirs.all();
  const auto to = all();
  for (std::size_t i = 0; i < count; ++i) {
    *to.at(i) += *from.at(i);
  }
  return *this;
}

Copies copies_of(const ligament::nodes::parallel::PartCounts& counts, const gpu::Program* program) {
  Copies copies{counts.made, counts.made_copied, counts.came, counts.came_copied};
  if (program != nullptr) {
    const gpu::Statistics found = program->statistics();
    copies.device = found.copies;
    copies.device_bytes = found.bytes_copied;
    copies.imported = found.imported;
    copies.import_ns = static_cast<std::uint64_t>(found.import_ns);
  }
  return copies;
}

// --- a node's place -----------------------------------------------------------------------------

Place::Place(const Setup& setup, const std::string& role) {
  std::string domain = setup.domain;
  if (setup.over_dds) {
    domain += "-" + role;
    std::replace(domain.begin(), domain.end(), ':', '-');
  }
  auto context = ligament::Context::create({.domain = domain, .run_id = "uma"});
  if (!context) {
    give_up(context.error().text);
  }
  context_ = *context;
  if (setup.over_dds) {
    const auto entry = ligament::container::load_inner_edge(ligament::container::inner_edge_path());
    if (!entry) {
      give_up(entry.error());
    }
    edge_ = std::make_unique<InnerEdgeKeeper>(
        **entry,
        ligament::container::InnerEdgeRequest{
            .graph = domain, .run_id = "uma", .domain_id = setup.dds_domain, .channel = &silent_});
  }
}

ligament::NodeOptions Place::options(const Setup& setup) const {
  ligament::TopicOptions tiles;
  tiles.bound_bytes = setup.size.bytes() + room_for_fields;
  tiles.device = true;
  if (setup.way == Way::topic) {
    tiles.mode = ligament::TopicMode::copied;
  } else if (setup.way == Way::handed_over) {
    tiles.mode = ligament::TopicMode::handed_over;
  }
  ligament::TopicOptions answers = tiles;
  answers.bound_bytes =
      answer_words(setup.workload, setup.size) * sizeof(std::uint32_t) + room_for_fields;
  // A namespace of its own: others may measure on the same network.
  std::string space = "/" + setup.domain;
  std::replace(space.begin(), space.end(), '-', '_');
  ligament::NodeOptions options;
  options.context(context_).node_namespace(space);
  options.topic(space + "/parts", tiles);
  options.topic(space + "/to_gpu", tiles);
  options.topic(space + "/to_cpu", answers);
  return options;
}

void check(const ligament::Node& node) {
  for (const auto& error : node.errors()) {
    give_up(error.text);
  }
}

// --- peers --------------------------------------------------------------------------------------

namespace {

/// `copies` lines: a number after the other.
std::string text_of(Copies copies) {
  std::ostringstream text;
  for (const std::uint64_t* number : copies.all()) {
    text << *number << ' ';
  }
  text << '\n';
  return text.str();
}

/// A process that ends when its standard input does, and tells its copies when it is sent a byte.
class ProcessPeer final : public Peer {
 public:
  explicit ProcessPeer(const std::string& command) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
      give_up("there is no pipe for a node's process");
    }
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = ::fdopen(out[0], "r");
  }
  ~ProcessPeer() override {
    ::close(input_);
    ::waitpid(pid_, nullptr, 0);
    std::fclose(output_);
  }
  Copies copies() override {
    Copies copies;
    bool is_told = ::write(input_, "c", 1) == 1;
    for (std::uint64_t* number : copies.all()) {
      is_told = is_told && std::fscanf(output_, "%" SCNu64, number) == 1;
    }
    if (!is_told) {
      give_up("a node's process does not tell its copies");
    }
    return copies;
  }
  bool has_ended() override { return ::waitpid(pid_, nullptr, WNOHANG) != 0; }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
  std::FILE* output_ = nullptr;
};

/// A thread with an executor of its own.
class ThreadPeer final : public Peer {
 public:
  ThreadPeer(const Setup& setup, const std::string& role)
      : place_(setup, role),
        served_(maker_of(setup, role)(place_)),
        executor_({.context = place_.context(), .wait = ligament::WaitStrategy::sleep()}) {
    check(*served_.node);
    (void)executor_.add_node(served_.node);
    thread_ = std::thread([this] {
      (void)executor_.spin();
      has_ended_ = true;
    });
    leave_processors();  // this thread makes the others too
  }
  ~ThreadPeer() override {
    executor_.cancel();
    thread_.join();
  }
  Copies copies() override { return served_.copies(); }
  bool has_ended() override { return has_ended_; }

 private:
  Place place_;
  Served served_;
  ligament::executors::SingleThreadedExecutor executor_;
  std::atomic<bool> has_ended_{false};
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Peer> Peer::start(const Setup& setup, const Commands& commands,
                                  const std::string& role) {
  if (setup.way == Way::handed_over) {
    return std::make_unique<ThreadPeer>(setup, role);
  }
  return std::make_unique<ProcessPeer>(commands.of(role));
}

Copies Peers::copies() const {
  Copies sum;
  for (const auto& peer : all_) {
    sum += peer->copies();
  }
  return sum;
}

void Peers::check() const {
  for (const auto& peer : all_) {
    if (peer->has_ended()) {
      give_up("a node has ended");
    }
  }
}

int serve_role(const Setup& setup, const std::string& role) {
  const Place place(setup, role);
  const Served served = maker_of(setup, role)(place);
  check(*served.node);
  std::thread input([&] {
    char byte = 0;
    while (::read(0, &byte, 1) > 0) {
      const std::string text = text_of(served.copies());
      if (::write(1, text.data(), text.size()) < 0) {
        break;
      }
    }
    place.context()->shutdown();
  });
  ligament::executors::SingleThreadedExecutor executor(
      {.context = place.context(), .wait = ligament::WaitStrategy::sleep()});
  (void)executor.add_node(served.node);
  const auto done = executor.spin();
  input.join();
  return done ? 0 : 1;
}

// --- spinning -----------------------------------------------------------------------------------

Spinner::Spinner(const Place& place, std::shared_ptr<ligament::Node> node, const Peers& peers)
    : node_(std::move(node)),
      peers_(peers),
      executor_({.context = place.context(), .wait = ligament::WaitStrategy::sleep()}) {
  check(*node_);
  (void)executor_.add_node(node_);
}

void Spinner::until(const std::function<bool()>& is_done) {
  while (!is_done()) {
    (void)executor_.spin_once(std::chrono::milliseconds(500));
    if (const std::int64_t now = ligament::pool::monotonic_now_ns(); now > look_again_ns_) {
      look_again_ns_ = now + 500'000'000;
      check(*node_);
      peers_.check();
    }
  }
}

}  // namespace uma
