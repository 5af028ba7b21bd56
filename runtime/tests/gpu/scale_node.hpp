// SPDX-License-Identifier: Apache-2.0
/// \file A node with a kernel, as generated ones are, written by hand.
#pragma once

#include <ligament/gpu_node.hpp>
#include <ligament/ligament.hpp>
#include <ligament/std_msgs/msg/u_int64_multi_array.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ligament::gpu::test {

using Message = std_msgs::msg::UInt64MultiArray;

inline constexpr const char* scale_text = R"(
__kernel void scale(const __global ulong* in, __global ulong* out, ulong factor) {
  out[get_global_id(0)] = in[get_global_id(0)] * factor;
}
)";
inline constexpr std::size_t words = 100'000;

/// Of the nodes of a chain over /raw, /between and /done whose middle is a queue between processes.
inline NodeOptions crossing_options(const std::shared_ptr<Context>& context, const char* in,
                                    const char* out) {
  NodeOptions options;
  options.context(context).remap("in", in).remap("out", out).device_model("standard_copy");
  for (const char* topic : {"/raw", "/between", "/done"}) {
    TopicOptions said;
    said.bound_bytes = std::size_t{1} << 20;
    said.device = true;
    said.queue = said.queue_crosses = topic == std::string("/between");
    options.topic(topic, said);
  }
  return options;
}

/// Numbers, times a factor.
class Scale : public KernelNode {
 public:
  Scale(const std::string& name, const NodeOptions& options, std::int64_t factor)
      : KernelNode(
            name, options,
            {{{"scale.cl", scale_text}},
             {{"scale", {ArgumentKind::input, ArgumentKind::output, ArgumentKind::number}}}}),
        factor_(factor) {
    publisher_ = create_publisher<Message>("out", QoS(5), output_options());
    subscription_ = create_subscription<Message>(
        "in", input_qos(), [this](Sample<Message> sample) { handle(std::move(sample)); },
        input_options());
  }
  ~Scale() override { drain(); }
  Scale(const Scale&) = delete;
  Scale& operator=(const Scale&) = delete;

  [[nodiscard]] Statistics statistics() const { return program()->statistics(); }
  [[nodiscard]] std::uint64_t refused() const { return figures().refused; }
  [[nodiscard]] bool is_fed() const { return subscription_->get_publisher_count() == 1; }
  [[nodiscard]] bool is_matched() const { return publisher_->get_subscription_count() == 1; }
  [[nodiscard]] Model model() const { return program()->device().model; }

 private:
  struct Work final : Job {
    Work(Scale& owner, Sample<Message>&& taken)
        : Job(owner, taken.info()), node(owner), sample(std::move(taken)) {}
    void publish() override {
      if (loan) {
        node.publisher_->publish(std::move(*loan));
      }
    }
    Scale& node;
    Sample<Message> sample;
    std::optional<LoanedMessage<Message>> loan;
  };

  void handle(Sample<Message>&& sample) {
    wait_for_room();
    auto work = std::make_unique<Work>(*this, std::move(sample));
    const auto& in = work->sample.view();
    if (!arrives(*subscription_, work->sample)) {
      return refuse("the payload of a queue topic is not on the device");
    }
    MessageTraits<Message>::Shape shape;
    shape.data = words;
    auto loan = publisher_->borrow_loaned_message(shape);
    if (!loan) {
      return;  // counted and reported by the publisher
    }
    std::optional<LoanedMessage<Message>> queued;
    auto& place = is_queue(publisher_->get_topic_name()) ? queued : work->loan;
    place.emplace(std::move(*loan));
    const auto payload = std::as_writable_bytes(place->get().data().span().value());
    leaves(publisher_->get_topic_name(), payload);
    const std::array<Argument, 3> arguments{in.chosen_bytes(), std::span<std::byte>(payload),
                                            factor_};
    submit(std::array{Launch{.kernel = 0,
                             .global = {static_cast<std::int64_t>(words), 1, 1},
                             .arguments = arguments}},
           std::move(work));
    if (queued) {
      send(*publisher_, std::move(*queued), payload);
    }
  }

  std::int64_t factor_;
  std::shared_ptr<Publisher<Message>> publisher_;
  std::shared_ptr<Subscription<Message>> subscription_;
};

}  // namespace ligament::gpu::test
