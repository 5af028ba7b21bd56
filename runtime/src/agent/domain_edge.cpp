// SPDX-License-Identifier: Apache-2.0
#include "agent/domain_edge.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ligament/detail/edge_name.hpp>
#include <utility>

namespace ligament::xrce {

namespace {

constexpr std::int64_t pause_ns = 500'000'000;  // one that cannot start is not started in a loop

/// Beside this program, or beside the library: PREFIX/lib/ligament/ligament-edge.
std::string edge_program() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto beside = self.parent_path() / "ligament-edge";
  return !error && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : std::string();
}

/// It ends by itself when nobody else is in the domain; whoever then is our init reaps it. Until
/// then it is a child that we do not wait for: SIGCHLD is ignored (main.cpp).
void start(const std::string& pool, int domain_id) {
  std::string program = edge_program();
  if (program.empty()) {
    return;
  }
  std::array<std::string, 8> words{
      program,    "--attend", "--graph",     pool,
      "--run-id", "ros",      "--domain-id", std::to_string(domain_id)};
  std::array<char*, 9> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const int stream : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  pid_t child = 0;
  (void)::posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
}

}  // namespace

DomainEdge::DomainEdge(const std::shared_ptr<pool::Domain>& domain, std::string pool, int domain_id)
    : state_(std::make_shared<State>()) {
  state_->pool = std::move(pool);
  state_->domain_id = domain_id;
  watch_ = domain->watch([state = state_] { ensure(*state); });
  ensure(*state_);
}

DomainEdge::~DomainEdge() {
  const std::lock_guard lock(state_->mutex);
  state_->ends = true;
}

void DomainEdge::ensure(State& state) {
  const std::lock_guard lock(state.mutex);
  const std::int64_t now = pool::monotonic_now_ns();
  if (state.ends || (state.started_ns != 0 && now - state.started_ns < pause_ns)) {
    return;
  }
  if (!detail::edge_is_there(state.pool)) {
    state.started_ns = now;
    start(state.pool, state.domain_id);
  }
}

}  // namespace ligament::xrce
