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
  const bool is_direct =
      in.direct.state != Direct::State::none || (in.assembly.is_empty() && begin_direct(in, piece));
  if (is_direct && !outgrows(in, piece)) {
    return continue_direct(in, piece, is_last);
  }
  assemble(stream, in, is_direct ? piece : part.payload, is_last);
}

void Session::assemble(std::uint8_t stream, In& in, Bytes piece, bool is_last) {
  const auto whole = in.assembly.add(piece, is_last);
  figures_.copied += piece.size();
  if (is_last && !whole) {
    return drop_malformed();
  }
  Parts parts(whole.value_or(Bytes{}));
  if (const auto inner = whole ? parts.next() : std::nullopt) {
    process_request(stream, *inner);
  }
}

/// The first piece of a message for a writer, which says how long the message is, up to 64 kB: else
/// it is taken to be as long as its like. `piece` is then the begin of its body.
bool Session::begin_direct(In& in, Bytes& piece) {
  CdrReader reader(piece, true);
  const auto id = static_cast<Submessage>(reader.u8());
  const std::uint8_t flags = reader.u8();
  const std::size_t length = reader.u16();
  const Request request = read_request(reader);
  const bool is_plain = (flags & (flag::format | flag::little_endian)) == flag::little_endian;
  const bool is_open = length == 0;
  if (!reader.is_good() || id != Submessage::write_data || !is_plain ||
      (!is_open && length < request_size)) {
    return false;
  }
  Entity* entity = entities_.find(request.object);
  if (entity == nullptr || entity->kind != Kind::writer ||
      (is_open && !entity->writer->can_shorten())) {
    return false;
  }
  const std::size_t size = is_open ? entity->longest : length - request_size;
  const auto memory = entity->writer->loan_long(encapsulation_size + size);
  if (memory.empty()) {
    return false;
  }
  std::memcpy(memory.data(), little_endian_cdr.data(), encapsulation_size);
  in.direct = {Direct::State::filling,
               request.object,
               entity->serial,
               memory,
               encapsulation_size,
               is_open,
               {}};
  std::copy_n(piece.begin(), in.direct.head.size(), in.direct.head.begin());
  piece = reader.rest();
  return true;
}

/// It is longer than its like: what has come is put together elsewhere, and copied once more.
bool Session::outgrows(In& in, Bytes piece) {
  const Direct direct = in.direct;
  if (direct.state != Direct::State::filling || !direct.is_open ||
      piece.size() <= direct.memory.size() - direct.at) {
    return false;
  }
  Entity* entity = entities_.find(direct.object);
  if (entity == nullptr || entity->serial != direct.serial) {
    return false;
  }
  (void)in.assembly.add(direct.head, false);
  (void)in.assembly.add(direct.memory.first(direct.at).subspan(encapsulation_size), false);
  figures_.copied += direct.at - encapsulation_size;
  in.direct = {};
  entity->writer->drop_long();
  return true;
}

void Session::continue_direct(In& in, Bytes piece, bool is_last) {
  Direct& direct = in.direct;
  Entity* entity = entities_.find(direct.object);
  const bool is_filling = direct.state == Direct::State::filling && entity != nullptr &&
                          entity->serial == direct.serial;
  // What follows the body is no part of it: the reference client fills its last fragment up to a
  // multiple of 4, or sends its whole buffer. Of an open one nothing does: `outgrows` has looked.
  piece =
      is_filling ? piece.first(std::min(piece.size(), direct.memory.size() - direct.at)) : piece;
  if (is_filling) {
    std::copy(piece.begin(), piece.end(),
              direct.memory.begin() + static_cast<std::ptrdiff_t>(direct.at));
    direct.at += piece.size();
    figures_.copied += piece.size();
  }
  if (is_filling && !is_last) {
    return;
  }
  if (is_filling && direct.is_open) {
    entity->writer->shorten_long(direct.at);
    direct.memory = direct.memory.first(direct.at);
  }
  if (is_filling && direct.at == direct.memory.size()) {
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
