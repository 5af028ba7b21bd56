// SPDX-License-Identifier: Apache-2.0
/// \file Nodes whose work a design does (spec/device/fpga.md): what generated classes are made of.
///
/// All members of a design live in one process and share its simulation, or its board. A member's
/// ports on topics in the pool are publishers and subscriptions as any node has; those on hardware
/// topics are wires. Authors of cores do not see this: they write SystemVerilog and a manifest.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <ligament/client.hpp>
#include <ligament/detail/core_client.hpp>
#include <ligament/detail/device_rooms.hpp>
#include <ligament/detail/hardware_figures.hpp>
#include <ligament/fpga_design.hpp>
#include <ligament/message_traits.hpp>
#include <ligament/node.hpp>
#include <ligament/service.hpp>
#include <ligament/span.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ligament::fpga {

class Member;
class Region;
class SlotCore;

/// A lock that threads get in the order in which they ask. Who turns a clock asks again at once: an
/// exchange of a core would wait for a pause otherwise.
class Turns {
 public:
  void lock();
  void unlock();
  [[nodiscard]] bool try_lock();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  std::uint64_t now_ = 0;
};

/// A gateway with its ends in the pool (spec/device/gateway.md).
struct ServedGateway {
  std::string topic;
  std::size_t place = 0;       ///< of the node whose ends in the pool they are
  std::size_t rooms = 2;       ///< messages that may be lent at once
  std::size_t room_bytes = 0;  ///< of each
  std::size_t held = 1;        ///< samples that it holds of the pool at most
  GatewayPlan plan;
};

/// What generated code says about a design.
struct DesignPlan {
  std::string device;  ///< as the platform calls it
  Memory memory;
  std::size_t in_flight = 1;  ///< messages per entry and gateway that go in together
  std::size_t held = 1;       ///< samples that an entry holds of the pool at most
  std::vector<NodePlan> nodes;
  std::vector<std::string> networks;  ///< their topics
  std::vector<ServedGateway> gateways;
  std::vector<std::size_t> rooms;  ///< per exit: bytes of the memory lent to it for a message
  /// Of a shell, whose nodes are its slots (spec/device/slots.md): what is in each, and what a core
  /// for it says. They live as long as the design.
  std::vector<Region*> regions;
  std::uint64_t identity = 0;
};

/// A request of a service that a core has not answered yet.
struct OpenRequest {
  RequestId id;
  /// Sends the stored response to who asked; false if it is not one.
  std::function<bool(std::span<const std::byte>)> respond;
};

/// The hardware, and who it works for. A shell's members come and go on another thread than that
/// of their callbacks; whatever they ask for takes its turn.
class Design {
 public:
  /// Simulated: the wires are of a model that lives as long as the design.
  Design(DesignPlan plan, Wires wires);
  /// On a board, which lives as long as the design.
  Design(DesignPlan plan, Hardware& hardware);
  ~Design();
  Design(const Design&) = delete;
  Design& operator=(const Design&) = delete;

  [[nodiscard]] std::size_t in_flight() const { return plan_.in_flight; }
  [[nodiscard]] std::size_t held() const { return plan_.held; }
  void join(Member& member, std::size_t place);
  void leave(std::size_t place);
  /// A core comes into a shell's slot, whose node this is then. The error: what stands against it.
  [[nodiscard]] expected<void, std::string> occupy(Member& member, std::size_t slot,
                                                   const SlotUse& use,
                                                   std::unique_ptr<SlotCore> core);
  void vacate(std::size_t slot);
  [[nodiscard]] std::uint64_t& register_pin(std::size_t slot, std::size_t number);
  /// Where an exit's messages go, and how it gets memory for them if it is not the driver's own.
  void set_exit(std::size_t exit, std::function<void(const Departure&)> publish,
                std::function<std::optional<Room>()> lend = {});
  /// Bytes of the memory for one message of an exit, and how many of them are out at once.
  [[nodiscard]] std::size_t room_bytes(std::size_t exit) const { return plan_.rooms.at(exit); }
  [[nodiscard]] std::size_t exit_rooms() const { return plan_.in_flight + 2; }
  [[nodiscard]] const ServedGateway& gateway(std::size_t gateway) const {
    return plan_.gateways.at(gateway);
  }
  /// How a gateway gets memory, and where its messages go.
  struct GatewayOutput {
    std::function<std::optional<Room>()> lend;
    std::function<void(FilledRoom&&)> publish;
  };
  void set_gateway_output(std::size_t gateway, GatewayOutput output);
  /// The number that a publisher in software has in frames.
  [[nodiscard]] std::uint8_t number_of(std::size_t gateway, std::uint64_t publisher);
  /// A message for an entry: goes in with the others of its set. Or for a gateway.
  void take(Member& member, Arrival&& arrival, const trace::MessageIdentity& message);
  /// The same of a request for a service's entry.
  void ask(Member& member, Arrival&& arrival, const trace::MessageIdentity& message,
           OpenRequest&& request);
  /// What waits goes in, whole sets only, if nothing has come for a while.
  void hurry();
  /// Goes on with what found no memory in the run before.
  void go_on(Member& member);
  /// Works off what has been taken; what it cannot is the error.
  [[nodiscard]] expected<void, std::string> settle(Member& member);
  [[nodiscard]] ligament::detail::HardwareFigures figures(std::size_t place) const;

 private:
  /// A message that waits for the others of its set.
  struct Waiting {
    Arrival arrival;
    trace::MessageIdentity message;
    OpenRequest request;  ///< of a service only
  };
  /// A request that is in the design, and what its frame says of it.
  struct Asked {
    OpenRequest request;
    std::uint8_t client = 0;
    std::uint16_t sequence = 0;
  };
  /// Where messages come from: a node with entries, or a gateway.
  struct Source {
    std::size_t number = 0;
    bool is_gateway = false;
  };
  struct Place {
    Member* member = nullptr;
    std::vector<std::size_t> entries;
    bool each = false;                             ///< it answers each message by itself
    std::vector<std::size_t> networks;             ///< whose figures it tells
    std::vector<trace::MessageIdentity> messages;  ///< of this run, in order
    std::vector<Source> sources;                   ///< whose messages its own may go back to
    std::vector<Asked> asked;                      ///< of a service: not answered yet
    std::vector<std::size_t> probes;               ///< of its figures' streams
    std::vector<StreamFigures> before;             ///< what they had counted when the node came
    PaceFigures pace_before;
    ligament::detail::HardwareFigures figures;
  };
  struct Gateway {
    GatewayOutput output;
    std::deque<Waiting> waiting;
    std::vector<trace::MessageIdentity> messages;  ///< of this run, in order
    std::vector<std::uint64_t> publishers;         ///< in software, in order of appearance
  };

  struct Exit {
    std::size_t place = 0;  ///< whose it is
    std::function<void(const Departure&)> publish;
    std::function<std::optional<Room>()> lend;
  };

  /// Sets that can go in; of a node that answers each message: as many as its fullest entry has.
  [[nodiscard]] std::size_t whole_sets(const Place& place) const;
  void collect(std::size_t most, std::vector<Arrival>& arrivals);
  void put(Member& member, Waiting&& waiting);
  void forget(std::size_t place);
  void empty(std::size_t slot);
  void begin_figures(std::size_t slot, const SlotUse& use);
  [[nodiscard]] static std::uint8_t free_number(const std::vector<Asked>& asked);
  void label(Place& place, Waiting& waiting);
  void answer(Place& place, const Departure& departure);
  [[nodiscard]] Place& node_of(std::size_t place);
  [[nodiscard]] std::size_t most_at_once(std::size_t place) const;
  void run(Member& member, std::size_t most);
  void say_working(const Member& member);
  [[nodiscard]] bool is_over_time(const Member& member);
  void account(const Outcome& outcome, std::int64_t doorbell_ns);
  void name_streams();
  void count_streams();
  void hand_over(const Outcome& outcome);
  [[nodiscard]] trace::MessageIdentity first_message_of(const Member& member) const;
  void tell_networks(trace::SpanValues& values, const std::vector<NetworkFigures>& before) const;
  void tell_gateways(trace::SpanValues& values, const std::vector<GatewayFigures>& before,
                     const PortFigures& port_before) const;
  void tell_losses(const Outcome& outcome) const;
  [[nodiscard]] std::uint64_t left(std::size_t place) const;
  static void tell_left(const Member& member, std::uint64_t messages);
  void set_up();
  void find_sources();
  void find_sources_of(Place& place, std::size_t number);
  [[nodiscard]] const std::vector<trace::MessageIdentity>& messages_of(const Place& place) const;
  [[nodiscard]] const trace::MessageIdentity* cause_of(const Place& place,
                                                       std::optional<std::size_t> cause,
                                                       std::size_t order) const;
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] Delegate delegate();
  [[nodiscard]] std::optional<Room> lend(std::size_t gateway);
  [[nodiscard]] std::optional<Room> lend_exit(std::size_t exit);
  void publish(std::vector<FilledRoom>&& stored);
  void tell_crossing(const Crossing& crossing, std::int64_t begin_ns, std::int64_t end_ns);
  void add_gateway_figures(std::size_t place, ligament::detail::HardwareFigures& figures) const;

  DesignPlan plan_;
  std::unique_ptr<Simulation> simulation_;  ///< null: it is on a board
  Hardware& hardware_;
  std::vector<Place> places_;
  std::vector<std::deque<Waiting>> waiting_;  ///< by entry
  std::vector<Exit> exits_;
  std::vector<Gateway> gateways_;
  std::vector<NetworkFigures> networks_;
  std::vector<GatewayFigures> gateway_figures_;
  PortFigures port_;
  std::uint64_t cycles_ = 0;     ///< of all runs
  mutable Turns turns_;          ///< of all but the figures
  mutable std::mutex mutex_;     ///< of the figures: the status thread reads them
  std::int64_t came_at_ns_ = 0;  ///< the last message
  bool starved_ = false;
  std::int64_t said_working_ns_ = 0;
  std::int64_t leave_at_ns_ = 0;  ///< when a run that was asked to stop leaves its messages
};

/// Base of generated nodes.
class Member : public Node {
 public:
  ~Member() override;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  /// What stands against its board is an error of the node, so that its container does not start.
  void expect(const std::string& error);
  /// A message gives no output: reports the first of each reason.
  void refuse(const std::string& why);
  /// There was no memory for what is in the design: looks again soon.
  void look_again() { again_->reset(); }
  /// Before a run: registers have the values that their parameters have now.
  void set_registers();
  /// Whether a response is still to come to its core.
  [[nodiscard]] bool awaits_response() const;
  [[nodiscard]] expected<void, std::string> settle() override { return design_->settle(*this); }

 protected:
  Member(const std::string& name, const NodeOptions& options, std::shared_ptr<Design> design,
         std::size_t place);

  template <typename In>
  void add_input(const std::string& port, std::size_t entry) {
    SubscriptionOptions device;
    device.device = true;
    const QoS qos = QoS(queue_depth()).max_held(design_->held());
    subscriptions_.push_back(create_subscription<In>(
        port, qos,
        [this, entry](Sample<In> sample) { take<In>({.entry = entry}, std::move(sample)); },
        device));
  }
  template <typename Out>
  void add_output(const std::string& port, std::size_t exit) {
    PublisherOptions options;
    options.max_loans = static_cast<std::uint32_t>(design_->exit_rooms());
    options.front_bytes = detail::boundary_bytes;
    auto publisher = create_publisher<Out>(port, QoS(queue_depth()), options);
    const std::size_t bound = publisher->bound_bytes();
    const std::size_t most = bound < detail::least_in_place ? 0 : design_->exit_rooms();
    auto rooms = std::make_shared<detail::DeviceRooms<Out>>(
        publisher, most, std::min(bound + detail::boundary_bytes, design_->room_bytes(exit)));
    design_->set_exit(
        exit,
        [publisher, rooms](const Departure& departure) {
          if (!departure.lent || !rooms->publish(departure.keep, departure.message)) {
            publisher->publish_stored(departure.message);
          }
        },
        [rooms] { return rooms->lend(); });
  }

  /// A service that the core offers.
  template <typename T>
  void add_service(const std::string& name, std::size_t entry) {
    using Request = typename T::Request;
    ServicesQoS qos;
    qos.max_held(design_->held());
    services_.push_back(create_service<T>(
        name,
        [this, entry](Sample<Request> sample, Responder<T> responder) {
          const RequestId id = responder.request_id();
          auto answer = std::make_shared<Responder<T>>(std::move(responder));
          const trace::MessageIdentity message = identity_of(sample.info());
          Arrival arrival{.entry = entry, .kind = FrameKind::request};
          fill(arrival, std::move(sample));
          design_->ask(*this, std::move(arrival), message,
                       {id, [answer](std::span<const std::byte> stored) {
                          typename T::Response response;
                          const auto read =
                              MessageTraits<typename T::Response>::deserialize(stored, response);
                          if (read) {
                            (void)std::move(*answer).send(response);  // a failure is counted
                          }
                          return read.has_value();
                        }});
        },
        qos));
  }

  /// A service that the core calls: its requests leave at `exit`, and responses go in at `entry`.
  template <typename T>
  void add_client(const std::string& name, std::size_t exit, std::size_t entry,
                  ClientLimits limits) {
    using Request = typename T::Request;
    auto client = create_client<T>(name);
    auto calls = CoreClient::create(
        *this, *design_, entry, limits,
        {.is_ready = [client] { return client->service_is_ready(); },
         .send =
             [client](std::span<const std::byte> stored, std::chrono::nanoseconds limit,
                      const CoreClient::Answered& answered) {
               Request request;
               if (!MessageTraits<Request>::deserialize(stored, request)) {
                 return false;
               }
               client->async_send_request(
                   request,
                   [answered](const typename Client<T>::SharedFuture& future) {
                     answered(stored_form(future.get().get()));
                   },
                   limit);
               return true;
             },
         .give_up = [client] { client->count_unsent(); }});
    clients_.push_back(calls);
    design_->set_exit(exit, [calls](const Departure& departure) {
      calls->ask(departure.sequence, departure.message);
    });
  }

  /// The node's time as a message for an entry, once in each period. The parameter has it in ms.
  void add_timer(const std::string& parameter, std::size_t entry);

  /// The register has the parameter's value of the moment in which the doorbell rings. Of a text:
  /// its place among the choices.
  void follow(std::uint64_t& wire, const std::string& parameter,
              std::vector<std::string> choices = {}) {
    registers_.push_back({&wire, parameter, std::move(choices)});
  }

  /// The pool's messages of a topic with a gateway, but for those that the gateway itself sent.
  template <typename In>
  void add_gateway_input(std::size_t gateway, QoS qos) {
    SubscriptionOptions options;
    options.device = true;
    options.ignore_local_publications = true;
    qos.max_held(design_->gateway(gateway).held);
    subscriptions_.push_back(create_subscription<In>(
        design_->gateway(gateway).topic, qos,
        [this, gateway](Sample<In> sample) {
          const std::uint64_t publisher = sample.info().publisher_id();
          take<In>({.gateway = gateway, .publisher = design_->number_of(gateway, publisher)},
                   std::move(sample));
        },
        options));
  }
  /// What nodes in hardware publish on a topic with a gateway.
  template <typename Out>
  void add_gateway_output(std::size_t gateway, const QoS& qos) {
    const ServedGateway& served = design_->gateway(gateway);
    PublisherOptions options;
    options.max_loans = static_cast<std::uint32_t>(served.rooms);
    options.front_bytes = detail::boundary_bytes;
    auto publisher = create_publisher<Out>(served.topic, qos, options);
    auto rooms =
        std::make_shared<detail::DeviceRooms<Out>>(publisher, served.rooms, served.room_bytes);
    design_->set_gateway_output(gateway, {.lend = [rooms] { return rooms->lend(); },
                                          .publish =
                                              [publisher, rooms](FilledRoom&& stored) {
                                                const auto message = stored.room.memory.subspan(
                                                    stored.front, stored.size);
                                                if (!rooms->publish(stored.room.keep, message)) {
                                                  publisher->publish_stored(message);
                                                }
                                              }});
  }

 private:
  struct Followed {
    std::uint64_t* wire = nullptr;
    std::string parameter;
    std::vector<std::string> choices;
  };

  template <typename In>
  void take(Arrival&& arrival, Sample<In>&& sample) {
    const trace::MessageIdentity message = identity_of(sample.info());
    fill(arrival, std::move(sample));
    design_->take(*this, std::move(arrival), message);
  }
  static trace::MessageIdentity identity_of(const MessageInfo& info) {
    return {info.publisher_id(), info.publication_sequence_number()};
  }
  template <typename In>
  static void fill(Arrival& arrival, Sample<In>&& sample) {
    const MessageInfo info = sample.info();
    arrival.sequence = info.publication_sequence_number();
    arrival.time_ns = info.source_timestamp().nanoseconds();
    auto held = std::make_shared<const Sample<In>>(std::move(sample));
    arrival.message = held->bytes();
    arrival.keep = held;
  }
  /// A response as a core gets it; null of none.
  template <typename Response>
  static CoreClient::Stored stored_form(const Response* response) {
    using Traits = MessageTraits<Response>;
    if (response == nullptr) {
      return nullptr;
    }
    const auto layout = Traits::layout_of(*response);
    auto stored = std::make_shared<std::vector<std::byte>>(layout ? layout->size : 0);
    return layout && Traits::serialize(*response, *stored) ? stored : nullptr;
  }
  [[nodiscard]] std::size_t queue_depth() const;

  std::shared_ptr<Design> design_;
  std::size_t place_;
  std::mutex told_mutex_;
  std::vector<std::string> told_;
  std::vector<std::shared_ptr<SubscriptionBase>> subscriptions_;
  std::vector<std::shared_ptr<ServiceBase>> services_;
  std::vector<std::shared_ptr<CoreClient>> clients_;
  std::vector<Followed> registers_;
  std::shared_ptr<TimerBase> timer_;
  std::vector<std::shared_ptr<TimerBase>> ticks_;  ///< the core's own
  std::shared_ptr<TimerBase> again_;
};

}  // namespace ligament::fpga
