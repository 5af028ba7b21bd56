// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/compiler.hpp"

#include <algorithm>
#include <cstdlib>

#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/nvrtc.hpp"
#include "gpu/cuda/opencl_c.hpp"
#include "gpu/sources.hpp"

namespace ligament::gpu::cuda {
namespace {

/// A node may have both: a kernel tuned for CUDA takes precedence over the one for all devices.
std::vector<Source> chosen(const std::vector<Source>& all) {
  std::vector<Source> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found), is_cuda);
  return found.empty() ? all : found;
}

/// Calls the kernel for each index of the exact space, and for no other.
std::string entry_of(const Signature& kernel) {
  std::string parameters;
  std::string arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    parameters += kernel.parameters[i].type + " " + name + ", ";
    arguments += (i == 0 ? "" : ", ") + name;
  }
  return "extern \"C\" __global__ void ligament_entry_" + kernel.name + "(" + parameters +
         "ulong x, ulong y, ulong z) {\n"
         "  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {\n"
         "    ligament_sizes[0] = x; ligament_sizes[1] = y; ligament_sizes[2] = z;\n"
         "  }\n"
         "  __syncthreads();\n"
         "  if (get_global_id(0) < x && get_global_id(1) < y && get_global_id(2) < z) " +
         kernel.name + "(" + arguments + ");\n}\n";
}

/// One text of all sources, with what belongs before and after them.
struct Text {
  std::string all;
  std::vector<Signature> signatures;
  bool is_opencl = true;
  bool keeps_products = false;  ///< a product and a sum must not become one rounding
};

Text text_of(const ProgramDescription& description) {
  Text text;
  const auto sources = chosen(description.sources);
  text.is_opencl = std::none_of(sources.begin(), sources.end(), is_cuda);
  text.all = text.is_opencl ? opencl_c : "";
  for (const Source& source : sources) {
    text.all += with_line(source);
    text.keeps_products =
        text.keeps_products || source.text.find("FP_CONTRACT OFF") != std::string::npos;
    for (Signature& found : signatures_of(source.text)) {
      text.signatures.push_back(std::move(found));
    }
  }
  text.all += "#line 1 \"ligament\"\n";
  for (const KernelDescription& wanted : description.kernels) {
    const auto found = find_signature(text.signatures, wanted.name);
    text.all += text.is_opencl && found ? entry_of(*found) : std::string();
  }
  return text;
}

class Compilation {
 public:
  explicit Compilation(const Nvrtc& nvrtc) : nvrtc_(nvrtc) {}
  ~Compilation() {
    if (program_ != nullptr) {
      (void)nvrtc_.destroy(&program_);
    }
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  [[nodiscard]] Result<void> run(const Text& text, const ProgramDescription& description,
                                 Architecture architecture) {
    const auto made = nvrtc_.create(&program_, text.all.c_str(), "kernels", 0, nullptr, nullptr);
    if (made != nvrtc_success) {
      return failure(ErrorCode::unavailable, nvrtc_.error_string(made));
    }
    if (!text.is_opencl) {
      for (const KernelDescription& kernel : description.kernels) {
        if (find_signature(text.signatures, kernel.name)) {
          (void)nvrtc_.add_name(program_, kernel.name.c_str());
        }
      }
    }
    const auto options = options_for(text, architecture);
    std::vector<const char*> pointers;
    for (const std::string& option : options) {
      pointers.push_back(option.c_str());
    }
    const auto done = nvrtc_.compile(program_, static_cast<int>(pointers.size()), pointers.data());
    return done == nvrtc_success
               ? Result<void>()
               : failure(ErrorCode::not_compiled, names_of(description.sources) +
                                                      " cannot be compiled for CUDA (" + target_ +
                                                      "):\n" + log());
  }

  [[nodiscard]] Result<std::vector<char>> image() const {
    std::size_t size = 0;
    auto done =
        is_machine_code_ ? nvrtc_.cubin_size(program_, &size) : nvrtc_.ptx_size(program_, &size);
    std::vector<char> bytes(size);
    if (done == nvrtc_success) {
      done = is_machine_code_ ? nvrtc_.cubin(program_, bytes.data())
                              : nvrtc_.ptx(program_, bytes.data());
    }
    if (done != nvrtc_success) {
      return failure(ErrorCode::not_compiled, nvrtc_.error_string(done));
    }
    return bytes;
  }

  [[nodiscard]] std::string lowered(const std::string& name) const {
    const char* found = nullptr;
    (void)nvrtc_.lowered_name(program_, name.c_str(), &found);
    return found == nullptr ? name : found;
  }

 private:
  /// Code for the device itself; for one that is newer than the compiler, PTX for the newest that
  /// this knows, which the driver translates.
  [[nodiscard]] std::vector<std::string> options_for(const Text& text, Architecture architecture) {
    int count = 0;
    (void)nvrtc_.architecture_count(&count);
    std::vector<int> known(static_cast<std::size_t>(count));
    (void)nvrtc_.architectures(known.data());
    is_machine_code_ = std::find(known.begin(), known.end(), architecture) != known.end();
    Architecture target = architecture;
    if (!is_machine_code_) {
      for (const int one : known) {
        target = one <= architecture ? one : target;
      }
    }
    target_ = (is_machine_code_ ? "sm_" : "compute_") + std::to_string(target);
    std::vector<std::string> options{"--gpu-architecture=" + target_, "--std=c++17",
                                     "--diag-suppress=161,177"};
    if (text.is_opencl) {
      options.emplace_back("--device-as-default-execution-space");
    }
    if (text.keeps_products) {
      options.emplace_back("--fmad=false");
    }
    const char* toolkit = std::getenv("CUDA_PATH");
    options.push_back("--include-path=" +
                      std::string(toolkit == nullptr ? "/usr/local/cuda" : toolkit) + "/include");
    return options;
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    (void)nvrtc_.log_size(program_, &size);
    std::string text(size, '\0');
    if (size != 0) {
      (void)nvrtc_.log(program_, text.data());
    }
    return text.substr(0, text.find('\0'));
  }

  const Nvrtc& nvrtc_;
  NvrtcProgram program_ = nullptr;
  std::string target_;
  bool is_machine_code_ = true;
};

Result<void> check_kernels(const Text& text, const ProgramDescription& description) {
  for (const KernelDescription& wanted : description.kernels) {
    const auto found = find_signature(text.signatures, wanted.name);
    std::string names;
    for (const Signature& one : text.signatures) {
      names += (names.empty() ? "" : ";") + one.name;
    }
    const auto checked =
        found ? check_parameters(wanted, found->parameters)
              : failure(ErrorCode::kernel_mismatch,
                        "the sources define no kernel '" + wanted.name + "'; there are: " + names);
    if (!checked) {
      return failure(checked.error().code,
                     names_of(description.sources) + ": " + checked.error().text);
    }
  }
  return {};
}

}  // namespace

Result<void> find_compiler() {
  const auto nvrtc = load_nvrtc();
  return nvrtc ? Result<void>() : Result<void>(unexpected<Error>(nvrtc.error()));
}

Result<Compiled> compile(const ProgramDescription& description, Architecture architecture) {
  const auto nvrtc = load_nvrtc();
  if (!nvrtc) {
    return unexpected<Error>(nvrtc.error());
  }
  const Text text = text_of(description);
  Compilation compilation(**nvrtc);
  if (auto done = compilation.run(text, description, architecture); !done) {
    return unexpected<Error>(done.error());
  }
  if (auto checked = check_kernels(text, description); !checked) {
    return unexpected<Error>(checked.error());
  }
  auto image = compilation.image();
  if (!image) {
    return unexpected<Error>(image.error());
  }
  Compiled compiled;
  compiled.image = std::move(*image);
  for (const KernelDescription& wanted : description.kernels) {
    const auto found = *find_signature(text.signatures, wanted.name);
    compiled.kernels.push_back(
        {wanted.name,
         text.is_opencl ? "ligament_entry_" + wanted.name : compilation.lowered(wanted.name),
         found.parameters, text.is_opencl});
  }
  return compiled;
}

}  // namespace ligament::gpu::cuda
