// SPDX-License-Identifier: Apache-2.0
// The engine's own C API: generated type, dds_write, dds_take, a wait set. CYCLONEDDS_URI
// configures it, as it does the edges that it is measured beside.
#include <dds/dds.h>

#include <algorithm>
#include <vector>

#include "bytes.h"
#include "channel.hpp"

namespace ligament::bench_dds {

namespace {

dds_entity_t checked(dds_entity_t entity, const char* what) {
  if (entity < 0) {
    fail(std::string(what) + ": " + dds_strretcode(-entity));
  }
  return entity;
}

class CycloneChannel final : public Channel {
 public:
  CycloneChannel(const Options& options, const std::string& out, const std::string& in)
      : participant_(checked(dds_create_participant(options.domain_id, nullptr, nullptr),
                             "joining the domain")),
        data_(options.bytes, 0x5a) {
    dds_qos_t* qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(100));
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, static_cast<std::int32_t>(options.depth));
    if (!out.empty()) {
      writer_ = checked(dds_create_writer(participant_, topic(out), qos, nullptr), "the writer");
    }
    if (!in.empty()) {
      reader_ = checked(dds_create_reader(participant_, topic(in), qos, nullptr), "the reader");
      const dds_entity_t ready = dds_create_readcondition(reader_, DDS_ANY_STATE);
      waitset_ = checked(dds_create_waitset(participant_), "the wait set");
      (void)dds_waitset_attach(waitset_, ready, 0);
    }
    dds_delete_qos(qos);
  }

  ~CycloneChannel() override {
    if (taken_ != nullptr) {
      dds_sample_free(taken_, &ligament_bench_Bytes_desc, DDS_FREE_ALL);
    }
    (void)dds_delete(participant_);
  }
  CycloneChannel(const CycloneChannel&) = delete;
  CycloneChannel& operator=(const CycloneChannel&) = delete;

  std::size_t listeners() override {
    const dds_return_t count = dds_get_matched_subscriptions(writer_, nullptr, 0);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }

  std::optional<std::int64_t> send(std::uint64_t sequence) override {
    ligament_bench_Bytes message{};
    message.data._length = static_cast<std::uint32_t>(data_.size());
    message.data._maximum = message.data._length;
    message.data._buffer = data_.data();
    const Stamp stamp{sequence, now_ns()};
    std::memcpy(data_.data(), &stamp, sizeof stamp);
    const bool good = dds_write(writer_, &message) == DDS_RETCODE_OK;
    return good ? std::optional(stamp.sent_ns) : std::nullopt;
  }

  std::optional<Stamp> receive(std::int64_t deadline_ns) override {
    for (;;) {
      dds_sample_info_t info{};
      void* sample = taken_;
      if (sample == nullptr) {
        taken_ = sample = dds_alloc(sizeof(ligament_bench_Bytes));
        std::memset(sample, 0, sizeof(ligament_bench_Bytes));
      }
      const dds_return_t count = dds_take(reader_, &sample, &info, 1, 1);
      if (count > 0 && info.valid_data) {
        return stamp_of(*static_cast<const ligament_bench_Bytes*>(sample));
      }
      const std::int64_t left = deadline_ns - now_ns();
      if (left <= 0) {
        return std::nullopt;
      }
      (void)dds_waitset_wait(waitset_, nullptr, 0, std::min<std::int64_t>(left, DDS_MSECS(500)));
    }
  }

 private:
  dds_entity_t topic(const std::string& name) const {
    return checked(dds_create_topic(participant_, &ligament_bench_Bytes_desc,
                                    ("rt/" + name).c_str(), nullptr, nullptr),
                   "the topic");
  }

  static Stamp stamp_of(const ligament_bench_Bytes& message) {
    Stamp stamp;
    if (message.data._length < sizeof stamp) {
      fail("a message is too short");
    }
    std::memcpy(&stamp, message.data._buffer, sizeof stamp);
    return stamp;
  }

  dds_entity_t participant_;
  dds_entity_t writer_ = 0;
  dds_entity_t reader_ = 0;
  dds_entity_t waitset_ = 0;
  void* taken_ = nullptr;  ///< one message, whose buffer is used again
  std::vector<std::uint8_t> data_;
};

}  // namespace

std::unique_ptr<Channel> open_cyclone(const Options& options, const std::string& out,
                                      const std::string& in) {
  return std::make_unique<CycloneChannel>(options, out, in);
}

}  // namespace ligament::bench_dds
