// SPDX-License-Identifier: Apache-2.0
/// \file Nodes in shared libraries: register a class, load a library, make nodes by class name.
///
///   LIGAMENT_REGISTER_NODE(my_nodes::Brightness)      // once per class, at file scope, full name
///
/// As rclcpp_components: the class has a constructor that takes `const ligament::NodeOptions&`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ligament/expected.hpp>
#include <ligament/node.hpp>
#include <memory>
#include <string>
#include <vector>

namespace ligament {

using NodeFactory = std::function<std::shared_ptr<Node>(const NodeOptions&)>;

enum class ComponentErrorCode : std::uint8_t {
  library_missing,
  library_not_loadable,  ///< the dynamic linker's reason is in the text
  class_unknown,         ///< the text has the nearest class and those that the library registers
};
struct ComponentError {
  ComponentErrorCode code = ComponentErrorCode::library_missing;
  std::string text;
};

/// An opened library of node classes. It stays open until the process ends: nodes and their
/// callbacks live in its code. Opened once more after its file was exchanged, the new file is
/// loaded beside the old one, and classes are the new one's from then on; nodes stay what they are.
class ComponentLibrary {
 public:
  [[nodiscard]] static expected<ComponentLibrary, ComponentError> open(const std::string& path);

  /// Those that this process has opened; the program itself, with what is linked into it, first.
  [[nodiscard]] static std::vector<ComponentLibrary> opened();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Names of the registered classes, sorted.
  [[nodiscard]] std::vector<std::string> classes() const;
  [[nodiscard]] expected<NodeFactory, ComponentError> find(const std::string& class_name) const;

 private:
  explicit ComponentLibrary(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// A file beside the library that has this function: what was built with it.
[[nodiscard]] std::filesystem::path beside(const void* function, const std::string& name);

namespace detail {

/// Its constructor runs while the library is being opened.
struct ComponentRegistration {
  ComponentRegistration(const char* class_name, NodeFactory factory);
};

}  // namespace detail
}  // namespace ligament

#define LIGAMENT_DETAIL_JOIN_(a, b) a##b
#define LIGAMENT_DETAIL_JOIN(a, b) LIGAMENT_DETAIL_JOIN_(a, b)
#define LIGAMENT_REGISTER_NODE(NodeClass)                                               \
  static const ::ligament::detail::ComponentRegistration LIGAMENT_DETAIL_JOIN(          \
      ligament_registration_, __COUNTER__)(                                             \
      #NodeClass,                                                                       \
      [](const ::ligament::NodeOptions& options) -> std::shared_ptr<::ligament::Node> { \
        return std::make_shared<NodeClass>(options);                                    \
      });
