/* SPDX-License-Identifier: Apache-2.0 */
/* ListParameters: which names lie below which prefixes, and the groups that they are in. */
#include <string.h>

#include "messages.h"

const char* lig_parameter_get_text(ligament_cdr_t* from) {
  const uint32_t size = ligament_cdr_get_u32(from);
  const uint8_t* bytes = ligament_cdr_get_bytes(from, size);
  if (bytes == NULL || size == 0) {
    return bytes == NULL ? NULL : ""; /* some write an empty text without its zero */
  }
  if (memchr(bytes, 0, size) != bytes + size - 1) {
    from->has_failed = true;
    return NULL;
  }
  return (const char*)bytes;
}

static uint64_t points_in(const char* text) {
  uint64_t count = 0;
  for (; *text != '\0'; ++text) {
    count += *text == '.';
  }
  return count;
}

/* Whether a name lies below a prefix, at most `depth` (0: any) levels. */
static bool lies_below(const char* name, const char* prefix, uint64_t depth) {
  const size_t size = strlen(prefix);
  if (strncmp(name, prefix, size) != 0 || (name[size] != '\0' && name[size] != '.')) {
    return false;
  }
  return depth == 0 || name[size] == '\0' || points_in(name + size + 1) < depth;
}

/* `request` is behind its head. */
static bool is_listed(const char* name, ligament_cdr_t request, uint32_t prefixes, uint64_t depth) {
  if (prefixes == 0) {
    return depth == 0 || points_in(name) < depth;
  }
  for (uint32_t i = 0; i < prefixes; ++i) {
    const char* prefix = lig_parameter_get_text(&request);
    if (prefix != NULL && lies_below(name, prefix, depth)) {
      return true;
    }
  }
  return false;
}

/* The group that a name is in: how many of its letters. */
static size_t group_of(const char* name) {
  const char* point = strrchr(name, '.');
  return point == NULL ? 0 : (size_t)(point - name);
}

/* An earlier one of those that are listed is of the same group. */
static bool is_told(const ligament_parameters_t* parameters, size_t at, uint64_t listed) {
  const char* name = parameters->table[at].name;
  const size_t size = group_of(name);
  for (size_t i = 0; i < at; ++i) {
    const char* other = parameters->table[i].name;
    if ((listed >> i & 1) != 0 && group_of(other) == size && memcmp(other, name, size) == 0) {
      return true;
    }
  }
  return false;
}

static void put_groups(const ligament_parameters_t* parameters, uint64_t listed,
                       ligament_cdr_t* reply) {
  ligament_cdr_put_u32(reply, 0);
  const size_t count_at = reply->at - 4;
  uint32_t count = 0;
  for (size_t i = 0; i < parameters->count; ++i) {
    const char* name = parameters->table[i].name;
    const size_t size = group_of(name);
    if ((listed >> i & 1) != 0 && size != 0 && !is_told(parameters, i, listed)) {
      ligament_cdr_put_u32(reply, (uint32_t)(size + 1));
      ligament_cdr_put_bytes(reply, name, size);
      ligament_cdr_put_u8(reply, 0);
      ++count;
    }
  }
  if (!reply->has_failed) {
    ligament_cdr_t head = *reply;
    head.at = count_at;
    ligament_cdr_put_u32(&head, count);
  }
}

void lig_parameter_answer_list(const ligament_parameters_t* parameters, ligament_cdr_t* request,
                               ligament_cdr_t* reply) {
  const uint32_t prefixes = ligament_cdr_get_count(request, LIG_MOST_ELEMENTS);
  const ligament_cdr_t first = *request;
  for (uint32_t i = 0; i < prefixes && !request->has_failed; ++i) {
    (void)lig_parameter_get_text(request);
  }
  const uint64_t depth = ligament_cdr_get(request, 8);
  uint64_t listed = 0;
  uint32_t count = 0;
  for (size_t i = 0; i < parameters->count; ++i) {
    if (is_listed(parameters->table[i].name, first, prefixes, depth)) {
      listed |= UINT64_C(1) << i;
      ++count;
    }
  }
  ligament_cdr_put_u32(reply, count);
  for (size_t i = 0; i < parameters->count; ++i) {
    if ((listed >> i & 1) != 0) {
      ligament_cdr_put_text(reply, parameters->table[i].name);
    }
  }
  put_groups(parameters, listed, reply);
}
