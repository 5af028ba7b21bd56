/* SPDX-License-Identifier: Apache-2.0 */
/** \file Messages where they lie in the pool, for languages that read or write them in place, such
 * as Python (`ligament.views`).
 *
 *   rmw_ligament_view_t view;
 *   bool taken = false;
 *   rmw_ret_t code = rmw_ligament_take_view(subscription, &view, &taken);
 *   if (code == RMW_RET_OK && taken) {
 *     look_at(view.data, view.size);         // stored form: spec/wire/message.md
 *     rmw_ligament_release_view(&view);      // from any thread, once
 *   }
 *
 * The bytes come from another process, which may be faulty and may still write to them: check every
 * length against `size`, and read a length only once. They are mapped read-only.
 *
 * A view and a loan may outlive the subscription or publisher; a loan can then only be returned.
 * Where a function does not return RMW_RET_OK, rcutils has the text of the error. */
#ifndef RMW_LIGAMENT_CPP__VIEWS_H_
#define RMW_LIGAMENT_CPP__VIEWS_H_

#include <rmw/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Views that a subscription may have out at once. One sample less than it may hold: who waits for
 * a subscription that can take no more would never hear of it, and so could not be told. */
#define RMW_LIGAMENT_MOST_VIEWS 3

/** As many views as there may be are out. Nothing was taken: release one and take again. */
#define RMW_LIGAMENT_RET_TOO_MANY_VIEWS 2001

typedef struct rmw_ligament_view_s {
  const uint8_t* data; /**< the stored form, encapsulation included */
  size_t size;
  int64_t source_timestamp;   /**< real time, nanoseconds, as the next */
  int64_t received_timestamp; /**< when it was taken */
  uint64_t publication_sequence_number;
  uint8_t publisher_gid[RMW_GID_STORAGE_SIZE];
  void* sample; /**< what keeps the bytes; null: released */
} rmw_ligament_view_t;

typedef struct rmw_ligament_loan_s {
  uint8_t* data; /**< `size` bytes to be filled with the stored form; they have any content */
  size_t size;
  void* loan; /**< what keeps the bytes; null: published or returned */
} rmw_ligament_loan_t;

/** The next message of the subscription, like rmw_take. Copies nothing. */
RMW_PUBLIC rmw_ret_t rmw_ligament_take_view(const rmw_subscription_t* subscription,
                                            rmw_ligament_view_t* view, bool* taken);

/** A sequence of numbers in a message in the pool. */
typedef struct rmw_ligament_array_s {
  uint8_t* data; /**< first element; of a view it must not be written to (it is mapped read-only) */
  size_t count;  /**< elements */
} rmw_ligament_array_t;

/** Reads all of a view into `ros_message`, a message of the subscription's type, but one sequence
 * of numbers, whose elements stay in place: that of the member at `offset` bytes in the message,
 * which is left as it is. For elements of more than one byte, whose publisher has not put them on
 * an alignment boundary, `array` is null and the member has them.
 * RMW_RET_INVALID_ARGUMENT: there is no such member. */
RMW_PUBLIC rmw_ret_t rmw_ligament_read_view(const rmw_subscription_t* subscription,
                                            const rmw_ligament_view_t* view, void* ros_message,
                                            size_t offset, rmw_ligament_array_t* array);

/** Ends a view: its bytes must not be read any more. Does nothing where it was released. */
RMW_PUBLIC void rmw_ligament_release_view(rmw_ligament_view_t* view);

/** Lends memory for a message of `size` bytes, of which byte `aligned_offset` lies on an alignment
 * boundary. Publishers of types without strings and sequences lend 4 at once, others 1; nothing
 * else can be published through the latter meanwhile. */
RMW_PUBLIC rmw_ret_t rmw_ligament_borrow_loan(const rmw_publisher_t* publisher, size_t size,
                                              size_t aligned_offset, rmw_ligament_loan_t* loan);

/** Lends memory for `ros_message`, a message of the publisher's type, and writes all of it there
 * but one sequence of numbers, which gets `count` elements of any content to be filled: that of the
 * member at `offset` bytes in the message, whatever it has. Limits as above. */
RMW_PUBLIC rmw_ret_t rmw_ligament_borrow_message(const rmw_publisher_t* publisher,
                                                 const void* ros_message, size_t offset,
                                                 size_t count, rmw_ligament_loan_t* loan,
                                                 rmw_ligament_array_t* array);

/** Publishes what was lent by this publisher. The loan has ended then, also after an error. */
RMW_PUBLIC rmw_ret_t rmw_ligament_publish_loan(const rmw_publisher_t* publisher,
                                               rmw_ligament_loan_t* loan);

/** Ends a loan without publishing. Does nothing where it has ended. */
RMW_PUBLIC void rmw_ligament_return_loan(rmw_ligament_loan_t* loan);

#ifdef __cplusplus
}
#endif

#endif /* RMW_LIGAMENT_CPP__VIEWS_H_ */
