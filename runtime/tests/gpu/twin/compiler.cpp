// SPDX-License-Identifier: Apache-2.0
/// The run-time compiler's calls, by the host's compiler. The image of a module is a path.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "emulated.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/cuda/signature.hpp"

namespace cuda = ligament::gpu::cuda;
using Status = cuda::NvrtcStatus;

namespace ligament::gpu::cuda {
struct OpaqueNvrtcProgram {
  std::string text;
  std::string log;
  std::string image;
};
}  // namespace ligament::gpu::cuda

namespace {

constexpr Status compile_failed = 6;

/// What the driver calls: all threads of the grid, and the sizes of the parameters.
std::string caller_of(const cuda::Signature& kernel) {
  std::string sizes;
  std::string arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string& type = kernel.parameters[i].type;
    sizes += "sizeof(" + type + "), ";
    arguments += std::string(i == 0 ? "" : ", ") + "*(" + type + "*)p[" + std::to_string(i) + "]";
  }
  return "extern \"C\" const unsigned twin_sizes_" + kernel.name + "[] = {" + sizes +
         "0};\n"
         "extern \"C\" void twin_" +
         kernel.name +
         "(void** p, const unsigned* g, const unsigned* b) {\n"
         "  gridDim = dim3(g[0], g[1], g[2]); blockDim = dim3(b[0], b[1], b[2]);\n"
         "  uint3 i, j;\n"
         "  for (i.z = 0; i.z < g[2]; ++i.z) for (i.y = 0; i.y < g[1]; ++i.y)\n"
         "  for (i.x = 0; i.x < g[0]; ++i.x) for (j.z = 0; j.z < b[2]; ++j.z)\n"
         "  for (j.y = 0; j.y < b[1]; ++j.y) for (j.x = 0; j.x < b[0]; ++j.x) {\n"
         "    blockIdx = i; threadIdx = j;\n    " +
         kernel.name + "(" + arguments + ");\n  }\n}\n";
}

std::string whole_text(const std::string& kernels) {
  std::string text = std::string(twin::emulated) + kernels + "\n#line 1 \"twin\"\n";
  const auto all = cuda::signatures_of(kernels);
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_again = false;
    for (std::size_t j = 0; j < i; ++j) {
      is_again = is_again || all[j].name == all[i].name;
    }
    text += is_again ? std::string() : caller_of(all[i]);
  }
  return text;
}

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Each text once, also between tests, each of which is a process of its own.
bool compile(cuda::OpaqueNvrtcProgram& program) {
  (void)::mkdir(CUDA_TWIN_CACHE, 0755);
  const std::string text = whole_text(program.text);
  const std::string base =
      std::string(CUDA_TWIN_CACHE) + "/" + std::to_string(std::hash<std::string>()(text));
  program.image = base + ".so";
  if (::access(program.image.c_str(), R_OK) == 0) {
    return true;
  }
  const std::string own = base + "." + std::to_string(::getpid());
  std::ofstream(own + ".cpp") << text;
  // -ffp-contract: as --fmad=false; processors of today would round once otherwise.
  const std::string command = std::string(CUDA_TWIN_COMPILER) +
                              " -std=c++17 -O1 -w -ffp-contract=off -shared -fPIC -o " + own +
                              ".so " + own + ".cpp > " + own + ".log 2>&1";
  const bool done = std::system(command.c_str()) == 0;
  program.log = read_file(own + ".log");
  if (done) {
    (void)std::rename((own + ".so").c_str(), program.image.c_str());
  }
  for (const char* end : {".cpp", ".log"}) {
    (void)::unlink((own + end).c_str());
  }
  return done;
}

}  // namespace

extern "C" {

const char* nvrtcGetErrorString(Status status) {
  return status == cuda::nvrtc_success ? "success" : "an error of the twin";
}
Status nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return cuda::nvrtc_success;
}
Status nvrtcGetSupportedArchs(int* all) {
  all[0] = 62;
  all[1] = 87;
  return cuda::nvrtc_success;
}
Status nvrtcCreateProgram(cuda::NvrtcProgram* program, const char* text, const char* /*name*/,
                          int /*headers*/, const char* const* /*header_texts*/,
                          const char* const* /*header_names*/) {
  *program = new cuda::OpaqueNvrtcProgram{text, {}, {}};
  return cuda::nvrtc_success;
}
Status nvrtcDestroyProgram(cuda::NvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return cuda::nvrtc_success;
}
Status nvrtcAddNameExpression(cuda::NvrtcProgram /*program*/, const char* /*name*/) {
  return cuda::nvrtc_success;
}
Status nvrtcCompileProgram(cuda::NvrtcProgram program, int /*options*/,
                           const char* const* /*texts*/) {
  return compile(*program) ? cuda::nvrtc_success : compile_failed;
}
Status nvrtcGetProgramLogSize(cuda::NvrtcProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return cuda::nvrtc_success;
}
Status nvrtcGetProgramLog(cuda::NvrtcProgram program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return cuda::nvrtc_success;
}
Status nvrtcGetLoweredName(cuda::NvrtcProgram /*program*/, const char* name, const char** lowered) {
  *lowered = name;
  return cuda::nvrtc_success;
}
Status nvrtcGetCUBINSize(cuda::NvrtcProgram program, std::size_t* size) {
  *size = program->image.size() + 1;
  return cuda::nvrtc_success;
}
Status nvrtcGetCUBIN(cuda::NvrtcProgram program, char* image) {
  std::memcpy(image, program->image.c_str(), program->image.size() + 1);
  return cuda::nvrtc_success;
}
Status nvrtcGetPTXSize(cuda::NvrtcProgram program, std::size_t* size) {
  return nvrtcGetCUBINSize(program, size);
}
Status nvrtcGetPTX(cuda::NvrtcProgram program, char* image) {
  return nvrtcGetCUBIN(program, image);
}

}  // extern "C"
