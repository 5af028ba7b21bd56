// SPDX-License-Identifier: Apache-2.0
/// \file What generated nodes with kernels have in common: the program, messages in flight, and
/// telling once.
///
///   void handle(Sample<Image>&& image) {
///     wait_for_room();
///     auto work = std::make_unique<Work>(*this, image.info());  // a Job that keeps image and loan
///     submit(launches, std::move(work));                        // returns; the job publishes
///   }
///   ~Invert() override { drain(); }                 // before the publishers go
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ligament/detail/residents.hpp>
#include <ligament/gpu.hpp>
#include <ligament/gpu_expression.hpp>
#include <ligament/node.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ligament::gpu {

/// A node whose callback launches kernels. A node that could not open its program has an error that
/// says why; it never runs.
class KernelNode : public Node {
 public:
  KernelNode(const std::string& name, const NodeOptions& options,
             const ProgramDescription& description);
  ~KernelNode() override;
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;

  [[nodiscard]] expected<void, std::string> settle() override {
    drain();
    return {};
  }

 protected:
  /// A message in flight: keeps its samples and loans, and publishes when the kernels are done. In
  /// traces the program's thread shows it as a callback for the message, with a span in which it
  /// waits for the device; kernels and copies have spans of their own, by the device's clock.
  class Job : public Completion {
   public:
    Job(KernelNode& node, const MessageInfo& message)
        : node_(node), message_{message.publisher_id(), message.publication_sequence_number()} {}
    [[nodiscard]] bool wants_times() const final { return trace::enabled(); }
    void waiting() final;
    void worked(const trace::DeviceWork& work) final;
    void ended(const Result<void>& result) final;

   protected:
    virtual void publish() = 0;

   private:
    KernelNode& node_;
    trace::MessageIdentity message_;
    std::optional<trace::Span> span_;
  };

  /// For an input of which `waiting` messages may wait to be paired: its samples are read by a
  /// device, and as many more may be held as are in flight.
  [[nodiscard]] static SubscriptionOptions input_options();
  [[nodiscard]] QoS input_qos(std::size_t waiting = 0) const;
  [[nodiscard]] PublisherOptions output_options() const;

  /// Returns when another message may be in flight. Before memory is lent for it.
  void wait_for_room();
  void submit(std::span<const Launch> launches, std::unique_ptr<Job> job);

  /// Whether the payloads of a topic stay on the device (transport `queue`).
  [[nodiscard]] bool is_queue(const std::string& topic) const { return queues_.contains(topic); }
  /// Between wait_for_room() and submit(): the payload of this sample is where a kernel left it.
  /// False: it is nowhere.
  template <typename Message>
  [[nodiscard]] bool arrives(const SubscriptionBase& subscription, const Sample<Message>& sample) {
    if constexpr (requires { sample.view().chosen_bytes(); }) {
      return arrives(subscription.get_topic_name(), sample.info(), sample.view().chosen_bytes());
    }
    return true;
  }
  /// The same: kernels write the payload of a loan of this topic. Of a queue topic it stays where
  /// they write it.
  void leaves(const std::string& topic, std::span<std::byte> payload);
  /// After submit(): sends the message of a queue topic whose payload leaves() was told of.
  template <typename Message>
  void send(Publisher<Message>& publisher, LoanedMessage<Message>&& message,
            std::span<const std::byte> payload) {
    senders_.insert(publisher.id());
    Residents::instance().add(payload.data(), publisher.id(),
                              take_left(publisher.get_topic_name(), payload),
                              [&] { return publisher.publish(std::move(message)).value_or(0); });
  }
  /// Returns when no message is in flight. Destructors call it while jobs can still publish.
  void drain();

  /// A message gives no output: counts it, reports the first of each reason. Any thread.
  void refuse(const std::string& why);
  /// Reports the first of each reason.
  void tell_once(const std::string& why);

  /// The name of the span in which the node waits for its kernels.
  void set_span_name(const std::string& name) { span_name_ = name; }
  [[nodiscard]] const Program* program() const { return program_.get(); }
  [[nodiscard]] detail::KernelFigures figures() const;

 private:
  /// A payload of the message in hand that is of a queue topic, or of one with a model of its own.
  struct Special {
    std::span<const std::byte> bytes;
    std::shared_ptr<Resident> resident;
    Model model = Model::automatic;
    bool is_queue = false;
    bool is_written = false;
  };
  [[nodiscard]] bool arrives(const std::string& topic, const MessageInfo& info,
                             std::span<const std::byte> payload);
  [[nodiscard]] Model model_of(const std::string& topic) const;
  [[nodiscard]] std::shared_ptr<Resident> find_resident(const std::string& topic,
                                                        const MessageInfo& info,
                                                        std::span<const std::byte> payload);
  [[nodiscard]] std::shared_ptr<Resident> take_left(const std::string& topic,
                                                    std::span<const std::byte> payload);
  [[nodiscard]] Argument special(const Argument& argument) const;

  std::set<std::string> queues_;
  std::set<std::string> crossing_;  ///< of these, those between processes
  std::map<std::string, Model> topic_models_;
  std::set<std::uint64_t> senders_;  ///< publishers of queue topics
  std::vector<Special> special_;     ///< of the thread that launches

  std::string span_name_ = "kernels";
  std::uint64_t handle_ = 0;  ///< of the jobs' callbacks in traces
  std::uint32_t in_flight_ = 1;
  std::mutex mutex_;  ///< guards what has been told
  std::vector<std::string> told_;
  std::atomic<std::uint64_t> refused_{0};
  std::unique_ptr<Program> program_;
};

}  // namespace ligament::gpu
