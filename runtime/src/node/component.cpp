// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <ligament/component.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "node/nearest.hpp"

namespace ligament {
namespace {

using Factories = std::map<std::string, NodeFactory>;

/// Which file a path leads to: a build that makes a library anew makes another file of it.
using FileMark = std::array<std::int64_t, 5>;

std::optional<FileMark> mark_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) {
    return std::nullopt;
  }
  return FileMark{static_cast<std::int64_t>(found.st_dev), static_cast<std::int64_t>(found.st_ino),
                  found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

struct Library {
  Factories factories;  ///< of the newest file that was opened
  FileMark mark{};
  std::size_t times = 0;  ///< that one was opened under this path
};

/// By path. A library that is linked into the program registers under "".
struct Registry {
  std::recursive_mutex mutex;  // opening a library runs its registrations
  std::map<std::string, Library> libraries;
  /// By device and inode: the dynamic linker runs the registrations of a file once, whatever its
  /// path, and also when another file was there in the meantime.
  std::map<std::array<std::int64_t, 2>, Factories> of_files;
  Library* opening = nullptr;
};

Registry& registry() {
  static Registry instance;
  return instance;
}

unexpected<ComponentError> failure(ComponentErrorCode code, std::string text) {
  return unexpected<ComponentError>(ComponentError{code, std::move(text)});
}

/// The dynamic linker takes a path that it has opened for the file that it was then, so each time
/// has a name of its own: `/lib/./node.so`. A copy elsewhere would do it as well, but debuggers
/// would not find it, and $ORIGIN would be another folder.
std::string name_for(const std::string& path, std::size_t times) {
  const std::size_t folder = path.rfind('/') + 1;
  std::string name = path.substr(0, folder);
  for (std::size_t i = 0; i < times; ++i) {
    name += "./";
  }
  return name + path.substr(folder);
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
  Library& library = all.opening != nullptr ? *all.opening : all.libraries[""];
  library.factories[std::string(name)] = std::move(factory);
}

}  // namespace detail

std::filesystem::path beside(const void* function, const std::string& name) {
  Dl_info info{};
  const bool is_known = ::dladdr(function, &info) != 0 && info.dli_fname != nullptr;
  return (is_known ? std::filesystem::path(info.dli_fname).parent_path() : ".") / name;
}

expected<ComponentLibrary, ComponentError> ComponentLibrary::open(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  if (error) {
    return failure(ComponentErrorCode::library_missing,
                   "there is no library '" + path + "' (" + error.message() + ")");
  }
  const std::optional<FileMark> mark = mark_of(real);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto known = all.libraries.find(real);
  if (known != all.libraries.end() && (!mark || known->second.mark == *mark)) {
    return ComponentLibrary(real);
  }
  Library library{.factories = {},
                  .mark = mark.value_or(FileMark{}),
                  .times = known == all.libraries.end() ? 0 : known->second.times + 1};
  all.opening = &library;
  // Global names stay out of each other's way; the library is never closed, see the class.
  const void* handle = ::dlopen(name_for(real, library.times).c_str(), RTLD_NOW | RTLD_LOCAL);
  all.opening = nullptr;
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return failure(ComponentErrorCode::library_not_loadable,
                   "the library '" + path +
                       "' cannot be loaded: " + (reason == nullptr ? "no reason given" : reason));
  }
  if (library.factories.empty()) {  // it was open already
    library.factories = all.of_files[{library.mark[0], library.mark[1]}];
  } else {
    all.of_files[{library.mark[0], library.mark[1]}] = library.factories;
  }
  all.libraries[real] = std::move(library);
  return ComponentLibrary(real);
}

std::vector<ComponentLibrary> ComponentLibrary::opened() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<ComponentLibrary> found;
  for (const auto& [path, library] : all.libraries) {
    found.push_back(ComponentLibrary(path));
  }
  return found;
}

std::vector<std::string> ComponentLibrary::classes() const {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const auto& [name, factory] : all.libraries[path_].factories) {
    names.push_back(name);
  }
  return names;
}

expected<NodeFactory, ComponentError> ComponentLibrary::find(const std::string& class_name) const {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const Factories& factories = all.libraries[path_].factories;
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
