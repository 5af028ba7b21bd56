// SPDX-License-Identifier: Apache-2.0
/// \file Real nodes, loaded from their libraries, connected and run in this process.
///
///   GraphRun graph;
///   graph.add("camera", {{"source", folder}, {"frames", 5}});
///   auto sink = graph.add("sink", {{"frames", 5}});
///   graph.run_until_finished(*sink);
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/camera_info.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ligament::nodes::image {

class GraphRun {
 public:
  using Parameters = std::vector<std::pair<std::string, ParameterValue>>;
  using Remaps = std::vector<std::pair<std::string, std::string>>;

  GraphRun() {
    static std::atomic<int> number{0};  // a domain of its own, so that tests run side by side
    const std::string domain =
        "image-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    auto context = Context::create({.domain = domain, .run_id = ""});
    if (!context) {
      problem_ = context.error().text;
      return;
    }
    context_ = *context;
    ExecutorOptions options;
    options.context = context_;
    executor_ = std::make_unique<executors::SingleThreadedExecutor>(options);
  }
  ~GraphRun() {
    executor_.reset();
    nodes_.clear();
  }
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  /// A node of type `image/<kind>` (LIGAMENT_TEST_NODES: of another package). Null, and problem()
  /// says why, where it cannot be made.
  Node* add(const std::string& kind, const Parameters& parameters = {}, const Remaps& remaps = {}) {
    if (context_ == nullptr) return nullptr;
    const auto library = ComponentLibrary::open(library_of(kind));
    if (!library) return fail(library.error().text);
    const auto classes = library->classes();
    if (classes.size() != 1)
      return fail("a library with " + std::to_string(classes.size()) + " classes");
    NodeOptions options;
    options.context(context_);
    for (const auto& [name, value] : parameters) options.append_parameter_override(name, value);
    for (const auto& [from, to] : remaps) options.remap(from, to);
    nodes_.push_back((*library->find(classes.front()))(options));
    if (auto added = executor_->add_node(nodes_.back()); !added) return fail(added.error().text);
    return nodes_.back().get();
  }

  /// Runs until the node is finished or some node has an error; true if it finished.
  bool run_until_finished(const Node& last) {
    while (!last.is_finished() && errors().empty()) {
      if (auto spun = executor_->spin_once(std::chrono::milliseconds(50)); !spun) {
        problem_ = spun.error().text;
        return false;
      }
    }
    return last.is_finished();
  }
  /// Some turns of the executor, for tests in which nothing finishes.
  void turn(int times) {
    for (int i = 0; i < times; ++i) (void)executor_->spin_once(std::chrono::milliseconds(5));
  }

  /// The sentences that nodes reported, and what kept the test itself from running.
  [[nodiscard]] std::string errors() const {
    std::string text = problem_;
    for (const auto& node : nodes_) {
      for (const auto& error : node->errors()) text += error.text + "\n";
    }
    return text;
  }
  [[nodiscard]] const std::shared_ptr<Context>& context() const { return context_; }
  [[nodiscard]] executors::SingleThreadedExecutor& executor() { return *executor_; }

 private:
  static std::string library_of(const std::string& kind) {
    return std::string(LIGAMENT_TEST_LIBRARIES) + "/lib" LIGAMENT_TEST_NODES "_node_" + kind +
           ".so";
  }
  Node* fail(const std::string& text) {
    problem_ = text;
    return nullptr;
  }

  std::string problem_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<executors::SingleThreadedExecutor> executor_;
  std::vector<std::shared_ptr<Node>> nodes_;
};

/// The lines of a file.
inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace ligament::nodes::image
