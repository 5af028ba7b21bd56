// SPDX-License-Identifier: Apache-2.0
/// \file Statuses of a publisher or subscription, from the pool's to rmw's: kept until they are
/// taken one by one, which the pool does not do.
#pragma once

#include <rmw/event.h>

#include <array>
#include <ligament/detail/pool.hpp>
#include <mutex>

namespace rmw_ligament_cpp {

class Context;

class EventSource {
 public:
  explicit EventSource(Context& context_in) : context(context_in) {}
  virtual ~EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;

  /// Whether that status has changed since it was last taken.
  [[nodiscard]] bool has_changed(rmw_event_type_t type);
  /// Writes the status to `info`, of the struct of that event; its changes start again from 0.
  void take(rmw_event_type_t type, void* info);
  /// Changes of that status, ever: for callbacks.
  [[nodiscard]] std::uint64_t changes(rmw_event_type_t type);

  Context& context;

 protected:
  virtual void absorb() = 0;  ///< under mutex_: what the pool knows that is new
  virtual void copy(rmw_event_type_t type, void* info) = 0;
  void note(rmw_event_type_t type, bool has_changed_now);

 private:
  struct Status {
    bool is_new = false;
    std::uint64_t changes = 0;
  };
  std::mutex mutex_;
  std::array<Status, RMW_EVENT_PUBLICATION_MATCHED + 1> statuses_{};
};

class WriterEventSource final : public EventSource {
 public:
  using EventSource::EventSource;
  ligament::pool::Writer* writer = nullptr;  ///< before the first event is asked for

 private:
  void absorb() override;
  void copy(rmw_event_type_t type, void* info) override;
  ligament::pool::WriterEvents now_;
};

class ReaderEventSource final : public EventSource {
 public:
  using EventSource::EventSource;
  ligament::pool::Reader* reader = nullptr;

 private:
  void absorb() override;
  void copy(rmw_event_type_t type, void* info) override;
  ligament::pool::ReaderEvents now_;
};

}  // namespace rmw_ligament_cpp
