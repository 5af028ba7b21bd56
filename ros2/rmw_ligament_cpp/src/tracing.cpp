// SPDX-License-Identifier: Apache-2.0
#include "tracing.hpp"

#include <rcutils/logging_macros.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <ligament/detail/relayed.hpp>
#include <ligament/names.hpp>
#include <mutex>
#include <vector>

#include "rmw_ligament_cpp/trace.h"

namespace rmw_ligament_cpp::tracing {

namespace {

namespace trace = ligament::trace;

std::atomic<bool> has_better_source{false};
thread_local rmw_ligament_taken_t last_taken{};
thread_local std::uint64_t running_callback = 0;  ///< whose it is; 0: none runs

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void load(const std::string& graph) {
  const std::string provider = variable("LIGAMENT_TRACE_PROVIDER");
  if (provider.empty() || trace::enabled()) {
    return;
  }
  const std::string named = variable("LIGAMENT_GRAPH");
  const std::string container = variable("LIGAMENT_CONTAINER");
  const auto loaded = trace::load(
      provider, {variable("LIGAMENT_RUN_ID"), named.empty() ? graph : named,
                 variable("LIGAMENT_VARIANT"), container.empty() ? program_name() : container});
  if (!loaded) {
    RCUTILS_LOG_WARN_NAMED("rmw_ligament_cpp", "this process is not traced: %s",
                           loaded.error().text.c_str());
  }
}

void tell_topic(const ligament::pool::EndpointDescription& end) {
  trace::topic_init(ligament::name_hash(end.topic), end.topic.c_str(), end.type_name.c_str());
}

}  // namespace

std::string program_name() {
  std::vector<std::string> words;
  std::ifstream line("/proc/self/cmdline");
  for (std::string word; words.size() < 64 && std::getline(line, word, '\0');) {
    words.push_back(word);
  }
  std::string name = words.empty() ? "" : without_folder(words.front());
  for (std::size_t i = 1; name.starts_with("python") && i < words.size(); ++i) {
    if (words[i] == "-m" && i + 1 < words.size()) {
      return words[i + 1];
    }
    if (!words[i].starts_with('-')) {
      return without_folder(words[i]);
    }
  }
  return name.empty() ? "process" : name;
}

void begin(const std::string& graph) {
  static std::once_flag once;
  std::call_once(once, load, graph);
}

void tell_node(const std::string& full_name) {
  trace::node_init(ligament::name_hash(full_name), full_name.c_str());
}

void tell(const ligament::pool::Writer& writer, const ligament::pool::EndpointDescription& end) {
  tell_topic(end);
  trace::publisher_init(writer.id(), ligament::name_hash(end.topic), ligament::name_hash(end.node));
}

void tell(const ligament::pool::Reader& reader, const ligament::pool::EndpointDescription& end) {
  tell_topic(end);
  trace::subscription_init(reader.id(), ligament::name_hash(end.topic),
                           ligament::name_hash(end.node));
}

void tell_taken(const ligament::pool::Reader& reader, const ligament::pool::SampleInfo& info) {
  end_callback();
  last_taken = {reader.id(), info.publisher, info.sequence};
  if (!trace::enabled()) {
    return;
  }
  if (ligament::pool::is_relayed(info)) {
    trace::relayed(last_taken.subscription, info.publisher, info.sequence,
                   info.source_timestamp_ns);
  }
  trace::take(last_taken.subscription, info.publisher, info.sequence);
  if (!has_better_source.load(std::memory_order_relaxed)) {
    running_callback = last_taken.subscription;
    trace::callback_start(running_callback, info.publisher, info.sequence);
  }
}

void end_callback() {
  if (running_callback != 0) {
    trace::callback_end(running_callback);
    running_callback = 0;
  }
}

}  // namespace rmw_ligament_cpp::tracing

extern "C" void rmw_ligament_last_taken(rmw_ligament_taken_t* taken) {
  using namespace rmw_ligament_cpp::tracing;
  has_better_source.store(true, std::memory_order_relaxed);
  if (taken != nullptr) {
    *taken = last_taken;
  }
}
