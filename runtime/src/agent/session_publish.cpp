// SPDX-License-Identifier: Apache-2.0
/// From the client into the pool: samples, replies, and requests, which wait for their server.
#include <algorithm>
#include <cstring>
#include <limits>

#include "agent/session.hpp"

namespace ligament::xrce {

namespace {

constexpr std::size_t most_gathered = 1024;  // bytes: copied under the writer's lock
constexpr std::size_t most_waiting = 64;
constexpr std::size_t most_held = 16;                           // of one requester
constexpr std::size_t most_held_bytes = std::size_t{64} << 10;  // of one client
constexpr std::int64_t longest_held_ns = 10'000'000'000;

/// Both ways are there: a server that gets the request can answer it.
bool has_server(const Entity& entity) {
  return entity.writer->is_matched() && entity.reader->is_matched();
}

}  // namespace

void Session::gather(Entity& entity, std::uint16_t object, Bytes body) {
  Gathered& all = gathered_;
  if (all.entity != &entity || all.count == all.bodies.size() ||
      all.size + body.size() > most_gathered) {
    publish_gathered();
    all.entity = &entity;
    all.object = object;
  }
  all.bodies[all.count++] = body;
  all.size += body.size();
  entity.longest = std::max(entity.longest, body.size());
}

void Session::publish_gathered() {
  if (gathered_.count == 0) {
    return;
  }
  const std::span<const Bytes> bodies = std::span(gathered_.bodies).first(gathered_.count);
  const pool::PublishedCopies written = gathered_.entity->writer->write(bodies, now_ns_);
  figures_.copied += written.bytes;
  figures_.received += written.count;
  figures_.dropped += bodies.size() - written.count;
  gathered_.entity = nullptr;
  gathered_.count = 0;
  gathered_.size = 0;
}

void Session::write_data(std::uint8_t stream, const Part& part) {
  CdrReader reader(part.payload, true);  // ids have no order of bytes
  const Request request = read_request(reader);
  if (!reader.is_good()) {
    return drop_malformed();
  }
  const bool is_known = gathered_.entity != nullptr && gathered_.object == request.object;
  Entity* entity = is_known ? gathered_.entity : entities_.find(request.object);
  if (entity == nullptr || entity->writer == nullptr) {
    ++figures_.dropped;
    return answer(stream, {request, Status::unknown_reference, "nothing here can be written to"});
  }
  const bool is_plain = (part.flags & flag::format) == 0;
  if (!is_plain || (part.flags & flag::little_endian) == 0) {
    ++figures_.dropped;
    return is_plain ? void() : answer(stream, {request, Status::invalid_data, "unknown format"});
  }
  if (entity->kind == Kind::writer && reader.rest().size() <= most_gathered) {
    return gather(*entity, request.object, reader.rest());
  }
  publish_gathered();  // what came before it
  publish(*entity, request, reader);
}

void Session::publish(Entity& entity, const Request& request, CdrReader reader) {
  pool::RequestIdentity identity;
  if (entity.kind == Kind::replier) {
    const Bytes client = reader.bytes(identity.client.size());
    const auto upper = static_cast<std::uint64_t>(reader.u32());
    identity.sequence = static_cast<std::int64_t>(upper << 32U | reader.u32());
    if (!reader.is_good()) {
      return drop_malformed();
    }
    std::memcpy(identity.client.data(), client.data(), client.size());
  } else if (entity.kind == Kind::requester) {
    return call(entity, request, reader.rest());
  }
  publish_body(entity, identity, reader.rest());
}

/// The one copy: from what was received into the pool.
void Session::publish_body(Entity& entity, const pool::RequestIdentity& identity, Bytes body) {
  const auto memory = entity.writer->loan(encapsulation_size + body.size());
  if (memory.size() != encapsulation_size + body.size()) {
    ++figures_.dropped;
    return;
  }
  std::memcpy(memory.data(), little_endian_cdr.data(), encapsulation_size);
  if (!body.empty()) {
    std::memcpy(memory.data() + encapsulation_size, body.data(), body.size());
    figures_.copied += body.size();
    entity.longest = std::max(entity.longest, body.size());
  }
  entity.writer->publish(identity);
  ++figures_.received;
}

/// A client cannot see whether a server is there, so a request that comes first waits for it.
void Session::call(Entity& entity, const Request& request, Bytes body) {
  const auto before = std::count_if(held_.begin(), held_.end(), [&](const HeldRequest& held) {
    return held.serial == entity.serial;
  });
  if (before == 0 && has_server(entity)) {
    return publish_request(entity, request, body);
  }
  const std::size_t bytes = held_bytes_ + body.size();
  if (static_cast<std::size_t>(before) >= most_held || bytes > most_held_bytes) {
    ++figures_.dropped;
    return;
  }
  held_bytes_ = bytes;
  held_.push_back({request, entity.serial, {body.begin(), body.end()}, now_ns_ + longest_held_ns});
}

void Session::publish_request(Entity& entity, const Request& request, Bytes body) {
  const pool::RequestIdentity identity{entity.writer->gid(), ++entity.requests};
  if (entity.waiting.size() == most_waiting) {
    entity.waiting.erase(entity.waiting.begin());
  }
  entity.waiting.push_back({identity.sequence, request});
  publish_body(entity, identity, body);
}

/// Those whose server has come go out, in the order in which they came; those that are too old, or
/// whose requester is gone, are dropped.
void Session::release_requests() {
  const auto is_done = [this](const HeldRequest& held) {
    Entity* entity = entities_.find(held.request.object);
    const bool is_here = entity != nullptr && entity->serial == held.serial;
    if (is_here && held.ends_ns > now_ns_ && !has_server(*entity)) {
      return false;
    }
    if (is_here && held.ends_ns > now_ns_) {
      publish_request(*entity, held.request, held.body);
    } else {
      ++figures_.dropped;
    }
    held_bytes_ -= held.body.size();
    return true;
  };
  std::erase_if(held_, is_done);
}

std::int64_t Session::requests_due_ns() const {
  return held_.empty() ? std::numeric_limits<std::int64_t>::max() : held_.front().ends_ns;
}

}  // namespace ligament::xrce
