// SPDX-License-Identifier: Apache-2.0
/// \file Nodes for the tests of the container: a talker, a listener, and some that misbehave.
#include <sys/prctl.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace test_nodes {

using ligament::QoS;
using ligament::sensor_msgs::msg::Image;
using ligament::std_msgs::msg::String;

/// Sends `count` strings and images, numbered, and is then done.
class Talker : public ligament::Node {
 public:
  explicit Talker(const ligament::NodeOptions& options) : Node("talker", options) {
    count_ = declare_parameter<std::int64_t>("count", 10);
    ligament::ParameterDescriptor descriptor;
    descriptor.integer_range = {{1, 4096, 0}};
    width_ = declare_parameter<std::int64_t>("width", 64, descriptor);
    text_ = create_publisher<String>("text", QoS(100).transient_local());
    image_ = create_publisher<Image>("image", QoS(100).transient_local());
    timer_ = create_wall_timer(std::chrono::milliseconds(2), [this] { send(); });
  }

 private:
  void send() {
    if (text_->get_subscription_count() == 0 || image_->get_subscription_count() == 0) {
      return;
    }
    String text;
    text.data = "message " + std::to_string(sent_);
    text_->publish(text);
    ligament::Publisher<Image>::Shape shape;
    shape.encoding = 5;
    shape.data = static_cast<std::size_t>(width_);
    auto loan = image_->borrow_loaned_message(shape);
    if (loan) {
      loan->get().set_height(1);
      loan->get().set_width(static_cast<std::uint32_t>(width_));
      loan->get().set_encoding("mono8");
      auto pixels = loan->get().data();
      std::fill(pixels.begin(), pixels.end(), static_cast<std::uint8_t>(sent_));
      image_->publish(std::move(*loan));
    }
    if (++sent_ == count_) {
      timer_->cancel();
      finish();
    }
  }

  std::int64_t count_ = 0;
  std::int64_t width_ = 0;
  std::int64_t sent_ = 0;
  std::shared_ptr<ligament::Publisher<String>> text_;
  std::shared_ptr<ligament::Publisher<Image>> image_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

/// Writes what it gets to the file `out`; done after `count` of each.
class Listener : public ligament::Node {
 public:
  explicit Listener(const ligament::NodeOptions& options) : Node("listener", options) {
    count_ = declare_parameter<std::int64_t>("count", 10);
    out_.open(declare_parameter<std::string>("out", "/dev/null"));
    text_ =
        create_subscription<String>("text", QoS(100).transient_local(), [this](const String& text) {
          out_ << text.data << std::endl;
          ++texts_;
          finish_if_done();
        });
    image_ = create_subscription<Image>(
        "image", QoS(100).transient_local(), [this](ligament::Sample<Image> sample) {
          const auto& image = sample.view();
          bool same = image.data().size() == image.width();
          for (const auto pixel : image.data()) {
            same = same && pixel == static_cast<std::uint8_t>(images_);
          }
          out_ << "image " << images_ << (same ? " ok" : " BROKEN") << std::endl;
          ++images_;
          finish_if_done();
        });
  }

 private:
  void finish_if_done() {
    if (texts_ >= count_ && images_ >= count_) {
      finish();
    }
  }
  std::int64_t count_ = 0;
  std::int64_t texts_ = 0;
  std::int64_t images_ = 0;
  std::ofstream out_;
  std::shared_ptr<ligament::Subscription<String>> text_;
  std::shared_ptr<ligament::Subscription<Image>> image_;
};

/// Sends `count` strings as fast as it may, once somebody listens, and is then done.
class Flood : public ligament::Node {
 public:
  explicit Flood(const ligament::NodeOptions& options) : Node("flood", options) {
    count_ = declare_parameter<std::int64_t>("count", 10);
    text_ = create_publisher<String>("text", QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(1), [this] { send_all(); });
  }

 private:
  void send_all() {
    if (text_->get_subscription_count() == 0) {
      return;
    }
    timer_->cancel();
    for (std::int64_t i = 0; i < count_; ++i) {
      String text;
      text.data = std::to_string(i);
      text_->publish(text);
    }
    finish();
  }
  std::int64_t count_ = 0;
  std::shared_ptr<ligament::Publisher<String>> text_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

/// Needs `work_ms` for each string; done after `count` of them. Reports any out of order.
class Slow : public ligament::Node {
 public:
  explicit Slow(const ligament::NodeOptions& options) : Node("slow", options) {
    count_ = declare_parameter<std::int64_t>("count", 10);
    const std::chrono::milliseconds work(declare_parameter<std::int64_t>("work_ms", 1));
    text_ = create_subscription<String>("text", QoS(10), [this, work](const String& text) {
      if (text.data != std::to_string(taken_)) {
        report_error("expected " + std::to_string(taken_) + ", got " + text.data);
      }
      std::this_thread::sleep_for(work);
      if (++taken_ == count_) {
        finish();
      }
    });
  }

 private:
  std::int64_t count_ = 0;
  std::int64_t taken_ = 0;
  std::shared_ptr<ligament::Subscription<String>> text_;
};

/// Publishes each string with its own count of them and a mark. The count is its state, which it
/// hands over if it `keeps` it.
class Relay : public ligament::Node {
 public:
  explicit Relay(const ligament::NodeOptions& options) : Node("relay", options) {
    declare_parameter<std::string>("mark", "a");
    keeps_ = declare_parameter<bool>("keeps", true);
    out_ = create_publisher<String>("relayed", QoS(16).keep_all());
    in_ = create_subscription<String>("text", QoS(16).keep_all(),
                                      [this](const String& text) { relay(text); });
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> save_state() override {
    if (!keeps_) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(sizeof count_);
    std::memcpy(bytes.data(), &count_, sizeof count_);
    return bytes;
  }
  [[nodiscard]] bool restore_state(std::span<const std::byte> bytes) override {
    if (bytes.size() != sizeof count_) {
      return false;
    }
    std::memcpy(&count_, bytes.data(), sizeof count_);
    return true;
  }

 private:
  void relay(const String& text) {
    std::string mark;
    get_parameter("mark", mark);
    String out;
    out.data = text.data + " " + std::to_string(count_++) + " " + mark;
    out_->publish(out);
  }
  bool keeps_ = true;
  std::int64_t count_ = 0;
  std::shared_ptr<ligament::Publisher<String>> out_;
  std::shared_ptr<ligament::Subscription<String>> in_;
};

/// Has a publisher whose history late subscriptions get.
class Latched : public ligament::Node {
 public:
  explicit Latched(const ligament::NodeOptions& options) : Node("relay", options) {
    out_ = create_publisher<String>("relayed", QoS(1).transient_local());
  }

 private:
  std::shared_ptr<ligament::Publisher<String>> out_;
};

/// Does what the parameter `how` says, at once (`when: start`) or in a callback (`when: run`).
class Misbehaving : public ligament::Node {
 public:
  explicit Misbehaving(const ligament::NodeOptions& options) : Node("misbehaving", options) {
    how_ = declare_parameter<std::string>("how", "throw");
    if (declare_parameter<std::string>("when", "run") == "start") {
      act();
    }
    timer_ = create_wall_timer(std::chrono::milliseconds(1), [this] { act(); });
  }

 private:
  void act() {
    if (how_ == "throw") {
      throw std::runtime_error("the lens fell off");
    }
    if (how_ == "exit") {
      std::_Exit(7);
    }
    if (how_ == "tell_death_signal") {
      int number = 0;
      ::prctl(PR_GET_PDEATHSIG, &number);
      std::_Exit(number);
    }
    if (how_ == "abort") {
      std::abort();
    }
    while (how_ == "hang") {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::string how_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

/// Two timers of groups of their own, each of which waits until the other runs too; done then.
class Meeting : public ligament::Node {
 public:
  explicit Meeting(const ligament::NodeOptions& options) : Node("meeting", options) {
    for (auto& timer : timers_) {
      timer = create_wall_timer(
          std::chrono::milliseconds(1), [this] { meet(); },
          create_callback_group(ligament::CallbackGroupType::mutually_exclusive));
    }
  }

 private:
  void meet() {
    ++inside_;
    while (inside_ < 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    finish();
  }
  std::atomic<int> inside_{0};
  std::array<std::shared_ptr<ligament::TimerBase>, 2> timers_;
};

/// A lifecycle node: sends numbers while it is active; the transition `fails` does not succeed.
class Managed : public ligament::LifecycleNode {
 public:
  using Return = ligament::CallbackReturn;
  using State = ligament::LifecycleState;
  explicit Managed(const ligament::NodeOptions& options) : LifecycleNode("managed", options) {
    fails_ = declare_parameter<std::string>("fails", "");
  }
  Return on_configure(const State& /*previous*/) override {
    publisher_ = create_publisher<String>("text", QoS(10));
    timer_ = create_wall_timer(std::chrono::milliseconds(20), [this] { send(); });
    return answer("configure");
  }
  Return on_activate(const State& previous) override {
    (void)LifecycleNode::on_activate(previous);
    return answer("activate");
  }
  Return on_cleanup(const State& /*previous*/) override {
    timer_.reset();
    publisher_.reset();
    return answer("cleanup");
  }

 private:
  [[nodiscard]] Return answer(const std::string& what) const {
    return fails_ == what ? Return::failure : Return::success;
  }
  void send() {
    String text;
    text.data = "from " + get_name() + " " + std::to_string(sent_++);
    publisher_->publish(text);
  }
  std::string fails_;
  std::int64_t sent_ = 0;
  std::shared_ptr<ligament::LifecyclePublisher<String>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

/// Makes endpoints that break rules.
class BadEndpoints : public ligament::Node {
 public:
  explicit BadEndpoints(const ligament::NodeOptions& options) : Node("bad", options) {
    publisher_ = create_publisher<String>("not a name", 1);
    other_ = create_publisher<String>("image", 1);
  }

 private:
  std::shared_ptr<ligament::Publisher<String>> publisher_;
  std::shared_ptr<ligament::Publisher<String>> other_;
};

/// Does not hand its options on.
class Stubborn : public ligament::Node {
 public:
  explicit Stubborn(const ligament::NodeOptions& options)
      : Node("stubborn", ligament::NodeOptions().context(options.context())) {}
};

}  // namespace test_nodes

LIGAMENT_REGISTER_NODE(test_nodes::Talker)
LIGAMENT_REGISTER_NODE(test_nodes::Listener)
LIGAMENT_REGISTER_NODE(test_nodes::Flood)
LIGAMENT_REGISTER_NODE(test_nodes::Slow)
LIGAMENT_REGISTER_NODE(test_nodes::Relay)
LIGAMENT_REGISTER_NODE(test_nodes::Latched)
LIGAMENT_REGISTER_NODE(test_nodes::Misbehaving)
LIGAMENT_REGISTER_NODE(test_nodes::Managed)
LIGAMENT_REGISTER_NODE(test_nodes::Meeting)
LIGAMENT_REGISTER_NODE(test_nodes::BadEndpoints)
LIGAMENT_REGISTER_NODE(test_nodes::Stubborn)
