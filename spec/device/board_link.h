// SPDX-License-Identifier: Apache-2.0
/// \file What a stand-in of a board and the back-end `fpga_uio` say to each other
/// (spec/device/uio.md, section 5). Native byte order: both are on one computer.
#pragma once

#include <stdint.h>

/// Bytes of the registers: the places below it are those of spec/device/board.md, section 2.
#define LIGAMENT_BOARD_BYTES 0x20000u
#define LIGAMENT_BOARD_LINK_MAGIC UINT64_C(0x314b4e494c47494c) /* "LIGLINK1" */
#define LIGAMENT_BOARD_MOST_EXTENTS 4096u

/// First message of a connection, from the stand-in, with two file descriptors: the memory that the
/// design reads and writes, and the interrupt. Behind it `extents` of ligament_board_extent.
typedef struct {
  uint64_t magic;
  uint32_t extents; /* 1..LIGAMENT_BOARD_MOST_EXTENTS */
  uint32_t reserved;
} ligament_board_hello;

/// A run of the memory that is contiguous in the design's addresses; in the order of the file.
typedef struct {
  uint64_t address; /* where the design finds it; a multiple of 4096 */
  uint64_t bytes;   /* a multiple of 4096 */
} ligament_board_extent;

enum { LIGAMENT_BOARD_READ = 1, LIGAMENT_BOARD_WRITE = 2 };

/// An access to a register of 64 bits.
typedef struct {
  uint32_t access;
  uint32_t address; /* in bytes */
  uint64_t value;   /* of a write */
} ligament_board_request;

/// Its answer.
typedef struct {
  uint32_t error; /* 0, or AXI's response other than OKAY */
  uint32_t reserved;
  uint64_t value; /* of a read */
} ligament_board_reply;
