# SPDX-License-Identifier: Apache-2.0
function(ligament_add_trace target)
endfunction()
