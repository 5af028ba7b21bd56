// SPDX-License-Identifier: Apache-2.0
// Ends its process as a crash would, whoever works in it, when others say that they are in the
// midst.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Blade : public ligament::Node {
 public:
  explicit Blade(const ligament::NodeOptions& options) : Node("blade", options) {
    const auto file = declare_parameter<std::string>("file", "");
    const auto count = declare_parameter<std::int64_t>("count", 1);
    timer_ = create_wall_timer(std::chrono::milliseconds(5), [file, count] {
      std::int64_t there = 0;
      while (there < count && std::filesystem::exists(file + std::to_string(there))) {
        ++there;
      }
      if (there == count && !std::filesystem::exists(file + "fallen")) {
        std::ofstream(file + "fallen").flush();
        std::raise(SIGKILL);
      }
    });
  }

 private:
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Blade)
