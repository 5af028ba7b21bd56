// SPDX-License-Identifier: Apache-2.0
#include "rmw_ligament_cpp/views.h"

#include <rmw/types.h>

#include <cstring>
#include <memory>
#include <utility>

#include "endpoints.hpp"
#include "identifier.hpp"
#include "qos.hpp"
#include "tracing.hpp"

namespace rmw_ligament_cpp {

namespace pool = ligament::pool;

namespace {

/// With as many, a subscription that waits can still be told (views.h).
static_assert(RMW_LIGAMENT_MOST_VIEWS < max_held);

/// What a view keeps. The count is that of its subscription, which may go before.
class HeldView {
 public:
  HeldView(pool::HeldSample sample, std::shared_ptr<std::atomic<std::uint32_t>> count)
      : sample_(std::move(sample)), count_(std::move(count)) {}
  ~HeldView() { --*count_; }
  HeldView(const HeldView&) = delete;
  HeldView& operator=(const HeldView&) = delete;
  [[nodiscard]] const pool::HeldSample& sample() const { return sample_; }

 private:
  pool::HeldSample sample_;
  std::shared_ptr<std::atomic<std::uint32_t>> count_;
};

/// Counts a view before there is one, so that two threads cannot both take the last.
class Place {
 public:
  explicit Place(std::atomic<std::uint32_t>& count)
      : count_(&count), is_free_(count.fetch_add(1) < RMW_LIGAMENT_MOST_VIEWS) {}
  ~Place() {
    if (count_ != nullptr) {
      --*count_;
    }
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  [[nodiscard]] bool is_free() const { return is_free_; }
  void keep() { count_ = nullptr; }  ///< from now on the view's

 private:
  std::atomic<std::uint32_t>* count_;
  bool is_free_;
};

void tell(const rmw_message_info_t& info, rmw_ligament_view_t& view) {
  view.source_timestamp = info.source_timestamp;
  view.received_timestamp = info.received_timestamp;
  view.publication_sequence_number = info.publication_sequence_number;
  std::memcpy(view.publisher_gid, info.publisher_gid.data, sizeof view.publisher_gid);
}

rmw_ret_t take_view(Subscription& own, rmw_ligament_view_t& view, bool& taken) {
  Place place(*own.views);
  if (!place.is_free()) {
    return fail("all messages that the subscription may show at once are in use: release some",
                RMW_LIGAMENT_RET_TOO_MANY_VIEWS);
  }
  rmw_ret_t result = RMW_RET_OK;
  auto sample = next_sample(own, result);
  if (!sample) {
    return result;
  }
  rmw_message_info_t info;
  describe(sample->info(), info);
  tell(info, view);
  auto held = std::make_unique<HeldView>(std::move(*sample), own.views);
  place.keep();
  const auto bytes = held->sample().payload();
  view.data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  view.size = bytes.size();
  view.sample = held.release();
  taken = true;
  return RMW_RET_OK;
}

rmw_ret_t no_such_member(const MessageType& type, std::size_t offset) {
  return fail(
      "no sequence of numbers lies " + std::to_string(offset) + " bytes into a " + type.name(),
      RMW_RET_INVALID_ARGUMENT);
}

rmw_ret_t read_view(const MessageType& type, const rmw_ligament_view_t& view, void* message,
                    std::size_t offset, rmw_ligament_array_t& array) {
  MessageType::Apart apart = type.apart(offset);
  if (apart.field == nullptr) {
    return no_such_member(type, offset);
  }
  const std::span stored(reinterpret_cast<const std::byte*>(view.data), view.size);
  bool is_read = type.read(stored, message, apart);
  auto* const first = const_cast<std::uint8_t*>(view.data) + apart.position;
  if (is_read && reinterpret_cast<std::uintptr_t>(first) % apart.field->width == 0) {
    array = {first, apart.count};
  } else if (is_read) {
    is_read = type.read(stored, message);
  }
  return is_read
             ? RMW_RET_OK
             : fail("a message of " + std::to_string(view.size) + " bytes is no " + type.name());
}

rmw_ret_t borrow_loan(Publisher& own, std::size_t size, std::size_t aligned_offset,
                      rmw_ligament_loan_t& out) {
  const std::lock_guard guard(own.mutex);
  auto loan = own.writer->loan(size, aligned_offset);
  if (!loan) {
    return fail("no " + own.type->name() + " of " + std::to_string(size) +
                    " bytes is lent: " + std::string(pool::to_string(loan.error())),
                loan.error() == pool::LoanError::out_of_memory ? RMW_RET_BAD_ALLOC : RMW_RET_ERROR);
  }
  auto kept = std::make_unique<pool::Loan>(std::move(*loan));
  out.data = reinterpret_cast<std::uint8_t*>(kept->payload().data());
  out.size = kept->payload().size();
  out.loan = kept.release();
  return RMW_RET_OK;
}

rmw_ret_t borrow_message(Publisher& own, const void* message, MessageType::Apart apart,
                         rmw_ligament_loan_t& loan, rmw_ligament_array_t& array) {
  const Measure measure = own.type->measure(message, apart);
  if (!measure.fits) {
    return fail("a string or sequence of the " + own.type->name() + " is longer than its bound");
  }
  const rmw_ret_t result = borrow_loan(own, measure.size, measure.aligned_offset, loan);
  if (result == RMW_RET_OK) {
    own.type->write(message, {reinterpret_cast<std::byte*>(loan.data), loan.size}, apart);
    array = {loan.data + apart.position, apart.count};
  }
  return result;
}

}  // namespace

}  // namespace rmw_ligament_cpp

using namespace rmw_ligament_cpp;

extern "C" {

rmw_ret_t rmw_ligament_take_view(const rmw_subscription_t* subscription, rmw_ligament_view_t* view,
                                 bool* taken) {
  RMW_LIGAMENT_CHECK(subscription);
  RMW_CHECK_ARGUMENT_FOR_NULL(view, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(taken, RMW_RET_INVALID_ARGUMENT);
  *view = {};
  *taken = false;
  return guarded(
      [&] { return take_view(*static_cast<Subscription*>(subscription->data), *view, *taken); });
}

rmw_ret_t rmw_ligament_read_view(const rmw_subscription_t* subscription,
                                 const rmw_ligament_view_t* view, void* ros_message, size_t offset,
                                 rmw_ligament_array_t* array) {
  RMW_LIGAMENT_CHECK(subscription);
  RMW_CHECK_ARGUMENT_FOR_NULL(view, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(view->sample, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(array, RMW_RET_INVALID_ARGUMENT);
  *array = {};
  return guarded([&] {
    const auto& own = *static_cast<Subscription*>(subscription->data);
    return read_view(*own.type, *view, ros_message, offset, *array);
  });
}

void rmw_ligament_release_view(rmw_ligament_view_t* view) {
  if (view == nullptr || is_forked_child()) {
    return;
  }
  delete static_cast<HeldView*>(std::exchange(view->sample, nullptr));
}

rmw_ret_t rmw_ligament_borrow_loan(const rmw_publisher_t* publisher, size_t size,
                                   size_t aligned_offset, rmw_ligament_loan_t* loan) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(loan, RMW_RET_INVALID_ARGUMENT);
  *loan = {};
  if (size < encapsulation_size || aligned_offset > size) {
    return fail("a loan of " + std::to_string(size) + " bytes has no room for a message",
                RMW_RET_INVALID_ARGUMENT);
  }
  return guarded([&] {
    return borrow_loan(*static_cast<Publisher*>(publisher->data), size, aligned_offset, *loan);
  });
}

rmw_ret_t rmw_ligament_borrow_message(const rmw_publisher_t* publisher, const void* ros_message,
                                      size_t offset, size_t count, rmw_ligament_loan_t* loan,
                                      rmw_ligament_array_t* array) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(ros_message, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(loan, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(array, RMW_RET_INVALID_ARGUMENT);
  *loan = {};
  *array = {};
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    MessageType::Apart apart = own.type->apart(offset);
    apart.count = count;
    return apart.field == nullptr ? no_such_member(*own.type, offset)
                                  : borrow_message(own, ros_message, apart, *loan, *array);
  });
}

rmw_ret_t rmw_ligament_publish_loan(const rmw_publisher_t* publisher, rmw_ligament_loan_t* loan) {
  RMW_LIGAMENT_CHECK(publisher);
  RMW_CHECK_ARGUMENT_FOR_NULL(loan, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(loan->loan, RMW_RET_INVALID_ARGUMENT);
  return guarded([&] {
    auto& own = *static_cast<Publisher*>(publisher->data);
    const std::unique_ptr<pool::Loan> kept(
        static_cast<pool::Loan*>(std::exchange(loan->loan, nullptr)));
    const std::lock_guard guard(own.mutex);
    return publish(*own.writer, std::move(*kept), tracing::begin_ns());
  });
}

void rmw_ligament_return_loan(rmw_ligament_loan_t* loan) {
  if (loan == nullptr || is_forked_child()) {
    return;
  }
  delete static_cast<pool::Loan*>(std::exchange(loan->loan, nullptr));
}

}  // extern "C"
