// SPDX-License-Identifier: Apache-2.0
/// \file All clients of all links: who a message is from, logins, and clients that have gone
/// silent. It has no socket and no clock: `Link` is where messages go.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/session.hpp"

namespace ligament::xrce {

/// Where a message came from within a link: bytes that mean something to the link only (an address;
/// nothing where there is one peer).
using Address = std::vector<std::byte>;

class Link {
 public:
  virtual ~Link() = default;
  /// The pieces of one message. A message that cannot be sent now is lost, as on any wire.
  virtual void send(const Address& to, std::span<const Bytes> pieces) = 0;
  /// Memory for a message to somebody; it may outlive the link. Null: there is none for it.
  [[nodiscard]] virtual std::unique_ptr<LinkMemory> lend(const Address& /*to*/,
                                                         std::size_t /*size*/) {
    return nullptr;
  }
};

struct AgentOptions {
  int domain = 0;
  std::int64_t silence_ns = 30'000'000'000;  ///< then a client is removed
  std::function<void(const std::string&)> log = nullptr;
};

struct ClientFigures {
  Key key{};
  std::size_t objects = 0;
  SessionFigures session;
};

class Agent {
 public:
  Agent(AgentOptions options, Bus& bus, const Profiles& profiles)
      : options_(std::move(options)), bus_(bus), profiles_(profiles) {}

  /// `real_ns`: the time of day, for time sync.
  void receive(Link& link, const Address& from, Bytes message, std::int64_t now_ns,
               std::int64_t real_ns);
  /// After the messages that came together, and when the pool has something new.
  void flush(std::int64_t now_ns);
  /// Heartbeats, and silence. Returns when it must be called again.
  [[nodiscard]] std::int64_t tick(std::int64_t now_ns);
  /// The link is gone, and all who came by it.
  void close(Link& link);

  [[nodiscard]] std::vector<ClientFigures> clients() const;
  /// Messages that were none, or from nobody.
  [[nodiscard]] std::uint64_t ignored() const { return ignored_; }

 private:
  struct Client {
    Link* link = nullptr;
    Address address;
    std::unique_ptr<Session> session;
    std::int64_t probed_ns = 0;
    bool has_spoken = false;  ///< in its session, since the login
    std::int64_t logged_in_ns = 0;
    std::uint8_t session_before = no_session;  ///< that this one took the place of
    std::int64_t logged_in_before_ns = 0;
  };
  using Clients = std::list<Client>;
  using Place = std::pair<const Link*, Address>;
  /// So that what has come is looked up without a copy of its address.
  struct PlaceView {
    const Link* link;
    const Address& address;
  };
  struct PlaceOrder {
    using is_transparent = void;
    static PlaceView view(const Place& place) { return {place.first, place.second}; }
    static PlaceView view(const PlaceView& place) { return place; }
    bool operator()(const auto& a, const auto& b) const {
      const PlaceView left = view(a);
      const PlaceView right = view(b);
      return left.link != right.link ? std::less<>()(left.link, right.link)
                                     : left.address < right.address;
    }
  };
  /// Who said goodbye, and may not have heard the answer.
  struct Ended {
    const Link* link = nullptr;
    Address address;
    Key key{};
    std::uint8_t session = 0;
  };

  static void send_outside(Link& link, const Address& to, const Header& header,
                           const std::vector<std::byte>& submessages);
  void receive_outside(Link& link, const Address& from, const Header& header, Bytes rest,
                       std::int64_t now_ns);
  void log_in(Link& link, const Address& from, const Part& part, std::int64_t now_ns);
  std::pair<std::uint8_t, std::int64_t> make_way(const Link& link, const Address& from,
                                                 const CreateClient& asked);
  [[nodiscard]] bool is_late(const Client& known, const Link& link, const Address& from,
                             const CreateClient& asked, std::int64_t now_ns) const;
  [[nodiscard]] Clients::iterator make_client(const CreateClient& asked);
  void answer_ended(Link& link, const Address& from, const Header& header, Bytes rest);
  void pong(Link& link, const Address& from, const Header& header, const Part& part);
  [[nodiscard]] Clients::iterator find(const Link& link, const Address& from, const Header& header);
  [[nodiscard]] Clients::iterator find(const Key& key);
  void end(Clients::iterator client, const char* why);
  void move(Client& client, Link& link, const Address& to);
  void forget_address(const Client& client);
  void log(const std::string& text) const;

  AgentOptions options_;
  Bus& bus_;
  const Profiles& profiles_;
  Clients clients_;
  /// Who spoke last, mostly the next one too: found without a search.
  Clients::iterator last_ = clients_.end();
  /// Where sessions without key are found.
  std::map<Place, Clients::iterator, PlaceOrder> by_address_;
  std::deque<Ended> ended_;  ///< the last few
  std::uint64_t ignored_ = 0;
};

/// As people read it: eight hexadecimal digits.
[[nodiscard]] std::string key_text(const Key& key);

}  // namespace ligament::xrce
