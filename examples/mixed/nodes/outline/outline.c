/* SPDX-License-Identifier: Apache-2.0 */
#include "example_outline.h"

void example_outline_start(example_outline_t* node) { (void)node; }

static bool is_white(const sensor_msgs__msg__Image* image, uint32_t row, uint32_t column) {
  return image->data.values[row * image->step + column] != 0;
}

/* What is outside counts as black. Unsigned: one before the first is beyond the last. */
static bool has_black_neighbour(const sensor_msgs__msg__Image* image, uint32_t row,
                                uint32_t column) {
  static const int steps[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t beside_row = row + (uint32_t)steps[i][0];
    const uint32_t beside_column = column + (uint32_t)steps[i][1];
    if (beside_row >= image->height || beside_column >= image->width ||
        !is_white(image, beside_row, beside_column)) {
      return true;
    }
  }
  return false;
}

void example_outline_on_image(example_outline_t* node, const sensor_msgs__msg__Image* image) {
  static sensor_msgs__msg__Image out;
  const bool is_whole = image->width <= image->step && image->height != 0 &&
                        image->step <= image->data.count / image->height;
  if (!is_whole) {
    example_outline_log(node, "an image is dropped: its data are too short");
    return;
  }
  out = *image;
  for (uint32_t row = 0; row < image->height; ++row) {
    for (uint32_t column = 0; column < image->width; ++column) {
      const bool is_kept = is_white(image, row, column) && has_black_neighbour(image, row, column);
      out.data.values[row * image->step + column] = is_kept ? 255 : 0;
    }
  }
  (void)example_outline_publish_outline(node, &out); /* counted where it fails */
}
