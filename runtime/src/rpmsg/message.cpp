// SPDX-License-Identifier: Apache-2.0
// Messages of a link: with headers over the rings, large ones by the slab or in parts, raw ones.
#include <algorithm>
#include <cstring>

#include "rpmsg/link.hpp"

namespace ligament::rpmsg {

namespace {

/// Copies of all pieces what comes after the first `skip` bytes, as much as fits.
void copy_pieces(std::span<std::byte> to, std::span<const Bytes> pieces, std::size_t skip) {
  for (Bytes piece : pieces) {
    const std::size_t skipped = std::min(skip, piece.size());
    piece = piece.subspan(skipped);
    skip -= skipped;
    const std::size_t fits = std::min(to.size(), piece.size());
    std::copy_n(piece.begin(), fits, to.begin());
    to = to.subspan(fits);
  }
}

template <typename T>
T read_as(Bytes bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

std::uint32_t Link::payload() const {
  return area_.map().buffer_size - (raw() ? 0 : LIGAMENT_RPMSG_HEADER);
}

std::size_t Link::limit() const {
  if (!running() || !large()) {
    return running() ? payload() : 0;
  }
  return std::max<std::size_t>(slab_.most(), std::size_t{payload()} * area_.map().count);
}

// --- receiving
// ------------------------------------------------------------------------------------

/// Twice around the ring at most, so that a core that never stops leaves time to others.
void Link::receive() {
  const std::uint32_t most = 2 * area_.map().count;
  std::uint32_t taken = 0;
  while (taken < most && phase_ == Phase::running) {
    const auto used = to_host_.take();
    if (!used) {
      return breach(used.error());
    }
    if (!*used) {
      break;
    }
    const auto [id, size] = **used;
    take(Bytes(to_host_.buffer(id), size));
    if (phase_ != Phase::running) {
      return;  // the rings are nobody's now
    }
    to_host_.give(id, area_.map().buffer_size);
    to_host_.publish();
    ++taken;
  }
  fence();
  if (taken > 0 && load(area_.control().core.wants) != 0) {
    ring_bell();
  }
  if (taken == most) {
    wake_self();
  }
}

/// Where it lies: the core can write there still, so headers are copied, then checked.
void Link::take(Bytes message) {
  if (raw()) {
    return deliver(Header{}, message);
  }
  if (message.size() < LIGAMENT_RPMSG_HEADER) {
    return breach("it sent a message without a header");
  }
  const auto header = read_as<Header>(message);
  const Bytes rest = message.subspan(LIGAMENT_RPMSG_HEADER);
  if (header.length > rest.size()) {
    return breach("it sent a message that is longer than its buffer");
  }
  const Bytes data = rest.first(header.length);
  if (large() && (header.flags & LIGAMENT_RPMSG_SLAB) != 0) {
    return take_extent(header, data);
  }
  if (large() && (in_parts_ || (header.flags & LIGAMENT_RPMSG_MORE) != 0)) {
    return take_part(header, data);
  }
  deliver(header, data);
}

void Link::take_extent(const Header& header, Bytes payload) {
  if (in_parts_ || payload.size() != sizeof(Extent)) {
    return breach("it sent an extent that is none");
  }
  const auto extent = read_as<Extent>(payload);
  const auto data = slab_.theirs(extent);
  if (!data) {
    return breach(data.error());
  }
  deliver(header, *data);
  if (phase_ == Phase::running) {
    slab_.give_back(extent);
  }
}

void Link::take_part(const Header& header, Bytes payload) {
  if (!in_parts_) {
    in_parts_ = true;
    too_large_ = false;
    assembling_ = header;
    parts_.clear();
  }
  if (header.source != assembling_.source || header.destination != assembling_.destination) {
    return breach("it mixed the parts of two messages");
  }
  too_large_ = too_large_ || payload.size() > options_.max_parts_size - parts_.size();
  if (!too_large_) {
    parts_.insert(parts_.end(), payload.begin(), payload.end());
    figures_.copied += payload.size();
  }
  if ((header.flags & LIGAMENT_RPMSG_MORE) != 0) {
    return;
  }
  in_parts_ = false;
  if (too_large_) {
    ++figures_.dropped;
    return;
  }
  const std::vector<std::byte> whole = std::exchange(parts_, {});
  deliver(header, whole);
}

void Link::deliver(const Header& header, Bytes data) {
  if (!raw() && header.destination == LIGAMENT_RPMSG_NAME_SERVICE) {
    return announced(header, data);
  }
  ++figures_.received;
  if (handlers_.message) {
    handlers_.message(header.source, header.destination, data);
  }
}

void Link::announced(const Header& header, Bytes payload) {
  if (payload.size() != sizeof(ligament_rpmsg_announcement_t)) {
    ++figures_.dropped;
    return;
  }
  const auto said = read_as<ligament_rpmsg_announcement_t>(payload);
  const std::size_t size = ::strnlen(said.name, sizeof said.name);
  const bool printable = std::all_of(said.name, said.name + size,
                                     [](char letter) { return letter > ' ' && letter < 127; });
  const Channel channel{std::string(said.name, size), said.address};
  const auto known = std::find_if(channels_.begin(), channels_.end(), [&](const Channel& other) {
    return other.address == channel.address;
  });
  const bool there = said.flags == 0;
  const bool useful = there ? known == channels_.end() && channels_.size() < options_.max_channels
                            : known != channels_.end() && known->name == channel.name;
  if (size == 0 || size == sizeof said.name || !printable || said.flags > 1 ||
      said.address != header.source || !useful) {
    ++figures_.dropped;
    return;
  }
  there ? channels_.push_back(channel) : void(channels_.erase(known));
  if (handlers_.channel) {
    handlers_.channel(channel, there);
  }
}

// --- sending
// --------------------------------------------------------------------------------------

void Link::reclaim() {
  while (phase_ == Phase::running) {
    const auto used = to_core_.take();
    if (!used) {
      return breach(used.error());
    }
    if (!*used) {
      return;
    }
    free_.push_back((*used)->id);
  }
}

/// Then look once more: the core gives back, then looks at this word.
void Link::want(std::uint32_t what) {
  wants_ |= what;
  store(area_.control().host.wants, wants_);
  fence();
}

SendStatus Link::reserve(std::size_t buffers) {
  if (free_.size() < buffers) {
    reclaim();
  }
  if (free_.size() < buffers && running()) {
    want(LIGAMENT_RPMSG_WANTS_BUFFERS);
    reclaim();
  }
  if (!running()) {
    return SendStatus::down;
  }
  return free_.size() < buffers ? SendStatus::full : SendStatus::ok;
}

/// Fills the next buffer with `size` bytes of the pieces, from `skip`.
void Link::fill(const Header& header, std::span<const Bytes> pieces, std::size_t skip,
                std::size_t size) {
  const std::uint16_t id = free_.back();
  free_.pop_back();
  std::byte* buffer = to_core_.buffer(id);
  const std::size_t before = raw() ? 0 : sizeof header;
  std::memcpy(buffer, &header, before);
  copy_pieces({buffer + before, size}, pieces, skip);
  to_core_.give(id, static_cast<std::uint32_t>(before + size));
}

SendStatus Link::publish() {
  to_core_.publish();
  ++figures_.sent;
  ring_bell();
  return SendStatus::ok;
}

SendStatus Link::send(std::uint32_t from, std::uint32_t to, std::span<const Bytes> pieces) {
  std::size_t size = 0;
  for (const Bytes& piece : pieces) {
    size += piece.size();
  }
  if (!running()) {
    return SendStatus::down;
  }
  if (size > limit()) {
    return SendStatus::too_large;
  }
  const Header header{from, to, 0, static_cast<std::uint16_t>(size), 0};
  if (size > payload()) {
    return send_large(header, pieces, size);
  }
  if (const auto reserved = reserve(1); reserved != SendStatus::ok) {
    return reserved;
  }
  fill(header, pieces, 0, size);
  return publish();
}

SendStatus Link::send_large(Header header, std::span<const Bytes> pieces, std::size_t size) {
  if (const auto reserved = reserve(1); reserved != SendStatus::ok) {
    return reserved;
  }
  auto extent = slab_.allocate(size);
  const std::size_t parts = (size + payload() - 1) / payload();
  if (!extent && parts > area_.map().count) {
    want(LIGAMENT_RPMSG_WANTS_EXTENTS);
    extent = slab_.allocate(size);
  }
  if (extent) {
    copy_pieces({slab_.ours(*extent), size}, pieces, 0);
    header.length = sizeof *extent;
    header.flags = LIGAMENT_RPMSG_SLAB;
    const Bytes descriptor = std::as_bytes(std::span(&*extent, 1));
    fill(header, std::span(&descriptor, 1), 0, sizeof *extent);
    return publish();
  }
  if (parts > area_.map().count) {
    return SendStatus::full;
  }
  if (const auto reserved = reserve(parts); reserved != SendStatus::ok) {
    return reserved;
  }
  send_parts(header, pieces, size);
  return publish();
}

void Link::send_parts(Header header, std::span<const Bytes> pieces, std::size_t size) {
  for (std::size_t done = 0; done < size; done += header.length) {
    header.length = static_cast<std::uint16_t>(std::min<std::size_t>(size - done, payload()));
    header.flags = done + header.length < size ? LIGAMENT_RPMSG_MORE : 0;
    fill(header, pieces, done, header.length);
  }
}

}  // namespace ligament::rpmsg
