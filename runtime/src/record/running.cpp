// SPDX-License-Identifier: Apache-2.0
#include "record/running.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "memory/os/holder.hpp"
#include "memory/rendezvous.hpp"

namespace ligament::record {

namespace {

/// The domain in the name of a slot's socket, `ligament/<uid>/<domain>/v<layout>/<slot>`.
std::optional<std::string> domain_of(const std::string& socket) {
  const std::string prefix = fmt::format("ligament/{}/", ::geteuid());
  const std::string version = fmt::format("/v{}/", pool::layout::version);
  if (!socket.starts_with(prefix)) {
    return std::nullopt;
  }
  const std::string rest = socket.substr(prefix.size());
  const std::size_t end = rest.find('/');
  const bool is_slot = end != std::string::npos &&
                       rest.compare(end, version.size(), version) == 0 &&
                       rest.find('/', end + version.size()) == std::string::npos;
  return is_slot && end != 0 ? std::optional(rest.substr(0, end)) : std::nullopt;
}

/// Names of the sockets in each domain.
std::map<std::string, std::vector<std::string>> slots_by_domain() {
  std::map<std::string, std::vector<std::string>> found;
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t at = line.find('@');
    if (at == std::string::npos) {
      continue;
    }
    std::string name = line.substr(at + 1);
    if (const auto domain = domain_of(name)) {
      found[*domain].push_back(std::move(name));
    }
  }
  return found;
}

/// Looked up, not asked: who is called would take us for a process that joins.
std::optional<std::string> run_of(const std::string& domain,
                                  const std::vector<std::string>& slots) {
  pool::Rendezvous rendezvous(domain);
  for (const auto& who : pool::os::holders_of(slots)) {
    const auto peer = rendezvous.attach(who);
    if (peer && (*peer)->directory->state() == pool::layout::ProcessState::joined) {
      return (*peer)->directory->run_id;
    }
  }
  return std::nullopt;
}

}  // namespace

expected<Target, std::string> find_target(const std::string& name) {
  std::vector<Target> running;
  for (const auto& [domain, slots] : slots_by_domain()) {
    if (auto run = run_of(domain, slots)) {
      running.push_back({domain, std::move(*run)});
    }
  }
  std::vector<std::string> names;
  for (const Target& target : running) {
    if (target.domain == name || (name.empty() && running.size() == 1)) {
      return target;
    }
    names.push_back(target.domain);
  }
  const std::string there = names.empty() ? std::string("no graph runs")
                                          : fmt::format("these run: {}", fmt::join(names, ", "));
  if (name.empty()) {
    return unexpected<std::string>(names.empty() ? there : "which graph? " + there);
  }
  return unexpected<std::string>(fmt::format("graph '{}' does not run; {}", name, there));
}

}  // namespace ligament::record
