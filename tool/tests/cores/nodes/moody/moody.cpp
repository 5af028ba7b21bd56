// SPDX-License-Identifier: Apache-2.0
// Answers as it likes: never, too late, twice, at length, a few times until its process is killed.
#include <csignal>
#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/example_interfaces/srv/add_two_ints.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_srvs/srv/set_bool.hpp>
#include <memory>
#include <string>
#include <utility>

namespace case_nodes {

class Moody : public ligament::Node {
 public:
  explicit Moody(const ligament::NodeOptions& options) : Node("moody", options) {
    mood_ = declare_parameter<std::string>("mood", "good");
    if (mood_ != "slow_start") {
      open();
    } else {
      opening_ = create_wall_timer(std::chrono::milliseconds(700), [this] {
        opening_->cancel();
        open();
      });
    }
  }

 private:
  using Add = ligament::example_interfaces::srv::AddTwoInts;
  using Judge = ligament::std_srvs::srv::SetBool;
  using Id = ligament::RequestId;

  void open() {
    add_ = create_service<Add>(
        "add", [this](std::shared_ptr<Id> id, std::shared_ptr<Add::Request> request) {
          Add::Response response;
          response.sum = request->a + request->b;
          answer([this, id, response] { (void)add_->send_response(*id, response); });
        });
    judge_ = create_service<Judge>(
        "judge", [this](std::shared_ptr<Id> id, std::shared_ptr<Judge::Request> request) {
          Judge::Response response;
          response.success = request->data;
          response.message = mood_ == "long" ? std::string(100, 'x') : request->data ? "yes" : "no";
          answer([this, id, response] { (void)judge_->send_response(*id, response); });
        });
    timer_ = create_wall_timer(std::chrono::milliseconds(50), [this] {
      while (!late_.empty() && now().nanoseconds() >= late_.front().first) {
        late_.front().second();
        late_.pop_front();
      }
    });
  }

  /// Half of the requests, from the second one on, are answered wrongly.
  void answer(const std::function<void()>& say) {
    const bool is_bad = asked_++ % 2 == 1;
    if (mood_ == "mortal" && asked_ == 4) {
      std::raise(SIGKILL);
    }
    if (mood_ == "late" && is_bad) {
      late_.emplace_back(now().nanoseconds() + 2'600'000'000, say);
    } else if (mood_ != "mute") {
      say();
    }
    if (mood_ == "twice") {
      say();
    }
  }

  std::string mood_;
  std::int64_t asked_ = 0;
  std::deque<std::pair<std::int64_t, std::function<void()>>> late_;  ///< when
  std::shared_ptr<ligament::Service<Add>> add_;
  std::shared_ptr<ligament::Service<Judge>> judge_;
  std::shared_ptr<ligament::TimerBase> timer_;
  std::shared_ptr<ligament::TimerBase> opening_;
};

}  // namespace case_nodes

LIGAMENT_REGISTER_NODE(case_nodes::Moody)
