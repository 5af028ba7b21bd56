/* SPDX-License-Identifier: Apache-2.0 */
/* The node in an image for a core beside the host. */
#include "imu.h"
#include "ligament/app.h"

int main(void) {
  static const ligament_app_t app = {"imu",      LIGAMENT_BOARD_MAP, 0x00000002,
                                     imu_create, imu_work,           NULL};
  return ligament_app_run(&app);
}
