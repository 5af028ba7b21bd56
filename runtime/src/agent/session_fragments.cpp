// SPDX-License-Identifier: Apache-2.0
/// Messages that come in fragments.
#include <algorithm>
#include <cstring>

#include "agent/session.hpp"

namespace ligament::xrce {

void Session::process_fragment(std::uint8_t stream, const Part& part) {
  const auto found = reliable_in_.find(stream);
  if (found == reliable_in_.end()) {
    return drop_malformed();  // best effort has no fragments
  }
  const bool is_last = (part.flags & flag::last_fragment) != 0;
  In& in = found->second;
  Bytes piece = part.payload;
  if (in.direct.state != Direct::State::none ||
      (in.assembly.is_empty() && begin_direct(in, piece))) {
    return continue_direct(in, piece, is_last);
  }
  const auto whole = in.assembly.add(part.payload, is_last);
  figures_.copied += part.payload.size();
  if (is_last && !whole) {
    return drop_malformed();
  }
  Parts parts(whole.value_or(Bytes{}));
  if (const auto inner = whole ? parts.next() : std::nullopt) {
    process_request(stream, *inner);
  }
}

/// The first piece of a message for a writer, which says how long the message is: `piece` is then
/// the begin of its body.
bool Session::begin_direct(In& in, Bytes& piece) {
  CdrReader reader(piece, true);
  const auto id = static_cast<Submessage>(reader.u8());
  const std::uint8_t flags = reader.u8();
  const std::size_t length = reader.u16();
  const Request request = read_request(reader);
  const bool is_plain = (flags & (flag::format | flag::little_endian)) == flag::little_endian;
  if (!reader.is_good() || id != Submessage::write_data || !is_plain || length < request_size) {
    return false;
  }
  Entity* entity = entities_.find(request.object);
  if (entity == nullptr || entity->kind != Kind::writer) {
    return false;
  }
  const auto memory = entity->writer->loan_long(encapsulation_size + length - request_size);
  if (memory.empty()) {
    return false;
  }
  std::memcpy(memory.data(), little_endian_cdr.data(), encapsulation_size);
  in.direct = {Direct::State::filling, request.object, entity->serial, memory, encapsulation_size};
  piece = reader.rest();
  return true;
}

void Session::continue_direct(In& in, Bytes piece, bool is_last) {
  Direct& direct = in.direct;
  Entity* entity = entities_.find(direct.object);
  const bool is_filling = direct.state == Direct::State::filling && entity != nullptr &&
                          entity->serial == direct.serial;
  const bool fits = is_filling && piece.size() <= direct.memory.size() - direct.at;
  if (fits) {
    std::copy(piece.begin(), piece.end(),
              direct.memory.begin() + static_cast<std::ptrdiff_t>(direct.at));
    direct.at += piece.size();
    figures_.copied += piece.size();
  }
  if (fits && !is_last) {
    return;
  }
  if (fits && direct.at == direct.memory.size()) {
    entity->writer->publish_long();
    ++figures_.received;
  } else if (is_filling) {
    entity->writer->drop_long();
    drop_malformed();
  }
  direct = {};
  direct.state = is_last ? Direct::State::none : Direct::State::skipping;
}

/// What of it was received is none any more.
void Session::give_up_fragments(In& in) {
  if (in.direct.state == Direct::State::filling) {
    Entity* entity = entities_.find(in.direct.object);
    if (entity != nullptr && entity->serial == in.direct.serial) {
      entity->writer->drop_long();
    }
  }
  in.direct = {};
  in.assembly.clear();
}

}  // namespace ligament::xrce
