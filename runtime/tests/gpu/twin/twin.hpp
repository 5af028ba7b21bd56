// SPDX-License-Identifier: Apache-2.0
/// \file CUDA's driver and run-time compiler as a library that runs kernels on the processors, for
/// tests on machines without a GPU: streams are threads, device memory is the host's.
///
/// It judges the back-end's own code (order, copies, counts, faults), not NVIDIA's. Threads of a
/// block run one after the other, so kernels with barriers in their midst are beyond it. Its memory
/// and events can be opened by other processes.
///
///   CUDA_TWIN=discrete             memory of its own; else it is integrated
///   CUDA_TWIN=uncached             integrated, and as old as a Jetson TX2
///   CUDA_TWIN=no-read-only         does not register memory that the process may only read
///   CUDA_TWIN=small                has 8 MB, of which 4 are free; else 1024 and 512
///   CUDA_TWIN=no-device            finds none
///   CUDA_TWIN=exclusive            managed memory is the host's or the kernels', not both at once
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The next call of this name, after `skipped` others, gives this number; "kernel": a kernel
/// faults, and all calls give the number from then on.
void cuda_twin_fail(const char* call, int skipped, int status);
/// No faults any more, also of the past.
void cuda_twin_repair(void);
/// Copies between host and device that were made since the library was loaded.
unsigned long cuda_twin_copies(void);  // NOLINT(google-runtime-int): C
/// Of these, such that a driver cannot make asynchronously: the host's memory is not pinned.
unsigned long cuda_twin_pageable_copies(void);  // NOLINT(google-runtime-int): C
/// Pieces of managed memory that belong to a stream now, so that the host must not touch them.
unsigned cuda_twin_attached(void);

/// What was made and not yet given back.
struct CudaTwinLive {
  unsigned events;
  unsigned streams;
  unsigned modules;
  unsigned memories;  ///< the device's, pinned ones, and those of peers
};
struct CudaTwinLive cuda_twin_live(void);

#ifdef __cplusplus
}
#endif
