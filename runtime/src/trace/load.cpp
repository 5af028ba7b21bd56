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

}  // namespace

expected<void, LoadError> load(const std::string& path, const ProcessIdentity& identity) {
  if (enabled()) {
    return failure(LoadErrorCode::already_loaded,
                   "a trace provider is loaded already; two would record each event twice");
  }
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
  const auto entry =
      reinterpret_cast<detail::ProviderEntry>(::dlsym(object, detail::provider_entry_symbol));
  if (entry == nullptr) {
    ::dlclose(object);
    return failure(LoadErrorCode::not_a_provider,
                   path + " is not a trace provider: it lacks " + detail::provider_entry_symbol);
  }
  const detail::Provider& provider = *entry();
  if (provider.hooks_size != sizeof(detail::Hooks) ||
      std::string_view(provider.events_digest) != detail::events_digest) {
    ::dlclose(object);
    return failure(LoadErrorCode::wrong_version,
                   path + " was made from another events.yaml than this runtime; rebuild both");
  }
  // Release: pairs with nothing but thread creation; load() precedes the threads that trace.
  detail::active_hooks.store(provider.hooks, std::memory_order_release);
  process_start(static_cast<std::uint32_t>(::getpid()), identity.run_id.c_str(),
                identity.graph.c_str(), identity.variant.c_str(), identity.container.c_str());
  const ProbeCost cost = measure_probe_cost();
  probe_cost(cost.median_ns, cost.events);
  return {};
}

std::string default_provider_path() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&default_provider_path), &info) == 0 ||
      info.dli_fname == nullptr) {
    return {};
  }
  return (std::filesystem::path(info.dli_fname).parent_path() / "ligament" /
          "libligament-trace-lttng.so")
      .string();
}

}  // namespace ligament::trace
