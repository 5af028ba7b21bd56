// SPDX-License-Identifier: Apache-2.0
/// \file Who we are, for rcl; and how our functions answer.
#pragma once

#include <rcutils/error_handling.h>
#include <rmw/error_handling.h>
#include <rmw/ret_types.h>

#include <new>
#include <source_location>
#include <string>
#include <system_error>

namespace rmw_ligament_cpp {

/// Compared by address, as in all rmw implementations.
extern const char* const identifier;

/// Sets rcl's error text, with the caller's place, and returns `code`.
inline rmw_ret_t fail(const std::string& text, rmw_ret_t code = RMW_RET_ERROR,
                      const std::source_location& place = std::source_location::current()) {
  const std::string path = place.file_name();
  const std::string file = path.substr(path.rfind('/') + 1);
  rcutils_set_error_state(text.c_str(), file.c_str(), place.line());
  return code;
}

/// For what is cleaned up after another failure, which is the one that is told.
template <typename Result>
void ignore(Result /*result*/) {}

/// This process is a child of one that had initialised rmw: the pool is not in its memory.
[[nodiscard]] bool is_forked_child();

/// No exception crosses the C interface: there are none here but for lack of memory, or of threads.
template <typename Work>
rmw_ret_t guarded(const Work& work) {
  if (is_forked_child()) {
    return fail(
        "this process was forked after rmw was initialised, and has no part in the shared memory: "
        "use multiprocessing's start method 'spawn', or initialise a context in the child");
  }
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail("out of memory", RMW_RET_BAD_ALLOC);
  } catch (const std::system_error& error) {
    return fail(std::string("no thread could be started: ") + error.what());
  }
}

/// The same for what makes an object; null where it fails.
template <typename Make>
auto guarded_make(const Make& make) -> decltype(make()) {
  decltype(make()) made = nullptr;
  (void)guarded([&] {
    made = make();
    return RMW_RET_OK;
  });
  return made;
}

template <typename Handle>
rmw_ret_t check_handle(const Handle* handle, const char* name) {
  if (handle == nullptr) {
    return fail(std::string(name) + " is null", RMW_RET_INVALID_ARGUMENT);
  }
  if (handle->implementation_identifier == nullptr) {
    return fail(std::string(name) + " is not initialised", RMW_RET_INVALID_ARGUMENT);
  }
  if (handle->implementation_identifier != identifier) {
    return fail(std::string(name) + " is of another rmw implementation",
                RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
  }
  return RMW_RET_OK;
}

}  // namespace rmw_ligament_cpp

/// Argument checks of all functions: the handle is there, and ours.
#define RMW_LIGAMENT_CHECK(handle)                                                                \
  if (const rmw_ret_t bad = rmw_ligament_cpp::check_handle(handle, #handle); bad != RMW_RET_OK) { \
    return bad;                                                                                   \
  }
#define RMW_LIGAMENT_CHECK_OR_NULL(handle)                             \
  if (rmw_ligament_cpp::check_handle(handle, #handle) != RMW_RET_OK) { \
    return nullptr;                                                    \
  }
