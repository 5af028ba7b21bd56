// SPDX-License-Identifier: Apache-2.0
#include "transport/dds/participant.hpp"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/dds/engine_ends.h"
#include "transport/dds/engine_errors.hpp"
#include "transport/dds/engine_settings.h"
#include "transport/dds/names.hpp"
#include "transport/dds/qos.hpp"
#include "transport/dds/sockets.hpp"

namespace ligament::dds {

namespace {

static_assert(std::is_same_v<dds_entity_t, std::int32_t>);

unexpected<Error> failure(const std::string& what, dds_return_t code) {
  return unexpected<Error>(Error{fmt::format("{}: {}", what, dds_strretcode(-code))});
}

/// What is wrong and what to do, by what the engine says beside a code that is the same for all.
std::string why_not_joined(const std::string& errors, dds_return_t code) {
  if (errors.find("free participant index") != std::string::npos) {
    return "it is full: every participant of a host takes an index, and none is free here; end "
           "some, or raise MaxAutoParticipantIndex in CYCLONEDDS_URI";
  }
  if (errors.find("interface") != std::string::npos) {
    return fmt::format(
        "no network interface fits ({}); bring one up, or name one that is there in "
        "CYCLONEDDS_URI",
        errors);
  }
  return errors.empty() ? dds_strretcode(-code) : errors;
}

Gid to_gid(const dds_guid_t& guid) {
  Gid gid{};
  std::memcpy(gid.data(), guid.v, gid.size());
  return gid;
}

Gid gid_of_entity(dds_entity_t entity) {
  dds_guid_t guid{};
  (void)dds_get_guid(entity, &guid);
  return to_gid(guid);
}

/// Longer than ROS 2's names (255) and user data (about 160): others' texts that are kept.
constexpr std::size_t longest_text = 512;

/// Whether a topic in DDS can be one of ROS 2, or half of a service, or is that of its graph.
bool is_ros_name(std::string_view topic) {
  return topic_from_dds(topic) || topic.starts_with("rq/") || topic.starts_with("rr/") ||
         topic == graph_info_topic;
}

/// Of a writer that has left, whose last samples are still there. Not 0, which is no writer at all:
/// they came from outside, and what has its gid is known by that.
constexpr Gid unnamed = [] {
  Gid gid{};
  gid.fill(0xff);
  return gid;
}();

struct ListenerDeleter {
  void operator()(dds_listener_t* listener) const { dds_delete_listener(listener); }
};
using Listener = std::unique_ptr<dds_listener_t, ListenerDeleter>;

EngineQos endpoint_qos(const EndpointSpec& spec) {
  EngineQos qos = to_engine(spec.qos);
  dds_qset_userdata(qos.get(), spec.user_data.data(), spec.user_data.size());
  if (spec.ignore_own) {
    dds_qset_ignorelocal(qos.get(), DDS_IGNORELOCAL_PARTICIPANT);
  }
  return qos;
}

/// Who names no form means XCDR1.
bool takes_plain(const dds_qos_t& qos) {
  std::uint32_t count = 0;
  dds_data_representation_id_t* forms = nullptr;
  if (!dds_qget_data_representation(&qos, &count, &forms) || forms == nullptr) {
    return true;
  }
  const bool found =
      count == 0 || std::find(forms, forms + count, DDS_DATA_REPRESENTATION_XCDR1) != forms + count;
  dds_free(forms);
  return found;
}

RemoteEndpoint to_remote(const dds_builtintopic_endpoint_t& found, bool is_writer) {
  RemoteEndpoint endpoint;
  endpoint.gid = to_gid(found.key);
  endpoint.participant = to_gid(found.participant_key);
  endpoint.is_writer = is_writer;
  endpoint.topic = found.topic_name;
  endpoint.type = found.type_name;
  endpoint.qos = from_engine(*found.qos);
  endpoint.is_plain = takes_plain(*found.qos);
  void* bytes = nullptr;
  std::size_t size = 0;
  if (dds_qget_userdata(found.qos, &bytes, &size) && bytes != nullptr) {
    endpoint.user_data.assign(static_cast<const char*>(bytes), size);
    dds_free(bytes);
  }
  return endpoint;
}

}  // namespace

// --- writer --------------------------------------------------------------------------------------

Writer::~Writer() {
  (void)dds_delete(entity_);
  (void)dds_delete(topic_);
}

WriteResult Writer::write(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          std::int64_t source_timestamp_ns,
                          const std::optional<SampleIdentity>& related) {
  ddsi_serdata* data =
      related ? make_related_data(type_, bytes, std::move(owner), source_timestamp_ns, *related)
              : make_raw_data(type_, bytes, std::move(owner), source_timestamp_ns);
  if (data == nullptr) {
    return WriteResult::refused;
  }
  // dds_forwardcdr: as dds_writecdr, with the timestamp that we have set. It takes the reference.
  const dds_return_t written = dds_forwardcdr(entity_, data);
  if (written != DDS_RETCODE_OK) {
    return written == DDS_RETCODE_TIMEOUT ? WriteResult::no_room : WriteResult::refused;
  }
  ++written_;
  return WriteResult::sent;
}

std::int64_t Writer::expect_ack() {
  return static_cast<std::int64_t>(ligament_expect_ack(engine_));
}

bool Writer::has_room() const { return dds_wait_for_acks(entity_, 0) == DDS_RETCODE_OK; }

bool Writer::is_matched_with(const Gid& reader) const {
  constexpr std::size_t prefix = 12;
  const bool is_any = std::all_of(reader.begin() + prefix, reader.end(),
                                  [](std::uint8_t byte) { return byte == 0; });
  const auto end = is_any ? reader.begin() + prefix : reader.end();
  std::vector<dds_instance_handle_t> handles(matched());
  const dds_return_t count = dds_get_matched_subscriptions(entity_, handles.data(), handles.size());
  const auto known = std::min(handles.size(), static_cast<std::size_t>(std::max(count, 0)));
  for (std::size_t i = 0; i < known; ++i) {
    auto* found = dds_get_matched_subscription_data(entity_, handles[i]);
    if (found == nullptr) {
      continue;
    }
    const Gid gid = to_gid(found->key);
    dds_builtintopic_free_endpoint(found);
    if (std::equal(reader.begin(), end, gid.begin())) {
      return true;
    }
  }
  return false;
}

// --- reader --------------------------------------------------------------------------------------

Reader::~Reader() {
  (void)dds_delete(entity_);
  (void)dds_delete(topic_);
}

Gid Reader::gid_of(std::uint64_t publication) {
  const auto known =
      std::find_if(writers_.begin(), writers_.end(),
                   [publication](const auto& pair) { return pair.first == publication; });
  if (known != writers_.end()) {
    return known->second;
  }
  auto* found = dds_get_matched_publication_data(entity_, publication);
  if (found == nullptr) {
    return unnamed;  // it has left
  }
  const Gid gid = to_gid(found->key);
  dds_builtintopic_free_endpoint(found);
  constexpr std::size_t most = 1024;
  if (writers_.size() == most) {
    writers_.clear();  // writers come and go; those that live are looked up again
  }
  writers_.emplace_back(publication, gid);
  return gid;
}

void Reader::drain() {
  const std::lock_guard guard(mutex_);
  constexpr std::uint32_t batch = 16;
  std::array<ddsi_serdata*, batch> data{};
  std::array<dds_sample_info_t, batch> info{};
  for (;;) {
    const dds_return_t count = dds_takecdr(entity_, data.data(), batch, info.data(), DDS_ANY_STATE);
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
      if (handler_ && info[i].valid_data) {
        const std::size_t size = ddsi_serdata_size(data[i]);
        const Gid writer = gid_of(info[i].publication_handle);
        Marks marks = marks_of(*data[i]);
        marks.sequence = writer == unnamed ? 0 : marks.sequence;  // whose number it is, is unknown
        handler_({take_incoming(*data[i]), size, writer, info[i].source_timestamp, marks});
      }
      ddsi_serdata_unref(data[i]);
    }
    if (count < static_cast<dds_return_t>(batch)) {
      return;  // of what comes meanwhile the listener tells
    }
  }
}

// --- participant ---------------------------------------------------------------------------------

expected<std::unique_ptr<Participant>, Error> Participant::create(const ParticipantOptions& options,
                                                                  std::function<void()> on_change) {
  std::unique_ptr<Participant> self(new Participant);
  log_engine();
  self->on_change_ = std::move(on_change);
  self->most_remote_ = options.most_remote;
  const EngineQos qos(dds_create_qos());
  dds_qset_userdata(qos.get(), options.user_data.data(), options.user_data.size());
  const std::string errors = errors_during(
      [&] { self->entity_ = dds_create_participant(options.domain, qos.get(), nullptr); });
  if (self->entity_ < 0) {
    return unexpected<Error>(Error{fmt::format("DDS domain {} cannot be joined: {}", options.domain,
                                               why_not_joined(errors, self->entity_))});
  }
  self->gid_ = gid_of_entity(self->entity_);
  if (auto watching = self->watch_discovery(); !watching) {
    return unexpected<Error>(watching.error());
  }
  return self;
}

Participant::~Participant() {
  if (entity_ > 0) {
    (void)dds_delete(entity_);
  }
  flush_engine_counts();
}

/// Two readers of the engine's own topics, told by listener.
expected<void, Error> Participant::watch_discovery() {
  const Listener listener(dds_create_listener(this));
  dds_lset_data_available(listener.get(), [](dds_entity_t reader, void* self) {
    auto& participant = *static_cast<Participant*>(self);
    const bool writers = dds_get_topic(reader) == DDS_BUILTIN_TOPIC_DCPSPUBLICATION;
    take_discovered(participant, reader, writers);
  });
  publications_ =
      dds_create_reader(entity_, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, listener.get());
  subscriptions_ =
      dds_create_reader(entity_, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION, nullptr, listener.get());
  if (publications_ < 0 || subscriptions_ < 0) {
    return failure("watching discovery", std::min(publications_, subscriptions_));
  }
  take_discovered(*this, publications_, true);
  take_discovered(*this, subscriptions_, false);
  return {};
}

void Participant::take_discovered(Participant& self, std::int32_t reader, bool writers) {
  constexpr std::size_t batch = 32;
  std::array<void*, batch> samples{};
  std::array<dds_sample_info_t, batch> info{};
  bool changed = false;
  for (;;) {
    dds_return_t count = 0;
    {
      // Taken under the lock: what two threads take is kept in that order.
      const std::lock_guard guard(self.mutex_);
      count = dds_take(reader, samples.data(), info.data(), batch, batch);
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
        const auto& found = *static_cast<const dds_builtintopic_endpoint_t*>(samples[i]);
        changed = self.forget(to_gid(found.key)) || changed;
        // A sample without data has only its key.
        if (info[i].valid_data && info[i].instance_state == DDS_ALIVE_INSTANCE_STATE &&
            to_gid(found.participant_key) != self.gid_ && is_ros_name(found.topic_name)) {
          changed = self.keep(to_remote(found, writers)) || changed;
        }
      }
    }
    if (count <= 0) {
      break;
    }
    (void)dds_return_loan(reader, samples.data(), count);
  }
  if (changed) {
    {
      const std::lock_guard guard(self.mutex_);
      ++self.remote_version_;
    }
    self.on_change_();
  }
}

/// Under mutex_.
bool Participant::forget(const Gid& endpoint) {
  const auto known = topic_of_.find(endpoint);
  if (known == topic_of_.end()) {
    return false;
  }
  const auto topic = remote_.find(known->second);
  topic->second.erase(endpoint);
  if (topic->second.empty()) {
    remote_.erase(topic);
  }
  topic_of_.erase(known);
  return true;
}

/// Under mutex_. Whoever is on the network may announce what they like: what they make us keep has
/// a bound.
bool Participant::keep(RemoteEndpoint&& endpoint) {
  if (topic_of_.size() >= most_remote_ || endpoint.topic.size() > longest_text ||
      endpoint.type.size() > longest_text || endpoint.user_data.size() > longest_text) {
    ++ignored_;
    return false;
  }
  topic_of_.emplace(endpoint.gid, endpoint.topic);
  auto& topic = remote_[endpoint.topic];
  const Gid gid = endpoint.gid;
  topic.insert_or_assign(gid, std::move(endpoint));
  return true;
}

std::vector<RemoteEndpoint> Participant::remote_endpoints(const std::string& topic) {
  const std::lock_guard guard(mutex_);
  std::vector<RemoteEndpoint> found;
  if (const auto known = remote_.find(topic); known != remote_.end()) {
    for (const auto& [gid, endpoint] : known->second) {
      found.push_back(endpoint);
    }
  }
  return found;
}

std::vector<RemoteEndpoint> Participant::remote_endpoints() {
  const std::lock_guard guard(mutex_);
  std::vector<RemoteEndpoint> found;
  for (const auto& [topic, endpoints] : remote_) {
    for (const auto& [gid, endpoint] : endpoints) {
      found.push_back(endpoint);
    }
  }
  return found;
}

std::uint64_t Participant::remote_version() {
  const std::lock_guard guard(mutex_);
  return remote_version_;
}

std::optional<std::string> Participant::user_data_of(const Gid& endpoint) {
  const std::lock_guard guard(mutex_);
  const auto known = topic_of_.find(endpoint);
  if (known == topic_of_.end()) {
    return std::nullopt;
  }
  return remote_.at(known->second).at(endpoint).user_data;
}

std::uint64_t Participant::ignored_endpoints() {
  const std::lock_guard guard(mutex_);
  return ignored_;
}

expected<std::int32_t, Error> Participant::create_topic(const EndpointSpec& spec,
                                                        std::shared_ptr<Inbox> inbox,
                                                        const ddsi_sertype** type) {
  // The engine may have this type already and then gives ours back to us as that one.
  ddsi_sertype* raw = make_raw_type(spec.type, std::move(inbox));
  const dds_entity_t topic =
      dds_create_topic_sertype(entity_, spec.topic.c_str(), &raw, nullptr, nullptr, nullptr);
  if (topic < 0) {
    ddsi_sertype_unref(raw);
    return failure(fmt::format("DDS topic {} of type {}", spec.topic, spec.type), topic);
  }
  // The type knows the domain that it is in, and nothing of the domain is sent before its topics.
  engine_ = static_cast<ddsi_domaingv*>(ddsrt_atomic_ldvoidp(&raw->gv));
  ligament_set_engine(engine_);
  (void)wrap_sockets(*engine_);  // of other kinds they need no pace
  if (type != nullptr) {
    *type = raw;
  }
  return topic;
}

template <typename End, typename Status>
void Participant::note_matched(dds_entity_t /*entity*/, const Status status, void* end) {
  auto& own = *static_cast<End*>(end);
  own.matched_.store(status.current_count, std::memory_order_relaxed);
  own.on_change_();
}

expected<std::unique_ptr<Writer>, Error> Participant::create_writer(const EndpointSpec& spec) {
  std::unique_ptr<Writer> writer(new Writer);
  auto topic = create_topic(spec, nullptr, &writer->type_);
  if (!topic) {
    return unexpected<Error>(topic.error());
  }
  writer->topic_ = *topic;
  writer->on_change_ = on_change_;
  const Listener listener(dds_create_listener(writer.get()));
  dds_lset_publication_matched(listener.get(),
                               note_matched<Writer, dds_publication_matched_status_t>);
  writer->entity_ = dds_create_writer(entity_, *topic, endpoint_qos(spec).get(), listener.get());
  if (writer->entity_ < 0) {
    return failure(fmt::format("DDS writer on {}", spec.topic), writer->entity_);
  }
  writer->gid_ = gid_of_entity(writer->entity_);
  writer->engine_ = ligament_find_writer(engine_, writer->gid_.data());
  if (writer->engine_ == nullptr) {
    return failure(fmt::format("DDS writer on {}", spec.topic), DDS_RETCODE_ERROR);
  }
  return writer;
}

void Participant::end_within(const Gid& writer, std::int64_t most_ns) {
  if (engine_ != nullptr) {  // else there was never a writer
    ligament_end_writer_within(engine_, writer.data(), most_ns);
  }
}

expected<std::unique_ptr<Reader>, Error> Participant::create_reader(const EndpointSpec& spec,
                                                                    std::shared_ptr<Inbox> inbox,
                                                                    Reader::Handler handler) {
  std::unique_ptr<Reader> reader(new Reader);
  auto topic = create_topic(spec, std::move(inbox), nullptr);
  if (!topic) {
    return unexpected<Error>(topic.error());
  }
  reader->topic_ = *topic;
  reader->handler_ = std::move(handler);
  reader->on_change_ = on_change_;
  const Listener listener(dds_create_listener(reader.get()));
  dds_lset_subscription_matched(listener.get(),
                                note_matched<Reader, dds_subscription_matched_status_t>);
  const EngineQos qos = endpoint_qos(spec);
  reader->entity_ = dds_create_reader(entity_, *topic, qos.get(), listener.get());
  if (reader->entity_ < 0) {
    return failure(fmt::format("DDS reader on {}", spec.topic), reader->entity_);
  }
  reader->gid_ = gid_of_entity(reader->entity_);
  ligament_read_from_first(engine_, reader->gid_.data());
  // Only now, when the handle is known: what came meanwhile is drained at once.
  dds_lset_data_available(listener.get(),
                          [](dds_entity_t, void* self) { static_cast<Reader*>(self)->drain(); });
  (void)dds_set_listener(reader->entity_, listener.get());
  reader->drain();
  return reader;
}

}  // namespace ligament::dds
