// SPDX-License-Identifier: Apache-2.0
// A client that dies with open requests: some may be in the core, some still in the pool.
#include <csignal>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <memory>

namespace case_nodes {

class Quitter : public ligament::Node {
 public:
  explicit Quitter(const ligament::NodeOptions& options) : Node("quitter", options) {
    client_ = create_client<AddTwoInts>("add");
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (!begun_ && client_->service_is_ready()) {
        begun_ = true;
        ask(true);
      }
    });
  }

 private:
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;

  void ask(bool first) {
    client_->async_send_request(std::make_shared<AddTwoInts::Request>(),
                                [this, first](const ligament::Client<AddTwoInts>::SharedFuture&) {
                                  if (first) {
                                    ask(false);
                                    ask(false);
                                    ask(false);
                                    std::raise(SIGKILL);
                                  }
                                });
  }

  bool begun_ = false;
  std::shared_ptr<ligament::Client<AddTwoInts>> client_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Quitter)
