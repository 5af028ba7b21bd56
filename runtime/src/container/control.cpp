// SPDX-License-Identifier: Apache-2.0
#include "container/control.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ligament/detail/pool.hpp>
#include <ligament/trace.hpp>

#include "node/node_state.hpp"

namespace ligament::container {
namespace {

constexpr std::int64_t status_period_ns = 1'000'000'000;
constexpr int exit_without_drain = 1;
/// Their texts hold numbers of processes, and those may come and go without end.
constexpr std::size_t most_known_problems = 1024;

int stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

Control::Control(StatusChannel& channel, Context& context)
    : channel_(channel),
      context_(context),
      signals_(stop_signals()),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      graph_problems_([this](LogLevel level, std::string_view text) {
        get_logger("ligament-container").write(level, text);
        channel_.send_error("", std::string(text));
      }),
      thread_([this] { run(); }) {
  context_.set_observer(this);
}

Control::~Control() {
  context_.set_observer(nullptr);
  ending_ = true;
  wake();
  thread_.join();
  write_queued();
  ::close(signals_);
  ::close(bell_);
}

void Control::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(bell_, &one, sizeof(one));
}

void Control::post(nlohmann::json line) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(line));
  }
  wake();
}

void Control::node_error(const std::string& node_id, const std::string& text) {
  post({{"event", "error"}, {"node", node_id}, {"text", text}});
}

void Control::node_finished(const std::string& node_id) {
  {
    const std::lock_guard lock(mutex_);
    finished_.insert(node_id);
  }
  post({{"event", "done"}, {"node", node_id}});  // rings after the set has changed
}

void Control::nodes_are_ready(const std::vector<std::shared_ptr<Node>>& nodes) {
  channel_.send({{"event", "ready"}, {"pid", ::getpid()}});
  const std::lock_guard lock(mutex_);
  nodes_ = nodes;
  figures_ = std::make_unique<Figures>(nodes);
}

void Control::node_moved(const Node& node, std::int64_t stopped_ns) {
  const std::int64_t now = pool::monotonic_now_ns();
  trace::node_moved(node.trace_handle(), stopped_ns);
  channel_.send({{"event", "moved"},
                 {"node", node.get_fully_qualified_name()},
                 {"t_ns", now},
                 {"gap_ns", now - stopped_ns}});
}

void Control::node_stays(const std::string& node_id, const std::string& text) {
  get_logger("ligament-container").write(LogLevel::error, node_id + " does not move: " + text);
  post({{"event", "stays"}, {"node", node_id}, {"text", text}});  // behind its errors
}

void Control::node_added(const std::shared_ptr<Node>& node) {
  const std::lock_guard lock(mutex_);
  nodes_.push_back(node);
  if (figures_ != nullptr) {
    figures_->set_nodes(nodes_);
  }
}

void Control::node_removed(const std::shared_ptr<Node>& node) {
  node->state().run_errors.flush();
  const std::lock_guard lock(mutex_);
  std::erase(nodes_, node);
  finished_.erase(node->get_fully_qualified_name());
  if (figures_ != nullptr) {
    figures_->set_nodes(nodes_);
  }
}

void Control::nodes_are_done() {
  for (const auto& node : running_nodes()) {
    node->state().run_errors.flush();
  }
  write_queued();
  std::unique_ptr<Figures> figures;
  {
    const std::lock_guard lock(mutex_);
    figures.swap(figures_);
    nodes_.clear();
  }
  if (figures != nullptr) {
    channel_.send(figures->status_line());
  }
}

void Control::write_queued() {
  std::vector<nlohmann::json> lines;
  {
    const std::lock_guard lock(mutex_);
    lines.swap(queue_);
  }
  for (const auto& line : lines) {
    channel_.send(line);
  }
}

/// The first signal stops the executor, which drains; the second one does not wait for that.
void Control::on_signal() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
    if (stop_requested_) {
      get_logger("ligament-container")
          .write(LogLevel::warn, "asked again to stop: leaving without draining");
      ::_exit(exit_without_drain);
    }
    stop_requested_ = true;
    context_.shutdown();
  }
}

namespace {

/// Whether one of the two ends that a problem names is this node's.
bool concerns(const pool::Problem& problem, detail::NodeState& node) {
  const auto is_meant = [&problem](const auto& end) {
    return end->id() != 0 && (end->id() == problem.writer || end->id() == problem.reader);
  };
  const auto publishers = detail::alive(node.mutex, node.publishers);
  const auto subscriptions = detail::alive(node.mutex, node.subscriptions);
  const auto services = detail::alive(node.mutex, node.services);
  const auto clients = detail::alive(node.mutex, node.clients);
  const auto has_meant = [&is_meant](const auto& end) {
    return is_meant(end->requests()) || is_meant(end->replies());
  };
  return std::any_of(publishers.begin(), publishers.end(), is_meant) ||
         std::any_of(subscriptions.begin(), subscriptions.end(), is_meant) ||
         std::any_of(services.begin(), services.end(), has_meant) ||
         std::any_of(clients.begin(), clients.end(), has_meant);
}

}  // namespace

std::vector<std::shared_ptr<Node>> Control::running_nodes() {
  const std::lock_guard lock(mutex_);
  return nodes_;
}

void Control::report_new_problems() {
  const auto nodes = running_nodes();
  for (const auto& problem : context_.domain()->problems()) {
    if (known_problems_.size() >= most_known_problems) {
      known_problems_.clear();  // told again, if they are still there
    }
    if (!known_problems_.insert(problem.text).second) {
      continue;
    }
    bool named = false;
    for (const auto& node : nodes) {
      if (concerns(problem, node->state())) {
        node->state().report(NodeErrorKind::run, problem.text);
        named = true;
      }
    }
    if (!named) {
      graph_problems_.write(LogLevel::error, problem.text);
    }
  }
}

/// What was left out of the log is told also when nothing else goes wrong.
void Control::tell_counts() {
  for (const auto& node : running_nodes()) {
    node->state().run_errors.tick();
  }
  graph_problems_.tick();
}

void Control::on_tick() {
  nlohmann::json line;
  {
    const std::lock_guard lock(mutex_);
    if (figures_ == nullptr) {
      return;
    }
    line = figures_->status_line();
  }
  channel_.send(line);
}

void Control::run() {
  std::array<pollfd, 3> events{{{signals_, POLLIN, 0},
                                {bell_, POLLIN, 0},
                                {channel_.is_open() ? channel_.descriptor() : -1, 0, 0}}};
  std::int64_t next_tick = pool::monotonic_now_ns() + status_period_ns;
  while (!ending_) {
    const std::int64_t left = next_tick - pool::monotonic_now_ns();
    ::poll(events.data(), events.size(), left <= 0 ? 0 : static_cast<int>(left / 1'000'000 + 1));
    if ((events[0].revents & POLLIN) != 0) {
      on_signal();
    }
    std::uint64_t rings = 0;
    [[maybe_unused]] const auto read = ::read(bell_, &rings, sizeof(rings));
    write_queued();
    if ((events[2].revents & (POLLERR | POLLHUP)) != 0) {
      events[2].fd = -1;  // whoever started this container is gone
      context_.shutdown();
    }
    if (pool::monotonic_now_ns() >= next_tick) {
      next_tick += status_period_ns;
      report_new_problems();
      tell_counts();
      on_tick();
    }
    bool all_done = false;
    {
      const std::lock_guard lock(mutex_);
      all_done = !nodes_.empty() && finished_.size() == nodes_.size();
    }
    if (all_done && !channel_.is_open()) {
      context_.shutdown();  // nobody else decides when the graph has done its work
    }
  }
}

}  // namespace ligament::container
