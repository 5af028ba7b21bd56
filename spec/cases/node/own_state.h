/* SPDX-License-Identifier: Apache-2.0 */
struct case_own_state {
  int count;
};
