// SPDX-License-Identifier: Apache-2.0
/// Who comes, and who has to go for it.
#include <fmt/format.h>

#include <algorithm>

#include "agent/agent.hpp"

namespace ligament::xrce {

namespace {

constexpr std::size_t most_clients = 64;
constexpr std::size_t least_mtu = 32;
constexpr std::size_t default_mtu = 508;
constexpr std::size_t most_mtu = 65'000;
constexpr std::int64_t longest_way_ns = 250'000'000;  // of a datagram that others have passed

}  // namespace

void Agent::log_in(Link& link, const Address& from, const Part& part, std::int64_t now_ns) {
  const auto asked = read_create_client(part);
  if (!asked || asked->session == no_session || asked->session == no_session_with_key) {
    ++ignored_;
    return;
  }
  std::vector<std::byte> status;
  const auto answer = [&](Status result) {
    write_status_agent(status, result);
    send_outside(link, from, {asked->session, no_stream, 0, asked->key}, status);
  };
  if (asked->major != version_major) {
    return answer(Status::incompatible);
  }
  const auto known = find(asked->key);
  if (known != clients_.end() && is_late(*known, link, from, *asked, now_ns)) {
    ++ignored_;
    return;
  }
  const auto [before, before_ns] = make_way(link, from, *asked);
  const auto client = make_client(*asked);
  if (client == clients_.end()) {
    log(fmt::format("client {}: refused, there are {} already", key_text(asked->key),
                    most_clients));
    return answer(Status::resources);
  }
  const std::size_t mtu =
      asked->mtu == 0 ? default_mtu : std::clamp<std::size_t>(asked->mtu, least_mtu, most_mtu);
  client->session->restart(mtu, {});
  move(*client, link, from);
  client->session->heard(now_ns);
  client->has_spoken = false;
  client->logged_in_ns = now_ns;
  if (before != no_session) {
    client->session_before = before;
    client->logged_in_before_ns = before_ns;
  }
  log(fmt::format("client {}: session {:#04x}", key_text(asked->key), asked->session));
  answer(Status::ok);
}

/// Ends what cannot be beside a new login. The session of the same client that it follows, and when
/// that was opened; `no_session`: none.
std::pair<std::uint8_t, std::int64_t> Agent::make_way(const Link& link, const Address& from,
                                                      const CreateClient& asked) {
  std::pair<std::uint8_t, std::int64_t> before{no_session, 0};
  const auto known = find(asked.key);
  if (known != clients_.end() && known->session->id() != asked.session) {
    before = {known->session->id(), known->logged_in_ns};
    end(known, known->has_spoken ? "begins again" : "logs in once more before it begins");
  }
  // Whoever was known by this address before would not be heard any more.
  const auto there = by_address_.find(PlaceView{&link, from});
  if (asked.session > no_session && there != by_address_.end() &&
      there->second->session->key() != asked.key) {
    end(there->second, "was replaced by another client at its address");
  }
  return before;
}

/// A login that came before and was passed by others: it would end the session that followed it. A
/// board that begins again so soon says it again until it is answered.
bool Agent::is_late(const Client& known, const Link& link, const Address& from,
                    const CreateClient& asked, std::int64_t now_ns) const {
  if (known.link != &link || known.address != from) {
    return false;
  }
  if (asked.session == known.session->id()) {
    return known.has_spoken && now_ns - known.logged_in_ns < longest_way_ns;
  }
  return asked.session == known.session_before &&
         now_ns - known.logged_in_before_ns < longest_way_ns;
}

/// The client of that key, or a new one; the end of the list: there are too many.
Agent::Clients::iterator Agent::make_client(const CreateClient& asked) {
  const auto known = find(asked.key);
  if (known != clients_.end() || clients_.size() >= most_clients) {
    return known;
  }
  Session::Options session;
  session.key = asked.key;
  session.id = asked.session;
  session.entities = {options_.domain, "xrce_client_" + key_text(asked.key)};
  session.log = [this, key = asked.key](const std::string& text) {
    log(fmt::format("client {}: refused: {}", key_text(key), text));
  };
  clients_.push_back({nullptr,
                      {},
                      std::make_unique<Session>(std::move(session), bus_, profiles_, Sender{}),
                      0,
                      false,
                      0,
                      no_session,
                      0});
  return std::prev(clients_.end());
}

}  // namespace ligament::xrce
