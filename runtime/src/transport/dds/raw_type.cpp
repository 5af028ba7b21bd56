// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/raw_type.hpp"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_misc.h>
#include <dds/ddsi/q_protocol.h>
#include <dds/ddsi/q_radmin.h>
#include <dds/ddsrt/bswap.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>

#include "transport/dds/inline_qos_sender.hpp"
#include "transport/dds/sockets.hpp"

namespace ligament::dds {

namespace {

struct RawType {
  ddsi_sertype base;  // first: the engine sees only this
  std::shared_ptr<Inbox> inbox;
};

struct RawData {
  ddsi_serdata base;  // first: the engine sees only this
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::mutex mutex;                    ///< several readers of one participant share one sample
  std::unique_ptr<Incoming> incoming;  ///< guarded by mutex
  Marks marks;
  bool is_attached = false;  ///< goes out with inline QoS
};

const RawType& as_raw(const ddsi_sertype* type) { return *reinterpret_cast<const RawType*>(type); }
const RawData& as_raw(const ddsi_serdata* data) { return *reinterpret_cast<const RawData*>(data); }

// --- data ----------------------------------------------------------------------------------------

void init(RawData& data, const ddsi_sertype* type, ddsi_serdata_kind kind) {
  ddsi_serdata_init(&data.base, type, kind);
  data.base.hash = type->serdata_basehash;  // one instance: one hash
}

bool same_key(const ddsi_serdata*, const ddsi_serdata*) { return true; }

std::uint32_t size_of(const ddsi_serdata* data) {
  return static_cast<std::uint32_t>(as_raw(data).bytes.size());
}

/// Room in the inbox for a received payload, or null.
std::unique_ptr<RawData> receive(const ddsi_sertype* type, ddsi_serdata_kind kind, std::size_t size,
                                 const Marks& marks) {
  const RawType& raw_type = as_raw(type);
  if (kind != SDK_DATA || raw_type.inbox == nullptr) {
    return nullptr;
  }
  auto incoming = raw_type.inbox->receive(size, marks);
  if (incoming == nullptr || incoming->bytes().size() < size) {
    return nullptr;
  }
  auto data = std::make_unique<RawData>();
  init(*data, type, kind);
  data->bytes = incoming->bytes().first(size);
  data->incoming = std::move(incoming);
  data->marks = marks;
  return data;
}

/// Of the participant that the datagram begins with, whoever has passed it on. The engine has
/// turned round the words of both.
pool::Gid writer_in(const std::byte* packet, const Data_DataFrag_common_t& header) {
  constexpr std::size_t prefix_at = 8;
  std::array<std::uint32_t, 4> words{};
  std::memcpy(words.data(), packet + prefix_at, 3 * sizeof words[0]);
  words[3] = header.writerId.u;
  for (std::uint32_t& word : words) {
    word = ddsrt_toBE4u(word);
  }
  return std::bit_cast<pool::Gid>(words);
}

/// What the data submessage says beside the payload. The engine has checked it, and has turned the
/// words of its header round where that was needed, but not the parameters.
Marks marks_in(const nn_rdata& first) {
  const auto* packet = reinterpret_cast<const std::byte*>(NN_RMSG_PAYLOAD(first.rmsg));
  const std::size_t at = NN_RDATA_SUBMSG_OFF(&first);
  const std::size_t payload = NN_RDATA_PAYLOAD_OFF(&first);
  Data_DataFrag_common_t header;
  if (at == 0 || payload > first.rmsg->chunk.u.size || at + sizeof header > payload) {
    return {};
  }
  std::memcpy(&header, packet + at, sizeof header);
  Marks marks;
  marks.writer = writer_in(packet, header);
  marks.sequence = static_cast<std::int64_t>(fromSN(header.writerSN));
  const std::size_t parameters = at + 8 + header.octetsToInlineQos;
  if ((header.smhdr.flags & DATA_FLAG_INLINE_QOS) != 0 && parameters < payload) {
    const bool little = (header.smhdr.flags & SMFLAG_ENDIANNESS) != 0;
    marks.related = find_related({packet + parameters, payload - parameters},
                                 little ? std::endian::little : std::endian::big);
  }
  return marks;
}

/// The only copy on the inbound route. Fragments come in order and may overlap; each is within the
/// datagram that the engine has checked.
ddsi_serdata* from_fragments(const ddsi_sertype* type, ddsi_serdata_kind kind,
                             const nn_rdata* fragment, std::size_t size) {
  auto data = receive(type, kind, size, marks_in(*fragment));
  if (data == nullptr) {
    return nullptr;
  }
  std::byte* const target = data->incoming->bytes().data();
  std::uint32_t done = 0;
  for (; fragment != nullptr; fragment = fragment->nextfrag) {
    const std::uint32_t end = std::min<std::uint32_t>(fragment->maxp1, size_of(&data->base));
    if (fragment->min > done) {
      return nullptr;  // a gap: the engine does not deliver that
    }
    if (end > done) {
      const auto* payload = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
      std::memcpy(target + done, payload + (done - fragment->min), end - done);
      done = end;
    }
  }
  return done == size ? &data.release()->base : nullptr;
}

ddsi_serdata* from_iov(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                       const ddsrt_iovec_t* parts, std::size_t size) {
  auto data = receive(type, kind, size, {});
  if (data == nullptr) {
    return nullptr;
  }
  std::span<std::byte> rest = data->incoming->bytes().first(size);
  for (ddsrt_msg_iovlen_t i = 0; i < count && !rest.empty(); ++i) {
    const std::size_t length = std::min<std::size_t>(parts[i].iov_len, rest.size());
    std::memcpy(rest.data(), parts[i].iov_base, length);
    rest = rest.subspan(length);
  }
  return rest.empty() ? &data.release()->base : nullptr;
}

/// All samples of a topic without key are of one instance; this stands for it.
ddsi_serdata* make_keyless(const ddsi_sertype* type) {
  auto data = std::make_unique<RawData>();
  init(*data, type, SDK_KEY);
  return &data.release()->base;
}

ddsi_serdata* from_keyhash(const ddsi_sertype* type, const ddsi_keyhash*) {
  return make_keyless(type);
}
ddsi_serdata* to_untyped(const ddsi_serdata* data) {
  ddsi_serdata* untyped = make_keyless(data->type);
  untyped->type = nullptr;
  return untyped;
}

/// dds_write() of a struct is never used; dispose and unregister come here with SDK_KEY.
ddsi_serdata* from_sample(const ddsi_sertype* type, ddsi_serdata_kind kind, const void*) {
  return kind == SDK_KEY ? make_keyless(type) : nullptr;
}

void copy_out(const ddsi_serdata* data, std::size_t offset, std::size_t size, void* target) {
  const auto bytes = as_raw(data).bytes;
  const std::size_t there = offset < bytes.size() ? std::min(size, bytes.size() - offset) : 0;
  std::memcpy(target, bytes.data() + offset, there);
  std::memset(static_cast<std::byte*>(target) + there, 0, size - there);  // padding to 4
}

/// Points the engine's iovec at the bytes where they lie. Up to 3 bytes beyond the payload are
/// read as padding: a block of the pool is longer than its payload by at least that.
ddsi_serdata* refer(const ddsi_serdata* data, std::size_t offset, std::size_t size,
                    ddsrt_iovec_t* part) {
  const auto bytes = as_raw(data).bytes;
  part->iov_base = const_cast<std::byte*>(bytes.data() + offset);
  part->iov_len = static_cast<ddsrt_iov_len_t>(size);
  return ddsi_serdata_ref(data);
}

void unrefer(ddsi_serdata* data, const ddsrt_iovec_t*) { ddsi_serdata_unref(data); }

bool to_sample(const ddsi_serdata*, void*, void**, void*) { return false; }
bool untyped_to_sample(const ddsi_sertype*, const ddsi_serdata*, void*, void**, void*) {
  return true;
}
void free_data(ddsi_serdata* data) {
  auto* raw = reinterpret_cast<RawData*>(data);
  if (raw->is_attached) {
    detach_related(raw->bytes);  // before the bytes go back to their owner
  }
  delete raw;
}

std::size_t print_data(const ddsi_sertype*, const ddsi_serdata* data, char* buffer,
                       std::size_t size) {
  return static_cast<std::size_t>(std::snprintf(buffer, size, "%u bytes", size_of(data)));
}
void keyhash(const ddsi_serdata*, ddsi_keyhash* hash, bool) { std::memset(hash, 0, sizeof *hash); }

const ddsi_serdata_ops& data_operations() {
  static const ddsi_serdata_ops operations = [] {
    ddsi_serdata_ops ops{};
    ops.eqkey = same_key;
    ops.get_size = size_of;
    ops.from_ser = from_fragments;
    ops.from_ser_iov = from_iov;
    ops.from_keyhash = from_keyhash;
    ops.from_sample = from_sample;
    ops.to_ser = copy_out;
    ops.to_ser_ref = refer;
    ops.to_ser_unref = unrefer;
    ops.to_sample = to_sample;
    ops.to_untyped = to_untyped;
    ops.untyped_to_sample = untyped_to_sample;
    ops.free = free_data;
    ops.print = print_data;
    ops.get_keyhash = keyhash;
    return ops;
  }();
  return operations;
}

// --- type ----------------------------------------------------------------------------------------

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete reinterpret_cast<RawType*>(type);
}
/// Two topics with one type have two inboxes, hence two types.
bool equal_types(const ddsi_sertype* a, const ddsi_sertype* b) {
  return as_raw(a).inbox == as_raw(b).inbox;
}
std::uint32_t hash_type(const ddsi_sertype* type) {
  const auto address = reinterpret_cast<std::uintptr_t>(as_raw(type).inbox.get());
  return static_cast<std::uint32_t>(address >> 4);
}
void no_samples(const ddsi_sertype*, void*, std::size_t) {}
void no_realloc(void** pointers, const ddsi_sertype*, void*, std::size_t, std::size_t count) {
  std::fill_n(pointers, count, nullptr);
}
void no_free(const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {}

const ddsi_sertype_ops& type_operations() {
  static const ddsi_sertype_ops operations = [] {
    ddsi_sertype_ops ops{};
    ops.version = ddsi_sertype_v0;
    ops.free = free_type;
    ops.zero_samples = no_samples;
    ops.realloc_samples = no_realloc;
    ops.free_samples = no_free;
    ops.equal = equal_types;
    ops.hash = hash_type;
    // No type id, map or information: ROS 2 types travel without (spec/wire/dds.md).
    return ops;
  }();
  return operations;
}

}  // namespace

ddsi_sertype* make_raw_type(const std::string& type_name, std::shared_ptr<Inbox> inbox) {
  auto type = std::make_unique<RawType>();
  ddsi_sertype_init_flags(&type->base, type_name.c_str(), &type_operations(), &data_operations(),
                          DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  type->base.allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  type->inbox = std::move(inbox);
  return &type.release()->base;
}

ddsi_serdata* make_raw_data(const ddsi_sertype* type, std::span<const std::byte> bytes,
                            std::shared_ptr<const void> owner, std::int64_t source_timestamp_ns) {
  auto data = std::make_unique<RawData>();
  init(*data, type, SDK_DATA);
  data->base.timestamp.v = source_timestamp_ns;
  data->bytes = bytes;
  data->owner = std::move(owner);
  return &data.release()->base;
}

ddsi_serdata* make_related_data(const ddsi_sertype* type, std::span<const std::byte> bytes,
                                std::shared_ptr<const void> owner, std::int64_t source_timestamp_ns,
                                const SampleIdentity& related) {
  auto* domain = static_cast<ddsi_domaingv*>(ddsrt_atomic_ldvoidp(&type->gv));
  if (domain == nullptr || !wrap_sockets(*domain)) {
    return nullptr;
  }
  ddsi_serdata* data = make_raw_data(type, bytes, std::move(owner), source_timestamp_ns);
  attach_related(bytes, related);
  reinterpret_cast<RawData*>(data)->is_attached = true;
  return data;
}

const Marks& marks_of(const ddsi_serdata& data) { return as_raw(&data).marks; }

std::unique_ptr<Incoming> take_incoming(ddsi_serdata& data) {
  auto& raw = reinterpret_cast<RawData&>(data);
  const std::lock_guard guard(raw.mutex);
  return std::move(raw.incoming);
}

}  // namespace ligament::dds
