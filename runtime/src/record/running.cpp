// SPDX-License-Identifier: Apache-2.0
#include "record/running.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <set>

#include "memory/rendezvous.hpp"

namespace ligament::record {

namespace {

/// The domain in the name of a slot's socket, `@ligament/<uid>/<domain>/v<layout>/<slot>`.
std::optional<std::string> domain_of(const std::string& socket) {
  const std::string prefix = fmt::format("@ligament/{}/", ::geteuid());
  if (!socket.starts_with(prefix)) {
    return std::nullopt;
  }
  const std::string rest = socket.substr(prefix.size());
  const std::size_t end = rest.find(fmt::format("/v{}/", pool::layout::version));
  if (end == 0 || end == std::string::npos || rest.find('/') != end) {
    return std::nullopt;
  }
  return rest.substr(0, end);
}

}  // namespace

std::vector<std::string> running_domains() {
  std::set<std::string> found;
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t name = line.find('@');
    if (name != std::string::npos) {
      if (auto domain = domain_of(line.substr(name))) {
        found.insert(std::move(*domain));
      }
    }
  }
  std::erase_if(found, [](const std::string& domain) { return !run_in(domain); });
  return {found.begin(), found.end()};
}

std::optional<std::string> run_in(const std::string& domain) {
  pool::Rendezvous rendezvous(domain);
  std::vector<std::uint32_t> slots(pool::layout::max_slots);
  std::iota(slots.begin(), slots.end(), 0U);
  for (const auto& who : rendezvous.ask(slots).processes) {
    const auto peer = rendezvous.attach(who);
    if (peer && (*peer)->directory->state() == pool::layout::ProcessState::joined) {
      return (*peer)->directory->run_id;
    }
  }
  return std::nullopt;
}

expected<Target, std::string> find_target(const std::string& name) {
  if (!name.empty()) {
    if (auto run = run_in(name)) {
      return Target{name, std::move(*run)};
    }
  }
  const std::vector<std::string> running = running_domains();
  if (name.empty() && running.size() == 1) {
    return find_target(running.front());
  }
  const std::string there = running.empty()
                                ? std::string("no graph runs")
                                : fmt::format("these run: {}", fmt::join(running, ", "));
  return unexpected<std::string>(
      name.empty() ? (running.empty() ? there : fmt::format("which graph? {}", there))
                   : fmt::format("graph '{}' does not run; {}", name, there));
}

}  // namespace ligament::record
