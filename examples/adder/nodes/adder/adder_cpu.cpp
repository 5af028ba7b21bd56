// SPDX-License-Identifier: Apache-2.0
// The adder on the processor.
#include <cstdint>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <memory>

namespace example {

class Adder : public ligament::Node {
 public:
  explicit Adder(const ligament::NodeOptions& options) : Node("adder", options) {
    ligament::ParameterDescriptor offset;
    offset.description = "What is added to every sum.";
    offset.integer_range = {-1000, 1000, 1};
    declare_parameter<std::int64_t>("offset", 0, offset);
    service_ = create_service<AddTwoInts>(
        "add", [this](const std::shared_ptr<AddTwoInts::Request>& request,
                      const std::shared_ptr<AddTwoInts::Response>& response) {
          response->sum = request->a + request->b + get_parameter("offset").as_int();
        });
  }

 private:
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;
  std::shared_ptr<ligament::Service<AddTwoInts>> service_;
};

}  // namespace example

LIGAMENT_REGISTER_NODE(example::Adder)
