// SPDX-License-Identifier: Apache-2.0
/// What other participants say of their processes: properties, under names of each engine.
#include <dds/dds.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <ligament/expected.hpp>

#include "transport/dds/participant.hpp"

namespace ligament::dds {

namespace {

/// Longer than host and program names: others' texts that are kept.
constexpr std::size_t longest_shown = 256;

/// The first of these properties that it has; empty where it has none, or says too much.
std::string property_of(const dds_qos_t& qos, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    char* value = nullptr;
    if (dds_qget_prop(&qos, name, &value) && value != nullptr) {
      std::string text(value, strnlen(value, longest_shown + 1));
      dds_free(value);
      return text.size() > longest_shown ? std::string() : text;
    }
  }
  return {};
}

std::optional<std::int32_t> pid_in(const std::string& text) {
  std::int32_t pid = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, pid);
  return read.ec == std::errc() && read.ptr == end && pid > 0 ? std::optional(pid) : std::nullopt;
}

RemoteParticipant to_remote(const dds_builtintopic_participant_t& found) {
  RemoteParticipant remote;
  std::memcpy(remote.gid.data(), found.key.v, remote.gid.size());
  // Cyclone DDS's names, and Fast DDS's.
  remote.pid = pid_in(property_of(*found.qos, {"__Pid", "fastdds.physical_data.process"}));
  remote.host = property_of(*found.qos, {"__Hostname", "fastdds.physical_data.host"});
  remote.program = property_of(*found.qos, {"__ProcessName"});
  return remote;
}

}  // namespace

std::vector<RemoteParticipant> Participant::remote_participants() const {
  std::vector<RemoteParticipant> found;
  const dds_entity_t reader =
      dds_create_reader(entity_, DDS_BUILTIN_TOPIC_DCPSPARTICIPANT, nullptr, nullptr);
  if (reader < 0) {
    return found;
  }
  constexpr std::size_t batch = 32;
  std::array<void*, batch> samples{};
  std::array<dds_sample_info_t, batch> info{};
  for (dds_return_t count = batch; count > 0 && found.size() < most_remote_;) {
    count = dds_take(reader, samples.data(), info.data(), batch, batch);
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
      const auto& one = *static_cast<const dds_builtintopic_participant_t*>(samples[i]);
      if (info[i].valid_data && info[i].instance_state == DDS_ALIVE_INSTANCE_STATE &&
          std::memcmp(one.key.v, gid_.data(), gid_.size()) != 0) {
        found.push_back(to_remote(one));
      }
    }
    if (count > 0) {
      (void)dds_return_loan(reader, samples.data(), count);
    }
  }
  (void)dds_delete(reader);
  return found;
}

}  // namespace ligament::dds
