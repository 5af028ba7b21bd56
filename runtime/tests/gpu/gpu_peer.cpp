// SPDX-License-Identifier: Apache-2.0
/// \file A node whose kernel reads one message again and again until its process is killed.
///
///   gpu_peer DOMAIN FD     FD: memory of watched_bytes that is shared with the test
#include "gpu_peer.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <iostream>
#include <ligament/gpu_node.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int64_multi_array.hpp>

namespace ligament::gpu::test {
namespace {

constexpr const char* watch_text = R"(
__kernel void watch(const volatile __global ulong* message, volatile __global ulong* watched,
                    ulong words) {
  const ulong first = message[0];
  watched[2] = first;
  for (ulong look = 1; look != 0; ++look) {
    for (ulong i = 0; i < words; ++i) {
      if (message[i] != first) ++watched[1];
    }
    watched[0] = look;
  }
}
)";

class Watcher : public KernelNode {
 public:
  using Message = std_msgs::msg::UInt64MultiArray;

  Watcher(const NodeOptions& options, std::span<std::byte> watched)
      : KernelNode(
            "watcher", options,
            {{{"watch.cl", watch_text}},
             {{"watch", {ArgumentKind::input, ArgumentKind::output, ArgumentKind::number}}}}),
        watched_(watched) {
    subscription_ = create_subscription<Message>(
        "words", QoS(1), [this](Sample<Message> sample) { watch(std::move(sample)); },
        input_options());
  }
  ~Watcher() override { drain(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  [[nodiscard]] bool works_in_place() const {
    return program() != nullptr && program()->device().model == Model::zero_copy;
  }

 private:
  struct Watching final : Job {
    Watching(Watcher& node, Sample<Message>&& taken)
        : Job(node, taken.info()), sample(std::move(taken)) {}
    void publish() override {}

    Sample<Message> sample;
  };

  void watch(Sample<Message>&& sample) {
    auto watching = std::make_unique<Watching>(*this, std::move(sample));
    const std::array<Argument, 3> arguments{watching->sample.view().chosen_bytes(), watched_,
                                            std::int64_t{message_words}};
    submit(std::array{Launch{.kernel = 0, .arguments = arguments}}, std::move(watching));
  }

  std::span<std::byte> watched_;
  std::shared_ptr<Subscription<Message>> subscription_;
};

int serve(const char* domain, int fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // its kernel never ends by itself
  void* page = ::mmap(nullptr, watched_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  auto context = Context::create({.domain = domain, .run_id = "run"});
  if (page == MAP_FAILED || !context) {
    return 1;
  }
  NodeOptions options;
  options.context(*context);
  auto node =
      std::make_shared<Watcher>(options, std::span(static_cast<std::byte*>(page), watched_bytes));
  for (const NodeError& error : node->errors()) {
    std::cerr << error.text << '\n';
    return 1;
  }
  if (!node->works_in_place()) {
    return copies_exit_status;
  }
  executors::SingleThreadedExecutor executor({.context = *context, .wait = WaitStrategy::sleep()});
  (void)executor.add_node(node);
  return executor.spin() ? 0 : 1;
}

}  // namespace
}  // namespace ligament::gpu::test

int main(int argc, char** argv) {
  return argc == 3 ? ligament::gpu::test::serve(argv[1], std::atoi(argv[2])) : 2;
}
