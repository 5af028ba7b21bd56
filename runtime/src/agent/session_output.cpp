// SPDX-License-Identifier: Apache-2.0
/// What goes to the client: answers, samples, fragments, acknowledgements, heartbeats.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "agent/session.hpp"

namespace ligament::xrce {

namespace {

constexpr std::size_t most_streams = 4;
constexpr std::size_t most_answers = 64;
constexpr std::uint8_t best_effort_answers = first_best_effort;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t millisecond_ns = 1'000'000;

}  // namespace

Header Session::header(std::uint8_t stream, std::uint16_t sequence) const {
  return {options_.id, stream, sequence, options_.key};
}

Session::Out* Session::out_stream(std::uint8_t stream) {
  if (stream == no_stream) {
    return nullptr;
  }
  const auto found = out_.find(stream);
  if (found != out_.end()) {
    return &found->second;
  }
  return out_.size() < 2 * most_streams ? &out_[stream] : nullptr;
}

bool Session::has_room(std::uint8_t stream) {
  const Out* out = out_stream(stream);
  return out != nullptr && (!is_reliable(stream) ||
                            (out->rest.empty() && out->answers.empty() && out->order.has_room()));
}

void Session::answer(std::uint8_t request_stream, const Entities::Answer& answer) {
  if (!answer.text.empty() && options_.log) {
    options_.log(fmt::format("{} (object {:#06x})", answer.text, answer.request.object));
  }
  std::vector<std::byte> status;
  write_status(status, answer.request, answer.status);
  if (request_stream == no_stream) {
    return send_unordered(status);
  }
  send_on(is_reliable(request_stream) ? first_reliable : best_effort_answers, status);
}

void Session::send_unordered(const std::vector<std::byte>& submessages) {
  std::vector<std::byte> head;
  write_header(head, header(no_stream, 0));
  const std::array<Bytes, 2> pieces{Bytes(head), Bytes(submessages)};
  sender_.send(pieces);
}

/// An answer. On a reliable stream without room it waits behind what waits already.
void Session::send_on(std::uint8_t stream, Bytes submessage) {
  Out* out = out_stream(stream);
  if (out == nullptr) {
    return;
  }
  if (is_reliable(stream)) {
    if (has_room(stream)) {
      send_reliable(stream, *out, std::span(&submessage, 1));
    } else if (out->answers.size() < most_answers) {
      out->answers.emplace_back(submessage.begin(), submessage.end());
    } else {
      ++figures_.dropped;  // a client that asks on and on, and acknowledges nothing
    }
    return;
  }
  std::vector<std::byte> head;
  write_header(head, header(stream, out->best_effort_next));
  out->best_effort_next = advanced(out->best_effort_next, 1);
  const std::array<Bytes, 2> pieces{Bytes(head), submessage};
  sender_.send(pieces);
}

/// There is room. The copy is kept until it is acknowledged, in the link's memory if it has some.
void Session::send_reliable(std::uint8_t stream, Out& out, std::span<const Bytes> submessage) {
  const std::uint16_t sequence = out.order.next();
  ReliableOutput::Held& held = out.order.push(now_ns_);
  std::vector<std::byte>& head = held.bytes;
  write_header(head, header(stream, sequence));
  std::size_t size = head.size();
  for (const Bytes& piece : submessage) {
    size += piece.size();
  }
  held.memory = sender_.lend ? sender_.lend(size) : nullptr;
  if (held.memory) {
    auto to = std::copy(head.begin(), head.end(), held.memory->bytes().begin());
    for (const Bytes& piece : submessage) {
      to = std::copy(piece.begin(), piece.end(), to);
    }
  } else {
    head.reserve(size);
    for (const Bytes& piece : submessage) {
      head.insert(head.end(), piece.begin(), piece.end());
    }
  }
  send_held(held);
}

void Session::send_held(ReliableOutput::Held& held) const {
  if (held.memory) {
    return held.memory->send();
  }
  const Bytes whole(held.bytes);
  sender_.send(std::span(&whole, 1));
}

/// What had no room before, now that something was acknowledged.
void Session::send_waiting(std::uint8_t stream, Out& out) {
  send_fragments(stream, out);
  while (!out.answers.empty() && out.rest.empty() && out.order.has_room()) {
    const Bytes answer(out.answers.front());
    send_reliable(stream, out, std::span(&answer, 1));
    out.answers.pop_front();
  }
}

/// As many of the fragments that are left as the stream has room for.
void Session::send_fragments(std::uint8_t stream, Out& out) {
  const std::size_t head = header(stream, 0).size() + subheader_size;
  const std::size_t piece_size = (options_.mtu - head) / 4 * 4;
  while (!out.rest.empty() && out.order.has_room()) {
    const std::size_t whole = out.rest.size() + out.rest_body.size();
    const std::size_t size = std::min(piece_size, whole - out.sent);
    const bool is_last = out.sent + size == whole;
    std::vector<std::byte> subheader;
    write_subheader(subheader, Submessage::fragment,
                    is_last ? flag::last_fragment : std::uint8_t{0}, size);
    const std::size_t of_rest =
        std::min(size, out.rest.size() - std::min(out.sent, out.rest.size()));
    const std::size_t of_body = size - of_rest;
    const std::size_t at =
        out.sent + of_rest - out.rest.size();  // of the body, where there is some
    const std::array<Bytes, 3> pieces{Bytes(subheader),
                                      Bytes(out.rest).subspan(of_rest == 0 ? 0 : out.sent, of_rest),
                                      of_body == 0 ? Bytes{} : out.rest_body.subspan(at, of_body)};
    send_reliable(stream, out, pieces);
    out.sent += size;
    if (is_last) {
      out.rest.clear();
      out.rest_body = {};
      out.sent = 0;
    }
  }
}

/// A reader that is asked anew, or ends, keeps its sample no longer: what is left of it is copied.
void Session::own_bodies() {
  for (auto& [stream, out] : out_) {
    out.rest.insert(out.rest.end(), out.rest_body.begin(), out.rest_body.end());
    out.rest_body = {};
  }
}

void Session::send_acknacks() {
  for (auto& [stream, in] : reliable_in_) {
    if (in.owes_acknack) {
      in.owes_acknack = false;
      std::vector<std::byte> acknack;
      write_acknack(acknack, in.order.acknack(stream));
      send_unordered(acknack);
    }
  }
}

void Session::flush(std::int64_t now_ns) {
  now_ns_ = now_ns;
  release_requests();
  send_acknacks();
  deliver(now_ns);
}

/// One of each alternately, so that one busy topic does not keep the others waiting.
void Session::deliver(std::int64_t now_ns) {
  constexpr int most_at_once = 64;
  const auto readings = entities_.readings();
  bool has_more = !readings.empty();
  for (int turn = 0; has_more && turn < most_at_once; ++turn) {
    has_more = false;
    for (const auto& [id, entity] : readings) {
      has_more = deliver_one(id, *entity, now_ns) || has_more;
    }
  }
}

bool Session::deliver_one(std::uint16_t id, Entity& entity, std::int64_t now_ns) {
  if (!entity.reading) {
    return false;
  }
  Reading& reading = *entity.reading;
  if (reading.ends_ns != 0 && now_ns >= reading.ends_ns) {
    entity.reading.reset();
    return false;
  }
  if (now_ns < reading.not_before_ns || !has_room(reading.wanted.stream)) {
    return false;
  }
  const auto sample = entity.reader->take();
  if (!sample) {
    return false;
  }
  std::vector<std::byte>& head = scratch_;
  head.clear();
  if (!data_head(id, entity, *sample, head)) {
    return true;
  }
  const Bytes body = sample->stored.subspan(encapsulation_size);
  const bool is_sent = send_data(reading.wanted.stream, head, body);
  ++(is_sent ? figures_.delivered : figures_.dropped);
  if (reading.wanted.pace_ms != 0) {
    reading.not_before_ns = now_ns + reading.wanted.pace_ms * millisecond_ns;
  }
  if (const std::uint16_t rate = reading.wanted.bytes_per_second; rate != 0 && rate != 0xFFFF) {
    const auto size = static_cast<std::int64_t>(sample->stored.size());
    reading.not_before_ns = std::max(reading.not_before_ns, now_ns + size * second_ns / rate);
  }
  if (reading.left != Reading::endless && --reading.left == 0) {
    entity.reading.reset();
  }
  return true;
}

/// What goes before the body; false: this sample is not for the client.
bool Session::data_head(std::uint16_t id, Entity& entity, const BusSample& sample,
                        std::vector<std::byte>& head) {
  if (sample.stored.size() < encapsulation_size) {
    return false;
  }
  CdrWriter writer(head);
  write_request(writer, {entity.reading->wanted.request.id, id});
  if (entity.kind == Kind::replier) {
    if (sample.request == pool::RequestIdentity{}) {
      return false;
    }
    writer.bytes(std::as_bytes(std::span(sample.request.client)));
    const auto number = static_cast<std::uint64_t>(sample.request.sequence);
    writer.u32(static_cast<std::uint32_t>(number >> 32U));
    writer.u32(static_cast<std::uint32_t>(number & 0xFFFFFFFFU));
  } else if (entity.kind == Kind::requester) {
    const auto found = std::find_if(
        entity.waiting.begin(), entity.waiting.end(),
        [&](const Waiting& waiting) { return waiting.sequence == sample.request.sequence; });
    if (sample.request.client != entity.writer->gid() || found == entity.waiting.end()) {
      return false;
    }
    write_request(writer, found->request);
    entity.waiting.erase(found);
  }
  return true;
}

/// Best effort: the body goes from the pool into the system call. Reliable: one copy, which is kept
/// until it is acknowledged. False: best effort has no fragments.
bool Session::send_data(std::uint8_t stream, const std::vector<std::byte>& head, Bytes body) {
  const std::size_t size = head.size() + body.size();
  Out* out = out_stream(stream);
  const bool is_one = header(stream, 0).size() + subheader_size + size <= options_.mtu;
  if (!is_one && !is_reliable(stream)) {
    return false;
  }
  std::vector<std::byte> start;
  if (!is_reliable(stream)) {
    write_header(start, header(stream, out->best_effort_next));
    out->best_effort_next = advanced(out->best_effort_next, 1);
  }
  write_subheader(start, Submessage::data, 0, size);
  const std::array<Bytes, 3> pieces{Bytes(start), Bytes(head), body};
  if (!is_reliable(stream)) {
    sender_.send(pieces);
    return true;
  }
  if (is_one) {
    send_reliable(stream, *out, pieces);
    return true;
  }
  // The body stays where it is: its reader is not asked for another one before all of it is sent.
  out->rest.insert(out->rest.end(), start.begin(), start.end());
  out->rest.insert(out->rest.end(), head.begin(), head.end());
  out->rest_body = body;
  send_fragments(stream, *out);
  return true;
}

std::int64_t Session::tick(std::int64_t now_ns) {
  now_ns_ = now_ns;
  release_requests();
  std::int64_t next = requests_due_ns();
  for (auto& [stream, out] : out_) {
    auto due = out.order.heartbeat_due_ns();
    if (due && *due <= now_ns) {
      std::vector<std::byte> heartbeat;
      write_heartbeat(heartbeat, out.order.heartbeat(stream, now_ns));
      send_unordered(heartbeat);
      due = out.order.heartbeat_due_ns();
    }
    next = std::min(next, due.value_or(next));
  }
  return std::min(next, deliver_paced(now_ns));
}

/// What had to wait may go now, and nothing else wakes us for it; returns when the next may.
std::int64_t Session::deliver_paced(std::int64_t now_ns) {
  const auto readings = entities_.readings();
  const bool is_due = std::any_of(readings.begin(), readings.end(), [now_ns](const auto& one) {
    return one.second->reading->not_before_ns != 0 && one.second->reading->not_before_ns <= now_ns;
  });
  if (is_due) {
    deliver(now_ns);
  }
  auto next = std::numeric_limits<std::int64_t>::max();
  for (const auto& [id, entity] : entities_.readings()) {
    std::int64_t& due = entity->reading->not_before_ns;
    due = due <= now_ns ? 0 : due;
    next = due != 0 ? std::min(next, due) : next;
  }
  return next;
}

void Session::probe(std::int64_t now_ns) {
  now_ns_ = now_ns;
  Out* out = out_stream(first_reliable);
  if (out != nullptr) {
    std::vector<std::byte> heartbeat;
    write_heartbeat(heartbeat, out->order.heartbeat(first_reliable, now_ns));
    send_unordered(heartbeat);
  }
}

}  // namespace ligament::xrce
