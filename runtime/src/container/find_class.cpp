// SPDX-License-Identifier: Apache-2.0
#include "container/find_class.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "node/nearest.hpp"

namespace ligament::container {
namespace {

namespace fs = std::filesystem;

/// The classes of a package, and where their libraries are.
struct PackageClasses {
  fs::path index;
  std::vector<std::pair<std::string, fs::path>> libraries;
};

/// A package's name is one word: it may not lead to another folder.
bool is_package_name(const std::string& name) {
  return !name.empty() && name.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string::npos;
}

PackageClasses read_index(const fs::path& prefix, const fs::path& file) {
  PackageClasses found{file, {}};
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(';');
    if (at != std::string::npos) {
      found.libraries.emplace_back(line.substr(0, at), prefix / line.substr(at + 1));
    }
  }
  return found;
}

std::optional<PackageClasses> find_package(const std::string& package) {
  const char* path = std::getenv("AMENT_PREFIX_PATH");
  std::istringstream prefixes(path == nullptr ? "" : path);
  for (std::string prefix; std::getline(prefixes, prefix, ':');) {
    const fs::path file =
        fs::path(prefix) / "share/ament_index/resource_index" / component_resource / package;
    std::error_code error;
    if (!prefix.empty() && fs::is_regular_file(file, error)) {
      return read_index(prefix, file);
    }
  }
  return std::nullopt;
}

expected<NodeFactory, std::string> open_class(const fs::path& path, const std::string& class_name) {
  const auto library = ComponentLibrary::open(path.string());
  if (!library) {
    return unexpected<std::string>(library.error().text);
  }
  auto factory = library->find(class_name);
  if (!factory) {
    return unexpected<std::string>(factory.error().text);
  }
  return std::move(*factory);
}

expected<NodeFactory, std::string> from_package(const PackageClasses& package,
                                                const std::string& class_name) {
  std::vector<std::string> known;
  for (const auto& [name, library] : package.libraries) {
    if (name == class_name) {
      return open_class(library, class_name);
    }
    known.push_back(name);
  }
  return unexpected<std::string>("'" + package.index.string() + "' lists no class '" + class_name +
                                 "'" + detail::did_you_mean(class_name, known) +
                                 "; listed: " + detail::listing(known));
}

}  // namespace

expected<NodeFactory, std::string> find_class(const std::string& package,
                                              const std::string& class_name) {
  if (!package.empty() && !is_package_name(package)) {
    return unexpected<std::string>("'" + package +
                                   "' is no package name: expected letters, digits, _ and -");
  }
  if (!package.empty()) {
    if (const auto found = find_package(package)) {
      return from_package(*found, class_name);
    }
  }
  std::vector<std::string> known;
  for (const ComponentLibrary& library : ComponentLibrary::opened()) {
    if (auto factory = library.find(class_name)) {
      return std::move(*factory);
    }
    const auto classes = library.classes();
    known.insert(known.end(), classes.begin(), classes.end());
  }
  const std::string nowhere = package.empty()
                                  ? ""
                                  : "no prefix of AMENT_PREFIX_PATH lists the package '" + package +
                                        "' under " + component_resource + ", and ";
  return unexpected<std::string>(nowhere +
                                 "no library that this container has opened registers the "
                                 "class '" +
                                 class_name + "'" + detail::did_you_mean(class_name, known) +
                                 "; registered: " + detail::listing(known));
}

}  // namespace ligament::container
