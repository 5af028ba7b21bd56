// SPDX-License-Identifier: Apache-2.0
/// \file One client: its streams, its objects, and what it is answered. No socket, no clock: bytes
/// and times come in, messages go out through a `Sender`.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/entities.hpp"
#include "agent/streams.hpp"

namespace ligament::xrce {

/// Where a session's messages go.
struct Sender {
  /// The pieces of one message; they are not kept.
  std::function<void(std::span<const Bytes> pieces)> send;
  /// The link's memory for a message of so many bytes; null: it has none for it.
  std::function<std::unique_ptr<LinkMemory>(std::size_t size)> lend;
};

struct SessionFigures {
  std::uint64_t received = 0;   ///< samples from the client, published
  std::uint64_t delivered = 0;  ///< samples to the client
  std::uint64_t dropped = 0;    ///< samples that no memory, object or known form was there for
  std::uint64_t lost = 0;       ///< messages of best-effort streams, and what reliable ones forgot
  std::uint64_t copied = 0;     ///< bytes of samples from the client, each time they are copied
  std::uint64_t malformed = 0;  ///< messages and submessages that are none
};

class Session {
 public:
  struct Options {
    Key key{};
    std::uint8_t id = 0x81;
    std::size_t mtu = 512;  ///< the longest message that it can take
    EntityOptions entities;
    /// Told to people: what was refused.
    std::function<void(const std::string&)> log;
  };
  Session(Options options, Bus& bus, const Profiles& profiles, Sender sender);

  void receive(const Header& header, Bytes behind_header, std::int64_t now_ns,
               std::int64_t real_ns);
  /// What the messages since the last call have to be answered with, and samples for the client.
  void flush(std::int64_t now_ns);
  /// The next time at which it must be called with nothing having come.
  [[nodiscard]] std::int64_t tick(std::int64_t now_ns);
  /// A heartbeat that says nothing new: a client that lives answers it.
  void probe(std::int64_t now_ns);

  /// CREATE_CLIENT again, by the same client: its objects stay.
  void restart(std::size_t mtu, Sender sender);
  void set_sender(Sender sender) { sender_ = std::move(sender); }
  void heard(std::int64_t now_ns) { last_heard_ns_ = now_ns; }
  /// True: the client said that it ends.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] std::int64_t last_heard_ns() const { return last_heard_ns_; }
  [[nodiscard]] std::uint8_t id() const { return options_.id; }
  [[nodiscard]] const Key& key() const { return options_.key; }
  [[nodiscard]] SessionFigures figures() const;
  [[nodiscard]] Entities& entities() { return entities_; }

 private:
  /// A message in fragments of which the memory in the pool is there already: each piece is copied
  /// once, to where it stays.
  struct Direct {
    enum class State : std::uint8_t { none, filling, skipping } state = State::none;
    std::uint16_t object = 0;
    std::uint64_t serial = 0;  ///< of the writer: another one has another memory
    std::span<std::byte> memory;
    std::size_t at = 0;
    /// Longer than 16 bits can say: how long it is, its end says. `memory` is a guess.
    bool is_open = false;
    std::array<std::byte, 8> head{};  ///< subheader and request
  };
  struct In {
    ReliableInput order;
    Direct direct;
    Assembly assembly;  ///< of everything else that comes in fragments
    bool owes_acknack = false;
  };
  struct Out {
    ReliableOutput order;
    std::vector<std::byte> rest;  ///< a submessage longer than a message, or what goes before its
                                  ///< body: fragments of it are left
    Bytes rest_body;              ///< where its reader has it, until something may change that
    std::size_t sent = 0;         ///< of both
    std::deque<std::vector<std::byte>> answers;  ///< that wait for room; before new samples
    std::uint16_t best_effort_next = 0;
  };
  /// Samples of one writer that are one after the other in a message: published together.
  struct Gathered {
    Entity* entity = nullptr;  ///< null: none
    std::uint16_t object = 0;
    std::size_t count = 0;
    std::size_t size = 0;          ///< of all bodies
    std::array<Bytes, 16> bodies;  ///< where they were received
  };
  /// A request that came before its server.
  struct HeldRequest {
    Request request;
    std::uint64_t serial = 0;  ///< of its requester
    std::vector<std::byte> body;
    std::int64_t ends_ns = 0;
  };

  void receive_reliable(std::uint8_t stream, std::uint16_t sequence, Bytes bytes);
  void process(std::uint8_t stream, Bytes submessages);
  void process_part(std::uint8_t stream, const Part& part);
  void process_control(const Part& part);
  void process_request(std::uint8_t stream, const Part& part);
  void process_fragment(std::uint8_t stream, const Part& part);
  [[nodiscard]] bool begin_direct(In& in, Bytes& piece);
  void continue_direct(In& in, Bytes piece, bool is_last);
  void assemble(std::uint8_t stream, In& in, Bytes piece, bool is_last);
  [[nodiscard]] bool outgrows(In& in, Bytes piece);
  void give_up_fragments(In& in);
  void create(std::uint8_t stream, const Part& part);
  void remove(std::uint8_t stream, const Part& part);
  void write_data(std::uint8_t stream, const Part& part);
  void read_data(std::uint8_t stream, const Part& part);
  void acknack(const Part& part);
  void heartbeat(const Part& part);
  void timestamp(const Part& part);
  void get_info(const Part& part);

  void publish(Entity& entity, const Request& request, CdrReader reader);
  void gather(Entity& entity, std::uint16_t object, Bytes body);
  void publish_gathered();
  void publish_body(Entity& entity, const pool::RequestIdentity& identity, Bytes body);
  void call(Entity& entity, const Request& request, Bytes body);
  void publish_request(Entity& entity, const Request& request, Bytes body);
  void release_requests();
  [[nodiscard]] std::int64_t requests_due_ns() const;
  void answer(std::uint8_t request_stream, const Entities::Answer& answer);
  void deliver(std::int64_t now_ns);
  std::int64_t deliver_paced(std::int64_t now_ns);
  [[nodiscard]] bool deliver_one(std::uint16_t id, Entity& entity, std::int64_t now_ns);
  [[nodiscard]] bool data_head(std::uint16_t id, Entity& entity, const BusSample& sample,
                               std::vector<std::byte>& head);
  [[nodiscard]] bool send_data(std::uint8_t stream, const std::vector<std::byte>& head, Bytes body);
  void send_on(std::uint8_t stream, Bytes submessage);
  void send_fragments(std::uint8_t stream, Out& out);
  void own_bodies();
  void send_waiting(std::uint8_t stream, Out& out);
  void send_reliable(std::uint8_t stream, Out& out, std::span<const Bytes> submessage);
  void send_held(ReliableOutput::Held& held) const;
  void send_unordered(const std::vector<std::byte>& submessages);
  void send_acknacks();
  [[nodiscard]] Out* out_stream(std::uint8_t stream);
  [[nodiscard]] bool has_room(std::uint8_t stream);
  [[nodiscard]] Header header(std::uint8_t stream, std::uint16_t sequence) const;
  void drop_malformed() { ++figures_.malformed; }

  Options options_;
  Bus& bus_;
  Entities entities_;
  Sender sender_;
  std::map<std::uint8_t, In> reliable_in_;
  std::map<std::uint8_t, BestEffortInput> best_effort_in_;
  std::map<std::uint8_t, Out> out_;
  std::vector<HeldRequest> held_;
  std::size_t held_bytes_ = 0;
  Gathered gathered_;  ///< while a message is read
  SessionFigures figures_;
  std::int64_t now_ns_ = 0;
  std::int64_t real_ns_ = 0;
  std::int64_t last_heard_ns_ = 0;
  bool has_ended_ = false;
  std::vector<std::byte> scratch_;  ///< of `send_data` and what it calls
};

}  // namespace ligament::xrce
