// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <ligament/trace.hpp>

#include "trace/provider_entry.hpp"

namespace ligament::trace {

namespace {

unexpected<LoadError> failure(LoadErrorCode code, std::string text) {
  return unexpected<LoadError>(LoadError{code, std::move(text)});
}

std::string linker_text() {
  const char* text = ::dlerror();
  return text != nullptr ? text : "no reason given";
}

/// Opens the object and asks its entry point; nothing becomes active yet.
template <typename Provider>
expected<const Provider*, LoadError> open_provider(const std::string& path, const char* symbol,
                                                   const Provider& expected_provider) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return failure(LoadErrorCode::not_found,
                   "there is no trace provider at " + path +
                       "; it is built where liblttng-ust-dev is installed (Debian: apt-get "
                       "install liblttng-ust-dev lttng-tools), then rebuild the runtime");
  }
  // The object stays loaded until the process ends: hooks may be running on any thread.
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    return failure(LoadErrorCode::not_loadable, path + " could not be loaded: " + linker_text());
  }
  const auto entry = reinterpret_cast<const Provider* (*)()>(::dlsym(object, symbol));
  if (entry == nullptr) {
    ::dlclose(object);
    return failure(LoadErrorCode::not_a_provider,
                   path + " is not a trace provider: it lacks " + symbol);
  }
  const Provider* provider = entry();
  if (provider->hooks_size != expected_provider.hooks_size ||
      std::string_view(provider->events_digest) != expected_provider.events_digest) {
    ::dlclose(object);
    return failure(LoadErrorCode::wrong_version,
                   path + " was made from another events.yaml than this runtime; rebuild both");
  }
  return provider;
}

std::string beside_the_library(const char* name) {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&default_provider_path), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  return (std::filesystem::path(info.dli_fname).parent_path() / "ligament" / name).string();
}

/// ROS 2's own tracepoints, wherever they were loaded from.
bool has_tracetools() {
  void* object = ::dlopen("libtracetools.so", RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) {
    return false;
  }
  ::dlclose(object);
  return true;
}

}  // namespace

expected<void, LoadError> load(const std::string& path, const ProcessIdentity& identity) {
  if (enabled()) {
    return failure(LoadErrorCode::already_loaded,
                   "a trace provider is loaded already; two would record each event twice");
  }
  const detail::Provider ours{sizeof(detail::Hooks), detail::events_digest.data(), nullptr};
  const auto provider = open_provider(path, detail::provider_entry_symbol, ours);
  if (!provider) {
    return unexpected<LoadError>(provider.error());
  }
  // Release: pairs with nothing but thread creation; load() precedes the threads that trace.
  detail::active_hooks.store((*provider)->hooks, std::memory_order_release);
  process_start(static_cast<std::uint32_t>(::getpid()), identity.run_id.c_str(),
                identity.graph.c_str(), identity.variant.c_str(), identity.container.c_str());
  const ProbeCost cost = measure_probe_cost();
  probe_cost(cost.median_ns, cost.events);
  return {};
}

expected<void, LoadError> load_ros2(const std::string& path) {
  if (ros2::enabled() || has_tracetools()) {
    return failure(LoadErrorCode::already_loaded,
                   ros2::enabled() ? "the trace provider `ros2` is loaded already"
                                   : "ROS 2's own libtracetools.so is in this process: with a "
                                     "second provider `ros2` each event would be recorded twice");
  }
  const ros2::detail::Provider ours{sizeof(ros2::detail::Hooks), ros2::detail::events_digest.data(),
                                    nullptr};
  const auto provider = open_provider(path, ros2::detail::provider_entry_symbol, ours);
  if (!provider) {
    return unexpected<LoadError>(provider.error());
  }
  // Release: as in load().
  ros2::detail::active_hooks.store((*provider)->hooks, std::memory_order_release);
  return {};
}

std::string default_provider_path() { return beside_the_library("libligament-trace-lttng.so"); }

std::string default_ros2_provider_path() { return beside_the_library("libligament-trace-ros2.so"); }

}  // namespace ligament::trace
