// SPDX-License-Identifier: Apache-2.0
// A client: `a + b = sum` per line, in the order of the requests, into NAME.txt of the run's
// outputs.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <map>
#include <memory>
#include <string>

namespace example {

class Asker : public ligament::Node {
 public:
  explicit Asker(const ligament::NodeOptions& options) : Node("asker", options) {
    requests_ = declare_read_only("requests", 8, {1, 1'000'000, 1}, "Requests in all.");
    ahead_ = declare_read_only("ahead", 1, {1, 64, 1},
                               "Requests that wait for their responses at once.");
    const auto limit = declare_read_only("limit_ms", 0, {0, 1'000'000, 1},
                                         "Time after which a request is given up; 0: never.");
    client_ = create_client<AddTwoInts>("add");
    client_->set_request_time_limit(std::chrono::milliseconds(limit));
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] {
      if (asked_ == 0 && client_->service_is_ready()) {
        ask();
      }
    });
  }

 private:
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;
  using Future = ligament::Client<AddTwoInts>::SharedFuture;

  std::int64_t declare_read_only(const std::string& name, std::int64_t value,
                                 const ligament::IntegerRange& range, const std::string& what) {
    ligament::ParameterDescriptor descriptor;
    descriptor.description = what;
    descriptor.read_only = true;
    descriptor.integer_range = range;
    return declare_parameter<std::int64_t>(name, value, descriptor);
  }

  void ask() {
    while (asked_ < requests_ && asked_ < told_ + ahead_) {
      auto request = std::make_shared<AddTwoInts::Request>();
      request->a = asked_;
      request->b = 1000 * asked_ * asked_;
      const std::int64_t place = asked_++;
      client_->async_send_request(request, [this, place, request](const Future& answer) {
        const auto response = answer.get();
        lines_[place] = std::to_string(request->a) + " + " + std::to_string(request->b) + " = " +
                        (response == nullptr ? "nothing" : std::to_string(response->sum));
        ++told_;
        told_ == requests_ ? write() : ask();
      });
    }
  }

  void write() {
    const char* folder = std::getenv("LIGAMENT_OUTPUT_DIR");
    std::ofstream file(std::string(folder == nullptr ? "." : folder) + "/" + get_name() + ".txt");
    for (const auto& [place, line] : lines_) {
      file << line << '\n';
    }
    finish();
  }

  std::int64_t requests_ = 0;
  std::int64_t ahead_ = 0;
  std::int64_t asked_ = 0;
  std::int64_t told_ = 0;
  std::map<std::int64_t, std::string> lines_;
  std::shared_ptr<ligament::Client<AddTwoInts>> client_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace example

LIGAMENT_REGISTER_NODE(example::Asker)
