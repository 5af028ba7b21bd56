/* SPDX-License-Identifier: Apache-2.0 */
struct own_state {
  int count;
};
