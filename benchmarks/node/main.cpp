// SPDX-License-Identifier: Apache-2.0
/// \file ligament-bench-node: what the node layer costs per message, one way: from before publish()
/// (or before the loan) to the first line of the callback.
///
///   ligament-bench-node --processes 2 --wait sleep --form loan --bytes 64 --messages 5000
///
/// The publisher is a thread (or a process) of its own and paced; the subscription is run by an
/// executor. The time of sending travels in the message's header. Prints one JSON object.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <ligament/ligament.hpp>
#include <ligament/sensor_msgs/msg/image.hpp>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace {

using ligament::sensor_msgs::msg::Image;
using Clock = std::chrono::steady_clock;

struct Options {
  int processes = 1;
  std::string wait = "sleep";
  std::string form = "loan";
  std::size_t bytes = 64;
  std::size_t messages = 5000;
  std::size_t warm_up = 500;
  std::int64_t pacing_us = 200;
  std::string domain = "bench_" + std::to_string(::getpid());

  [[nodiscard]] std::size_t total() const { return warm_up + messages; }
};

std::shared_ptr<ligament::Context> join(const Options& options) {
  auto context = ligament::Context::create({.domain = options.domain, .run_id = "bench"});
  if (!context) {
    std::cerr << context.error().text << "\n";
    std::exit(1);
  }
  return *context;
}

std::int64_t now_ns() { return ligament::pool::monotonic_now_ns(); }

// Header stamps are (s, ns).
std::int32_t seconds(std::int64_t ns) { return static_cast<std::int32_t>(ns / 1'000'000'000); }
std::uint32_t rest(std::int64_t ns) { return static_cast<std::uint32_t>(ns % 1'000'000'000); }

class Source : public ligament::Node {
 public:
  Source(const ligament::NodeOptions& node, const Options& options)
      : Node("source", node), options_(options) {
    publisher_ = create_publisher<Image>("image", 16);
    message_.data.resize(options.bytes);
  }
  /// Sends all messages on a grid of time; with `after_each`, one after the other instead.
  void send_all(const std::function<void()>& after_each = nullptr) {
    while (publisher_->get_subscription_count() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    auto next = Clock::now();
    for (std::size_t i = 0; i < options_.total(); ++i) {
      if (after_each == nullptr) {
        std::this_thread::sleep_until(next);
      }
      next += std::chrono::microseconds(options_.pacing_us);
      options_.form == "struct" ? send_struct() : send_loan();
      if (after_each != nullptr) {
        after_each();
      }
    }
  }

 private:
  void send_struct() {
    const auto now = now_ns();
    message_.header.stamp.sec = seconds(now);
    message_.header.stamp.nanosec = rest(now);
    publisher_->publish(message_);
  }
  void send_loan() {
    const auto now = now_ns();
    ligament::Publisher<Image>::Shape shape;
    shape.data = options_.bytes;
    auto loan = publisher_->borrow_loaned_message(shape);
    if (!loan) return;
    loan->get().header().stamp().set_sec(seconds(now));
    loan->get().header().stamp().set_nanosec(rest(now));
    publisher_->publish(std::move(*loan));
  }
  const Options& options_;
  Image message_;
  std::shared_ptr<ligament::Publisher<Image>> publisher_;
};

class Sink : public ligament::Node {
 public:
  Sink(const ligament::NodeOptions& node, const Options& options, std::function<void()> done)
      : Node("sink", node), options_(options), done_(std::move(done)) {
    latencies_ns_.reserve(options.total());
    using ligament::MessageInfo;
    if (options.form == "struct") {
      subscription_ = create_subscription<Image>(
          "image", 16, [this](const Image& image, const MessageInfo& info) {
            note(image.header.stamp.sec, image.header.stamp.nanosec, info);
          });
    } else {
      subscription_ = create_subscription<Image>(
          "image", 16, [this](ligament::Sample<Image> sample, const MessageInfo& info) {
            note(sample->header().stamp().sec(), sample->header().stamp().nanosec(), info);
          });
    }
  }
  [[nodiscard]] const std::vector<std::int64_t>& result() const { return latencies_ns_; }
  [[nodiscard]] std::uint64_t lost() const { return subscription_->statistics().lost; }

 private:
  /// A sample may be lost on a busy machine, the last one never is.
  void note(std::int32_t sec, std::uint32_t nanosec, const ligament::MessageInfo& info) {
    const std::int64_t now = now_ns();
    const std::uint64_t sequence = info.publication_sequence_number();
    if (sequence > options_.warm_up) {
      latencies_ns_.push_back(now - (sec * 1'000'000'000LL + nanosec));
    }
    if (sequence == options_.total()) {
      done_();
    }
  }

  const Options& options_;
  std::function<void()> done_;
  std::vector<std::int64_t> latencies_ns_;
  std::shared_ptr<ligament::Subscription<Image>> subscription_;
};

ligament::WaitStrategy strategy(const std::string& wait) {
  if (wait == "poll") return ligament::WaitStrategy::poll();
  return wait == "spin" ? ligament::WaitStrategy::spin_then_sleep(50'000)
                        : ligament::WaitStrategy::sleep();
}

nlohmann::json summary(const Options& options, std::vector<std::int64_t> ns, std::uint64_t lost) {
  std::sort(ns.begin(), ns.end());
  const auto rank = [&](double share) {
    return ns[static_cast<std::size_t>(share * static_cast<double>(ns.size() - 1))];
  };
  double sum = 0;
  for (const auto value : ns) sum += static_cast<double>(value);
  const double mean = sum / static_cast<double>(ns.size());
  double squares = 0;
  for (const auto value : ns) squares += std::pow(static_cast<double>(value) - mean, 2);
  return {{"processes", options.processes},
          {"wait", options.wait},
          {"form", options.form},
          {"bytes", options.bytes},
          {"pacing_us", options.pacing_us},
          {"n", ns.size()},
          {"lost", lost},
          {"p50_ns", rank(0.5)},
          {"p99_ns", rank(0.99)},
          {"mean_ns", mean},
          {"sd_ns", std::sqrt(squares / static_cast<double>(ns.size()))}};
}

int take_all(const Options& options, const std::function<void()>& beside) {
  auto context = join(options);
  auto sink = std::make_shared<Sink>(ligament::NodeOptions().context(context), options,
                                     [context] { context->shutdown(); });
  ligament::executors::SingleThreadedExecutor executor(
      {.context = context, .wait = strategy(options.wait)});
  (void)executor.add_node(sink);
  std::thread other(beside);
  (void)executor.spin();
  other.join();
  std::cout << summary(options, sink->result(), sink->lost()).dump() << "\n";
  return 0;
}

/// Without another thread: what loan, publish, take and callback cost together, caches warm.
int same_thread(const Options& options) {
  auto context = join(options);
  auto sink = std::make_shared<Sink>(ligament::NodeOptions().context(context), options, [] {});
  ligament::executors::SingleThreadedExecutor executor({.context = context});
  (void)executor.add_node(sink);
  Source source(ligament::NodeOptions().context(context), options);
  source.send_all([&executor] { (void)executor.spin_once(std::chrono::nanoseconds(0)); });
  std::cout << summary(options, sink->result(), sink->lost()).dump() << "\n";
  return 0;
}

void send_all(const Options& options) {
  Source(ligament::NodeOptions().context(join(options)), options).send_all();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"One-way latency of the node layer"};
  Options options;
  app.add_option("--processes", options.processes, "0: publisher and executor share a thread")
      ->check(CLI::Range(0, 2));
  app.add_option("--wait", options.wait)->check(CLI::IsMember({"sleep", "poll", "spin"}));
  app.add_option("--form", options.form)->check(CLI::IsMember({"loan", "struct"}));
  app.add_option("--bytes", options.bytes);
  app.add_option("--messages", options.messages)->check(CLI::PositiveNumber);
  app.add_option("--pacing-us", options.pacing_us);
  CLI11_PARSE(app, argc, argv);
  if (options.processes == 0) {
    return same_thread(options);
  }
  if (options.processes == 1) {
    return take_all(options, [&options] { send_all(options); });
  }
  const pid_t child = ::fork();  // before any thread
  if (child == 0) {
    send_all(options);
    // The samples' memory outlives its writer, but the sink should not see it vanish in mid-run.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ::_exit(0);
  }
  const int status = take_all(options, [] {});
  ::waitpid(child, nullptr, 0);
  return status;
}
