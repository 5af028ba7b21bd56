// SPDX-License-Identifier: Apache-2.0
/// \file The back-end `fpga_uio`: an exported design on a board, or on its stand-in
/// (spec/device/uio.md).
#pragma once

#include <ligament/device.hpp>
#include <memory>

namespace ligament::device {

/// `device`: `/dev/uioN` (default: the first one), or the path of a stand-in. Settings: `memory`,
/// the u-dma-buf of a board; `patience_ms`, how long a design may complete nothing (10000). An
/// artefact is an exported folder's export.json, its format `export`.
[[nodiscard]] Result<std::unique_ptr<Device>> open_fpga_uio(const OpenOptions& options);

}  // namespace ligament::device
