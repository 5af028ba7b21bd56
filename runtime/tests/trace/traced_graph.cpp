// SPDX-License-Identifier: Apache-2.0
/// \file Test helper: a small real graph on the real runtime, traced by both providers.
///
///   traced_graph LIGAMENT_PROVIDER ROS2_PROVIDER DOMAIN FRAMES NODE...
///
/// /camera (timer, lends images) -> /rectify (busy, answers with text) -> /sink, which also asks
/// /rectify for its parameters. NODE: those that this process runs. It ends when the sink has all
/// frames, else on SIGTERM. An empty path: that provider is not loaded.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ligament/ligament.hpp>
#include <ligament/rcl_interfaces/srv/get_parameters.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <ligament/std_msgs/msg/string.hpp>
#include <string>
#include <vector>

namespace {

namespace trace = ligament::trace;
using ligament::rcl_interfaces::srv::GetParameters;
using ligament::sensor_msgs::msg::Image;
using ligament::sensor_msgs::msg::ImageShape;
using ligament::std_msgs::msg::String;

constexpr auto work = std::chrono::microseconds(300);

void stay_busy() {
  const auto end = std::chrono::steady_clock::now() + work;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// Whoever joins late still gets every frame: processes start in any order.
ligament::QoS kept(int frames) {
  return ligament::QoS(static_cast<std::uint32_t>(frames)).reliable().transient_local();
}

class Camera : public ligament::Node {
 public:
  Camera(const ligament::NodeOptions& options, int frames)
      : Node("camera", options), left_(frames) {
    publisher_ = create_publisher<Image>("image", kept(frames));
    timer_ = create_wall_timer(std::chrono::milliseconds(3), [this] { publish_frame(); });
  }

 private:
  void publish_frame() {
    if (left_ == 0 || publisher_->get_subscription_count() == 0) {
      return;
    }
    if (auto loan = publisher_->borrow_loaned_message({.header = {}, .encoding = 4, .data = 64})) {
      --left_;
      publisher_->publish(std::move(*loan));
    }
  }

  int left_;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
  std::shared_ptr<ligament::TimerBase> timer_;
};

class Rectify : public ligament::Node {
 public:
  Rectify(ligament::NodeOptions options, int frames)
      : Node("rectify", options.start_parameter_services(true)) {
    publisher_ = create_publisher<String>("text", kept(frames));
    subscription_ = create_subscription<Image>(
        "image", kept(frames), [this](ligament::Sample<Image> sample) { on_image(sample); });
  }

 private:
  void on_image(const ligament::Sample<Image>& sample) {
    const auto bytes = sample.view().data().size();
    trace::Span span(*this, "remap", [&](auto& values) { values.tell("bytes", bytes); });
    stay_busy();
    span.finish([&](auto& values) { values.tell("half", static_cast<double>(bytes) / 2); });
    String text;
    text.data = std::to_string(bytes);
    publisher_->publish(text);
  }

  std::shared_ptr<ligament::Publisher<String>> publisher_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
};

class Sink : public ligament::Node {
 public:
  Sink(const ligament::NodeOptions& options, int frames) : Node("sink", options), left_(frames) {
    client_ = create_client<GetParameters>("/rectify/get_parameters");
    if (!client_->wait_for_service(std::chrono::seconds(60))) {
      report_error("nobody serves /rectify/get_parameters");
    }
    subscription_ = create_subscription<String>(
        "text", kept(frames),
        [this](const std::shared_ptr<const String>& text) { on_text(*text); });
  }

 private:
  void on_text(const String& /*text*/) {
    --left_;
    if (!asked_) {
      asked_ = true;
      GetParameters::Request request;
      request.names.emplace_back("use_sim_time");
      client_->async_send_request(request, [this](auto /*answer*/) {
        answered_ = true;
        end_if_done();
      });
    }
    end_if_done();
  }
  void end_if_done() {
    if (left_ <= 0 && answered_) {
      ligament::shutdown();
    }
  }

  int left_;
  bool asked_ = false;
  bool answered_ = false;
  std::shared_ptr<ligament::Client<GetParameters>> client_;
  std::shared_ptr<ligament::SubscriptionBase> subscription_;
};

int fail(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 2;
}

std::shared_ptr<ligament::Node> make(const std::string& name, int frames) {
  const ligament::NodeOptions options;
  if (name == "camera") {
    return std::make_shared<Camera>(options, frames);
  }
  if (name == "rectify") {
    return std::make_shared<Rectify>(options, frames);
  }
  return std::make_shared<Sink>(options, frames);
}

int run(const std::vector<std::string>& words) {
  const int frames = std::atoi(words[3].c_str());
  if (auto joined = ligament::init({.domain = words[2], .run_id = "run-1"}); !joined) {
    return fail(joined.error().text);
  }
  ligament::executors::SingleThreadedExecutor executor;
  std::vector<std::shared_ptr<ligament::Node>> nodes;
  for (std::size_t place = 4; place < words.size(); ++place) {
    nodes.push_back(make(words[place], frames));
    if (auto added = executor.add_node(nodes.back()); !added) {
      return fail(added.error().text);
    }
  }
  for (const auto& node : nodes) {
    if (!node->errors().empty()) {
      return fail(node->errors().front().text);
    }
  }
  const auto ended = executor.spin();
  return ended ? 0 : fail(ended.error().text);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    return fail("usage: traced_graph LIGAMENT_PROVIDER ROS2_PROVIDER DOMAIN FRAMES NODE...");
  }
  if (!words[0].empty()) {
    if (auto loaded = trace::load(words[0], {"run-1", "small", "here", words[4]}); !loaded) {
      return fail(loaded.error().text);
    }
  }
  if (!words[1].empty()) {
    if (auto loaded = trace::load_ros2(words[1]); !loaded) {
      return fail(loaded.error().text);
    }
  }
  return run(words);
}
