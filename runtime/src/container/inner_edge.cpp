// SPDX-License-Identifier: Apache-2.0
#include "container/inner_edge.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ligament/logging.hpp>

namespace ligament::container {
namespace {

using std::chrono::milliseconds;

/// Between two looks at its figures.
constexpr milliseconds tell_again{1000};
/// Between two tries to start it: the network may come later than the nodes.
constexpr milliseconds first_pause{1000};
constexpr milliseconds longest_pause{10'000};

std::string linker_text() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "no reason given";
}

}  // namespace

std::string inner_edge_path() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / "libligament-edge.so").string();
}

expected<const InnerEdgeEntry*, std::string> load_inner_edge(const std::string& path) {
  using Failure = unexpected<std::string>;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return Failure("there is no edge at " + path +
                   "; it is built where Cyclone DDS is (Debian: cyclonedds-dev)");
  }
  // It stays loaded until the process ends: threads of its engine may be on their way out.
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    return Failure(path + " could not be loaded: " + linker_text());
  }
  const auto* entry = static_cast<const InnerEdgeEntry*>(::dlsym(object, inner_edge_symbol));
  if (entry == nullptr || entry->request_bytes != sizeof(InnerEdgeRequest)) {
    ::dlclose(object);
    return Failure(path + " is not of this version; install both anew");
  }
  return entry;
}

InnerEdgeKeeper::InnerEdgeKeeper(const InnerEdgeEntry& entry, InnerEdgeRequest request)
    : entry_(entry), request_(std::move(request)), thread_([this] { run(); }) {}

InnerEdgeKeeper::~InnerEdgeKeeper() {
  {
    const std::lock_guard guard(mutex_);
    is_ending_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

/// False: it is time to end.
bool InnerEdgeKeeper::pause(milliseconds time) {
  std::unique_lock lock(mutex_);
  return !ending_.wait_for(lock, time, [this] { return is_ending_; });
}

/// Null: it could not be started, which is told once.
std::unique_ptr<InnerEdge> InnerEdgeKeeper::start() {
  auto edge = entry_.start(request_);
  if (edge) {
    get_logger(inner_edge_origin)
        .write(LogLevel::info, "graph '" + request_.graph + "' is on DDS domain " +
                                   std::to_string(request_.domain_id));
    return std::move(*edge);
  }
  if (told_.insert(edge.error()).second) {
    const std::string text = edge.error() + "; the nodes go on without it, and it is tried again";
    get_logger(inner_edge_origin).write(LogLevel::error, text);
    request_.channel->send_error(inner_edge_origin, text);
  }
  return nullptr;
}

void InnerEdgeKeeper::run() {
  auto edge = start();
  for (milliseconds wait = first_pause; edge == nullptr; wait = std::min(2 * wait, longest_pause)) {
    if (!pause(wait)) {
      return;
    }
    edge = start();
  }
  do {
    edge->tell();
  } while (pause(tell_again));
  edge->tell();
}

}  // namespace ligament::container
