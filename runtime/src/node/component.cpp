// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <filesystem>
#include <ligament/component.hpp>
#include <map>
#include <mutex>
#include <utility>

#include "node/nearest.hpp"

namespace ligament {
namespace {

using Factories = std::map<std::string, NodeFactory>;

/// Classes by library. A library that is linked into the program registers under "".
struct Registry {
  std::recursive_mutex mutex;  // opening a library runs its registrations
  std::map<std::string, Factories> libraries;
  std::string opening;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

unexpected<ComponentError> failure(ComponentErrorCode code, std::string text) {
  return unexpected<ComponentError>(ComponentError{code, std::move(text)});
}

}  // namespace

namespace detail {

ComponentRegistration::ComponentRegistration(const char* class_name, NodeFactory factory) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string_view name(class_name);
  while (name.starts_with("::")) {
    name.remove_prefix(2);
  }
  all.libraries[all.opening][std::string(name)] = std::move(factory);
}

}  // namespace detail

expected<ComponentLibrary, ComponentError> ComponentLibrary::open(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  if (error) {
    return failure(ComponentErrorCode::library_missing,
                   "there is no library '" + path + "' (" + error.message() + ")");
  }
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!all.libraries.contains(real)) {
    all.opening = real;
    // Global names stay out of each other's way; the library is never closed, see the class.
    const void* handle = ::dlopen(real.c_str(), RTLD_NOW | RTLD_LOCAL);
    all.opening.clear();
    if (handle == nullptr) {
      const char* reason = ::dlerror();
      all.libraries.erase(real);
      return failure(ComponentErrorCode::library_not_loadable,
                     "the library '" + path +
                         "' cannot be loaded: " + (reason == nullptr ? "no reason given" : reason));
    }
    all.libraries[real];
  }
  return ComponentLibrary(real);
}

std::vector<ComponentLibrary> ComponentLibrary::opened() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<ComponentLibrary> found;
  for (const auto& [path, factories] : all.libraries) {
    found.push_back(ComponentLibrary(path));
  }
  return found;
}

std::vector<std::string> ComponentLibrary::classes() const {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, factory] : all.libraries[path_]) {
    names.push_back(name);
  }
  return names;
}

expected<NodeFactory, ComponentError> ComponentLibrary::find(const std::string& class_name) const {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const Factories& factories = all.libraries[path_];
  const auto found = factories.find(class_name);
  if (found == factories.end()) {
    const auto known = classes();
    return failure(ComponentErrorCode::class_unknown,
                   "the library '" + path_ + "' registers no class '" + class_name + "'" +
                       detail::did_you_mean(class_name, known) +
                       "; registered: " + detail::listing(known));
  }
  return found->second;
}

}  // namespace ligament
