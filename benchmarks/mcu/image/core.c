/* SPDX-License-Identifier: Apache-2.0 */
/* The node on a core beside the host. */
#include "echo.h"
#include "ligament/app.h"

int main(void) {
  static const ligament_app_t app = {"bench", LIGAMENT_BOARD_MAP, 0x0000BE7C, echo_create, NULL,
                                     NULL};
  return ligament_app_run(&app);
}
