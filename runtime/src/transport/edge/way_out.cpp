// SPDX-License-Identifier: Apache-2.0
#include "transport/edge/way_out.hpp"

namespace ligament::edge {

expected<std::unique_ptr<WayOut>, std::string> WayOut::open(
    pool::Domain& domain, pool::Waiter& waiter, const pool::EndpointDescription& wanted) {
  auto reader = domain.create_reader(wanted, waiter);
  if (!reader) {
    return unexpected<std::string>(reader.error().text);
  }
  std::unique_ptr<WayOut> self(new WayOut);
  self->description_ = wanted;
  self->reader_ = std::move(*reader);
  return self;
}

void WayOut::set_writers(std::map<std::uint64_t, dds::Writer*> writers) {
  const std::lock_guard guard(mutex_);
  writers_ = std::move(writers);
}

void WayOut::send(pool::HeldSample&& sample) {
  const auto writer = writers_.find(sample.info().publisher);
  if (writer == writers_.end()) {
    return;  // what another edge, or our own way in, has brought here
  }
  const std::span<const std::byte> bytes = sample.payload();
  const std::int64_t timestamp = sample.info().source_timestamp_ns;
  auto owner = std::make_shared<pool::HeldSample>(std::move(sample));
  if (writer->second->write(bytes, std::move(owner), timestamp)) {
    ++figures_.sent;
    figures_.bytes += bytes.size();
  } else {
    ++figures_.refused;
  }
}

bool WayOut::pump() {
  bool any = false;
  for (;;) {
    auto sample = reader_->take();
    const std::lock_guard guard(mutex_);
    if (!sample) {
      ++figures_.held_back;
      return any;  // the next release wakes us
    }
    if (!*sample) {
      return any;
    }
    any = true;
    send(std::move(**sample));
  }
}

WayOutFigures WayOut::figures() const {
  const std::lock_guard guard(mutex_);
  WayOutFigures figures = figures_;
  figures.lost = reader_->stats().lost;
  return figures;
}

}  // namespace ligament::edge
