// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace ligament::xrce {

namespace {

constexpr std::size_t most_ended = 64;

/// One comparison, where that of vectors goes byte by byte.
bool is_same(const Address& one, const Address& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0);
}

Sender sender_to(Link& link, const Address& to) {
  return {[&link, to](std::span<const Bytes> pieces) { link.send(to, pieces); },
          [&link, to](std::size_t size) { return link.lend(to, size); }};
}

}  // namespace

std::string key_text(const Key& key) {
  return fmt::format("{:02x}{:02x}{:02x}{:02x}", key[0], key[1], key[2], key[3]);
}

void Agent::send_outside(Link& link, const Address& to, const Header& header,
                         const std::vector<std::byte>& submessages) {
  std::vector<std::byte> head;
  write_header(head, header);
  const std::array<Bytes, 2> pieces{Bytes(head), Bytes(submessages)};
  link.send(to, pieces);
}

void Agent::log(const std::string& text) const {
  if (options_.log) {
    options_.log(text);
  }
}

Agent::Clients::iterator Agent::find(const Key& key) {
  return std::find_if(clients_.begin(), clients_.end(),
                      [&key](const Client& client) { return client.session->key() == key; });
}

Agent::Clients::iterator Agent::find(const Link& link, const Address& from, const Header& header) {
  if (header.has_key()) {
    const auto client = find(header.key);
    const bool fits = client != clients_.end() && client->session->id() == header.session;
    return fits ? client : clients_.end();
  }
  if (last_ == clients_.end() || last_->link != &link || !is_same(last_->address, from)) {
    const auto found = by_address_.find(PlaceView{&link, from});
    last_ = found == by_address_.end() ? clients_.end() : found->second;
  }
  const bool fits = last_ != clients_.end() && last_->session->id() == header.session;
  return fits ? last_ : clients_.end();
}

void Agent::receive(Link& link, const Address& from, Bytes message, std::int64_t now_ns,
                    std::int64_t real_ns) {
  Header header;
  if (!read_header(message, header)) {
    ++ignored_;
    return;
  }
  const Bytes rest = message.subspan(header.size());
  if (header.session == no_session || header.session == no_session_with_key) {
    return receive_outside(link, from, header, rest, now_ns);
  }
  const auto client = find(link, from, header);
  if (client == clients_.end()) {
    return answer_ended(link, from, header, rest);
  }
  if (header.has_key() && (client->link != &link || client->address != from)) {
    move(*client, link, from);
  }
  client->has_spoken = true;
  client->session->receive(header, rest, now_ns, real_ns);
  if (client->session->has_ended()) {
    ended_.push_back({&link, from, client->session->key(), header.session});
    if (ended_.size() > most_ended) {
      ended_.pop_front();
    }
    end(client, "has ended");
  }
}

/// The answer to a goodbye may be lost. Who says it again is told again; everybody else without a
/// session is told nothing.
void Agent::answer_ended(Link& link, const Address& from, const Header& header, Bytes rest) {
  const auto part = Parts(rest).next();
  CdrReader reader = part ? part->reader() : CdrReader(Bytes{}, true);
  const Request request = read_request(reader);
  const bool is_known = std::any_of(ended_.begin(), ended_.end(), [&](const Ended& one) {
    return one.link == &link && one.address == from && one.session == header.session &&
           (!header.has_key() || one.key == header.key);
  });
  if (!is_known || !reader.is_good() || part->id != Submessage::remove ||
      request.object != object_client) {
    ++ignored_;
    return;
  }
  std::vector<std::byte> status;
  write_status(status, request, Status::ok);
  send_outside(link, from, {header.session, no_stream, 0, header.key}, status);
}

void Agent::receive_outside(Link& link, const Address& from, const Header& header, Bytes rest,
                            std::int64_t now_ns) {
  const auto part = Parts(rest).next();
  if (part && part->id == Submessage::create_client) {
    log_in(link, from, *part, now_ns);
  } else if (part && part->id == Submessage::get_info) {
    pong(link, from, header, *part);
  } else {
    ++ignored_;
  }
}

void Agent::pong(Link& link, const Address& from, const Header& header, const Part& part) {
  CdrReader reader = part.reader();
  const Request request = read_request(reader);
  if (!reader.is_good()) {
    ++ignored_;
    return;
  }
  std::vector<std::byte> info;
  write_info(info, request, by_address_.contains(PlaceView{&link, from}));
  send_outside(link, from, {header.session, no_stream, 0, header.key}, info);
}

void Agent::move(Client& client, Link& link, const Address& to) {
  last_ = clients_.end();  // addresses may be those of others from now on
  const auto self = find(client.session->key());
  forget_address(client);
  client.link = &link;
  client.address = to;
  client.session->set_sender(sender_to(link, to));
  if (client.session->id() > no_session) {
    by_address_.insert_or_assign(Place{&link, to}, self);
  }
}

void Agent::end(Clients::iterator client, const char* why) {
  const SessionFigures figures = client->session->figures();
  log(fmt::format("client {}: {}; from it {} samples, to it {}, dropped {}, lost messages {}{}",
                  key_text(client->session->key()), why, figures.received, figures.delivered,
                  figures.dropped, figures.lost,
                  figures.malformed == 0 ? "" : fmt::format(", malformed {}", figures.malformed)));
  forget_address(*client);
  last_ = clients_.end();
  clients_.erase(client);
}

void Agent::forget_address(const Client& client) {
  const auto found = by_address_.find(PlaceView{client.link, client.address});
  if (found != by_address_.end() && &*found->second == &client) {
    by_address_.erase(found);
  }
}

void Agent::flush(std::int64_t now_ns) {
  for (Client& client : clients_) {
    client.session->flush(now_ns);
  }
}

std::int64_t Agent::tick(std::int64_t now_ns) {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  const std::int64_t third = options_.silence_ns / 3;
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto current = client++;
    const std::int64_t heard = current->session->last_heard_ns();
    if (now_ns - heard >= options_.silence_ns) {
      end(current, "is silent, and removed");
      continue;
    }
    const std::int64_t quiet_since = std::max(heard, current->probed_ns);
    if (now_ns - quiet_since >= third) {
      current->session->probe(now_ns);
      current->probed_ns = now_ns;
    }
    next = std::min({next, current->session->tick(now_ns), heard + options_.silence_ns,
                     std::max(heard, current->probed_ns) + third});
  }
  return next;
}

void Agent::close(Link& link) {
  std::erase_if(ended_, [&link](const Ended& one) { return one.link == &link; });
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto current = client++;
    if (current->link == &link) {
      end(current, "goes, as its link is closed");
    }
  }
}

std::vector<ClientFigures> Agent::clients() const {
  std::vector<ClientFigures> all;
  for (const Client& client : clients_) {
    all.push_back(
        {client.session->key(), client.session->entities().size(), client.session->figures()});
  }
  return all;
}

}  // namespace ligament::xrce
