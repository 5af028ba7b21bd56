// SPDX-License-Identifier: Apache-2.0
#include "domain_edge.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <rmw/discovery_options.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ligament/detail/edge_name.hpp>
#include <vector>

namespace rmw_ligament_cpp {

namespace {

/// Of a domain's processes so many look after the edge: one may be stopped, but not each of
/// hundreds shall start one when it dies.
constexpr std::ptrdiff_t keepers = 3;
constexpr std::int64_t pause_ns = 500'000'000;  // one that cannot start is not started in a loop

/// ROS 2's discovery options as the engine's configuration, as `ligament run --edge` has them
/// (tool/ligament/run/discovery.py).
std::string engine_config(const rmw_discovery_options_t& options) {
  const bool is_local =
      options.automatic_discovery_range == RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
  std::string peers = is_local ? R"(<Peer Address="127.0.0.1"/>)" : "";
  for (std::size_t i = 0; i < options.static_peers_count; ++i) {
    const std::string peer = options.static_peers[i].peer_address;
    const bool is_plain = peer.find_first_of("<>&\"'") == std::string::npos;
    peers += is_plain ? fmt::format(R"(<Peer Address="{}"/>)", peer) : "";
  }
  if (options.automatic_discovery_range == RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT ||
      peers.empty()) {
    return {};
  }
  return fmt::format(
      "<CycloneDDS><Domain>{}<Discovery><ParticipantIndex>auto</ParticipantIndex>"
      "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers>{}</Peers></Discovery></Domain>"
      "</CycloneDDS>",
      is_local ? "<General><AllowMulticast>false</AllowMulticast></General>" : "", peers);
}

bool is_switched_off() {
  const char* said = std::getenv("LIGAMENT_RMW_EDGE");
  return said != nullptr && std::strcmp(said, "off") == 0;
}

/// Beside the library that this one is linked with: PREFIX/lib/libligament.so.
std::string edge_program() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&ligament::pool::monotonic_now_ns), &info) == 0) {
    return {};
  }
  const std::string library = info.dli_fname;
  const auto slash = library.rfind('/');
  return (slash == std::string::npos ? "." : library.substr(0, slash)) + "/ligament/ligament-edge";
}

/// This process's environment without what was meant for its own libraries.
std::vector<std::string> environment(const std::string& engine_config) {
  std::vector<std::string> kept;
  std::string engine = engine_config;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (text.starts_with("CYCLONEDDS_URI=")) {
      engine.append(engine.empty() ? "" : ",").append(text, std::strlen("CYCLONEDDS_URI="));
    } else if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("LD_LIBRARY_PATH=")) {
      kept.push_back(text);
    }
  }
  if (!engine.empty()) {
    kept.push_back("CYCLONEDDS_URI=" + engine);
  }
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

/// In the child of a process with threads: system calls only.
[[noreturn]] void become(char* const* arguments, char* const* variables) {
  ::setsid();
  if (::fork() != 0) {
    ::_exit(0);  // the edge is nobody's child
  }
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) {
    ::dup2(nowhere, stream);
  }
  ::close_range(3, ~0U, 0);
  if (::chdir("/") == 0) {
    ::execve(arguments[0], arguments, variables);
  }
  ::_exit(127);
}

}  // namespace

DomainEdge::DomainEdge(const rmw_init_options_t& options, std::string pool, std::size_t domain_id)
    : pool_(std::move(pool)),
      domain_id_(domain_id),
      engine_config_(engine_config(options.discovery_options)),
      is_wanted_(options.discovery_options.automatic_discovery_range !=
                     RMW_AUTOMATIC_DISCOVERY_RANGE_OFF &&
                 !is_switched_off() && ::access(edge_program().c_str(), X_OK) == 0) {}

void DomainEdge::ensure(const ligament::pool::Domain& domain) {
  const std::int64_t now = ligament::pool::monotonic_now_ns();
  if (!is_wanted_ || (started_ns_ != 0 && now - started_ns_ < pause_ns)) {
    return;
  }
  const auto peers = domain.peers();
  const std::int32_t own = ::getpid();
  const auto older =
      std::count_if(peers.begin(), peers.end(), [own](std::int32_t pid) { return pid < own; });
  if (older < keepers && !ligament::detail::edge_is_there(pool_)) {
    started_ns_ = now;
    start();
  }
}

void DomainEdge::start() const {
  std::vector<std::string> words{
      edge_program(), "--attend", "--graph",     pool_,
      "--run-id",     "ros",      "--domain-id", std::to_string(domain_id_)};
  std::vector<std::string> variables = environment(engine_config_);
  const auto arguments = pointers(words);
  const auto settings = pointers(variables);
  const pid_t child = ::fork();
  if (child == 0) {
    become(arguments.data(), settings.data());
  }
  if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace rmw_ligament_cpp
