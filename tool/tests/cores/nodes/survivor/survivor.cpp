// SPDX-License-Identifier: Apache-2.0
// A client whose server dies: `RIGHT WRONG UNANSWERED` into NAME.txt of the run's outputs.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <memory>
#include <string>

namespace case_nodes {

class Survivor : public ligament::Node {
 public:
  explicit Survivor(const ligament::NodeOptions& options) : Node("survivor", options) {
    file_ = declare_parameter<std::string>("file", "");
    number_ = declare_parameter<std::int64_t>("number", 0);
    returns_ = declare_parameter<bool>("returns", false);
    client_ = create_client<AddTwoInts>("add");
    client_->set_request_time_limit(std::chrono::seconds(1));
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] { look(); });
  }

 private:
  using AddTwoInts = ligament::example_interfaces::srv::AddTwoInts;
  using Future = ligament::Client<AddTwoInts>::SharedFuture;

  void look() {
    begun_ = begun_ || client_->service_is_ready();
    gone_ = gone_ || std::filesystem::exists(file_ + "fallen");
    if (begun_) {
      ask();
    }
    if (gone_ && open_ == 0) {
      write();
    }
  }

  [[nodiscard]] bool wants_more() const {
    return !gone_ || (returns_ ? since_ < answers_ : asked_since_ < 4);
  }

  void ask() {
    while (open_ < 4 && wants_more()) {
      auto request = std::make_shared<AddTwoInts::Request>();
      request->a = asked_++;
      request->b = 1000 * request->a;
      ++open_;
      asked_since_ += static_cast<std::int64_t>(gone_);
      client_->async_send_request(request, [this, request, later = gone_](const Future& answer) {
        --open_;
        const auto response = answer.get();
        const bool right = response != nullptr && response->sum == 1001 * request->a;
        since_ += static_cast<std::int64_t>(right && later);
        right_ += static_cast<std::int64_t>(right);
        wrong_ += static_cast<std::int64_t>(response != nullptr && !right);
        unanswered_ += static_cast<std::int64_t>(response == nullptr);
        if (right_ == answers_) {
          std::ofstream(file_ + std::to_string(number_)).flush();
        }
        look();
      });
    }
  }

  void write() {
    const char* folder = std::getenv("LIGAMENT_OUTPUT_DIR");
    std::ofstream file(std::string(folder == nullptr ? "." : folder) + "/" + get_name() + ".txt");
    file << right_ << ' ' << wrong_ << ' ' << unanswered_ << '\n';
    timer_->cancel();
    finish();
  }

  std::string file_;
  static constexpr std::int64_t answers_ = 20;
  std::int64_t number_ = 0;
  bool returns_ = false;
  bool begun_ = false;
  bool gone_ = false;
  std::int64_t asked_ = 0;
  std::int64_t open_ = 0;
  std::int64_t asked_since_ = 0;  ///< since it has died
  std::int64_t since_ = 0;        ///< right answers to these
  std::int64_t right_ = 0;
  std::int64_t wrong_ = 0;
  std::int64_t unanswered_ = 0;
  std::shared_ptr<ligament::Client<AddTwoInts>> client_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Survivor)
