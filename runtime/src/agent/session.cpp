// SPDX-License-Identifier: Apache-2.0
/// What comes from the client. In fragments: session_fragments.cpp. Into the pool:
/// session_publish.cpp. What goes to it: session_output.cpp.
#include "agent/session.hpp"

namespace ligament::xrce {

namespace {

constexpr std::size_t most_streams = 4;
constexpr std::int64_t second_ns = 1'000'000'000;

/// The stream of that number, made if there is room for another; null: there is not.
template <typename Stream>
Stream* stream_of(std::map<std::uint8_t, Stream>& streams, std::uint8_t number) {
  const auto found = streams.find(number);
  if (found != streams.end()) {
    return &found->second;
  }
  return streams.size() < most_streams ? &streams[number] : nullptr;
}

}  // namespace

Session::Session(Options options, Bus& bus, const Profiles& profiles, Sender sender)
    : options_(std::move(options)),
      bus_(bus),
      entities_(bus, profiles, options_.entities),
      sender_(std::move(sender)) {}

void Session::restart(std::size_t mtu, Sender sender) {
  options_.mtu = mtu;
  sender_ = std::move(sender);
  for (auto& [number, in] : reliable_in_) {
    give_up_fragments(in);
  }
  reliable_in_.clear();
  best_effort_in_.clear();
  out_.clear();
  held_.clear();  // its requests begin to count anew: an old reply would answer a new one
  held_bytes_ = 0;
  for (const auto& [id, entity] : entities_.readings()) {
    entity->reading.reset();
    entity->waiting.clear();
  }
}

SessionFigures Session::figures() const {
  SessionFigures all = figures_;
  for (const auto& [number, stream] : best_effort_in_) {
    all.lost += stream.lost();
  }
  for (const auto& [number, stream] : reliable_in_) {
    all.lost += stream.order.lost();
  }
  return all;
}

void Session::receive(const Header& header, Bytes behind_header, std::int64_t now_ns,
                      std::int64_t real_ns) {
  now_ns_ = now_ns;
  real_ns_ = real_ns;
  last_heard_ns_ = now_ns;
  if (header.stream == no_stream) {
    process(no_stream, behind_header);
  } else if (is_reliable(header.stream)) {
    receive_reliable(header.stream, header.sequence, behind_header);
  } else {
    BestEffortInput* stream = stream_of(best_effort_in_, header.stream);
    if (stream != nullptr && stream->accept(header.sequence)) {
      process(header.stream, behind_header);
    }
  }
}

void Session::receive_reliable(std::uint8_t stream, std::uint16_t sequence, Bytes bytes) {
  In* in = stream_of(reliable_in_, stream);
  if (in == nullptr) {
    return;
  }
  in->owes_acknack = true;
  const auto verdict = in->order.accept(sequence, bytes);
  figures_.copied += verdict == ReliableInput::Verdict::kept ? bytes.size() : 0;
  if (verdict != ReliableInput::Verdict::now) {
    return;
  }
  process(stream, bytes);
  while (const auto kept = in->order.next_kept()) {
    process(stream, *kept);
  }
}

void Session::process(std::uint8_t stream, Bytes submessages) {
  Parts parts(submessages);
  while (const auto part = parts.next()) {
    if (part->id == Submessage::write_data) {
      write_data(stream, *part);
      continue;
    }
    publish_gathered();  // the rest of a message may end what they are for
    process_part(stream, *part);
  }
  publish_gathered();
  if (!parts.is_good()) {
    drop_malformed();
  }
}

void Session::process_part(std::uint8_t stream, const Part& part) {
  switch (part.id) {
    case Submessage::timestamp:
      return timestamp(part);
    case Submessage::get_info:
      return get_info(part);
    case Submessage::fragment:
      return process_fragment(stream, part);
    case Submessage::acknack:
    case Submessage::heartbeat:
    case Submessage::reset:
      return stream == no_stream ? process_control(part) : drop_malformed();
    default:
      return process_request(stream, part);
  }
}

/// What is for a stream comes on none: so no stream is changed while its messages are read.
void Session::process_control(const Part& part) {
  if (part.id == Submessage::acknack) {
    acknack(part);
  } else if (part.id == Submessage::heartbeat) {
    heartbeat(part);
  } else {
    restart(options_.mtu, sender_);
  }
}

/// What may also come in fragments.
void Session::process_request(std::uint8_t stream, const Part& part) {
  switch (part.id) {
    case Submessage::create:
      return create(stream, part);
    case Submessage::remove:
      return remove(stream, part);
    case Submessage::write_data:
      return write_data(stream, part);
    case Submessage::read_data:
      return read_data(stream, part);
    default:
      return;  // of a later version, or for clients
  }
}

void Session::create(std::uint8_t stream, const Part& part) {
  if (part.payload.size() < request_size) {
    return drop_malformed();
  }
  // Texts are looked at more than once, and a core may still write where it lies.
  const std::vector<std::byte> own(part.payload.begin(), part.payload.end());
  Part copied = part;
  copied.payload = own;
  own_bodies();
  answer(stream, entities_.create(copied));
}

void Session::remove(std::uint8_t stream, const Part& part) {
  CdrReader reader = part.reader();
  const Request request = read_request(reader);
  if (!reader.is_good()) {
    return drop_malformed();
  }
  if (request.object != object_client) {
    own_bodies();
    return answer(stream, entities_.remove(request));
  }
  has_ended_ = true;
  std::vector<std::byte> status;
  write_status(status, request, Status::ok);
  send_unordered(status);
}

void Session::read_data(std::uint8_t stream, const Part& part) {
  const auto wanted = read_read_data(part);
  if (!wanted) {
    return drop_malformed();
  }
  const auto say = [&](Status status, const char* text) {
    answer(stream, {wanted->request, status, text});
  };
  Entity* entity = entities_.find(wanted->request.object);
  if (entity == nullptr || entity->reader == nullptr) {
    return say(Status::unknown_reference, "nothing here can be read from");
  }
  if (wanted->samples == 0) {  // the end of an earlier one, of whatever stream
    own_bodies();
    entity->reading.reset();
    return say(Status::ok, "");
  }
  if (wanted->has_filter) {
    return say(Status::incompatible, "a content filter");
  }
  if (wanted->format != 0 || out_stream(wanted->stream) == nullptr) {
    return say(Status::invalid_data, "an unknown format, or a stream too many");
  }
  own_bodies();
  const std::int64_t ends = wanted->seconds == 0 ? 0 : now_ns_ + wanted->seconds * second_ns;
  entity->reading = {*wanted, wanted->samples, ends, 0};
}

void Session::acknack(const Part& part) {
  const auto said = read_acknack(part);
  if (!said) {
    return drop_malformed();
  }
  const auto found = out_.find(said->stream);
  if (found == out_.end() || !is_reliable(said->stream)) {
    return;
  }
  std::vector<ReliableOutput::Held*> again;
  found->second.order.acknowledge(*said, now_ns_, again);
  for (ReliableOutput::Held* message : again) {
    send_held(*message);
  }
  send_waiting(said->stream, found->second);
}

void Session::heartbeat(const Part& part) {
  const auto said = read_heartbeat(part);
  if (!said || !is_reliable(said->stream)) {
    return drop_malformed();
  }
  In* in = stream_of(reliable_in_, said->stream);
  if (in == nullptr) {
    return;
  }
  in->owes_acknack = true;
  if (in->order.announce(said->first, said->last)) {
    give_up_fragments(*in);
  }
  while (const auto kept = in->order.next_kept()) {
    process(said->stream, *kept);
  }
}

void Session::timestamp(const Part& part) {
  const auto sent = read_timestamp(part);
  if (!sent) {
    return drop_malformed();
  }
  std::vector<std::byte> reply;
  write_timestamp_reply(reply, Time::of(real_ns_), Time::of(real_ns_), *sent);
  send_unordered(reply);
}

void Session::get_info(const Part& part) {
  CdrReader reader = part.reader();
  const Request request = read_request(reader);
  if (!reader.is_good()) {
    return drop_malformed();
  }
  std::vector<std::byte> info;
  write_info(info, request, true);
  send_unordered(info);
}

}  // namespace ligament::xrce
