// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/nvrtc.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "gpu/cuda/library.hpp"

namespace ligament::gpu::cuda {
namespace {

bool find_all(void* library, Nvrtc& nvrtc) {
  bool has_all = true;
  const auto find = [&](auto& function, const char* name) {
    void* found = ::dlsym(library, name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    has_all = has_all && found != nullptr;
  };
  find(nvrtc.error_string, "nvrtcGetErrorString");
  find(nvrtc.architecture_count, "nvrtcGetNumSupportedArchs");
  find(nvrtc.architectures, "nvrtcGetSupportedArchs");
  find(nvrtc.create, "nvrtcCreateProgram");
  find(nvrtc.destroy, "nvrtcDestroyProgram");
  find(nvrtc.add_name, "nvrtcAddNameExpression");
  find(nvrtc.compile, "nvrtcCompileProgram");
  find(nvrtc.log_size, "nvrtcGetProgramLogSize");
  find(nvrtc.log, "nvrtcGetProgramLog");
  find(nvrtc.lowered_name, "nvrtcGetLoweredName");
  find(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  find(nvrtc.cubin, "nvrtcGetCUBIN");
  find(nvrtc.ptx_size, "nvrtcGetPTXSize");
  find(nvrtc.ptx, "nvrtcGetPTX");
  return has_all;
}

unexpected<Error> missing(const std::string& why) {
  return unexpected<Error>(Error{
      ErrorCode::unavailable,
      "there is no CUDA run-time compiler here (" + why +
          "); install the CUDA toolkit 11.2 or later, or `pip install nvidia-cuda-nvrtc-cu12` "
          "and name its libnvrtc in LIGAMENT_NVRTC"});
}

Result<Nvrtc> open_nvrtc(const std::string& wish) {
  std::vector<std::string> names{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                 "/usr/local/cuda/lib64/libnvrtc.so"};
  if (!wish.empty()) {
    names = {wish};
  }
  std::string why;
  for (const std::string& name : names) {
    const auto library = open_library(name);
    Nvrtc nvrtc{};
    if (library && find_all(*library, nvrtc)) {
      return nvrtc;
    }
    why += (why.empty() ? "" : "; ") + (library ? name + " is too old" : library.error());
  }
  return missing(why);
}

}  // namespace

Result<const Nvrtc*> load_nvrtc() {
  return opened_once(library_path("LIGAMENT_NVRTC", ""), open_nvrtc);
}

}  // namespace ligament::gpu::cuda
