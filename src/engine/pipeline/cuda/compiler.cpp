#include "pipeline/cuda/compiler.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace brokkr {
namespace {

constexpr int kMajor = CUDART_VERSION / 1000;   // the libraries' major version must match
constexpr int kInputPtx = 2, kInputFatbin = 4;  // input types of nvJitLink

// A shared library; functions are looked up by name.
class Library {
 public:
  // `function`: a function that the library must contain. If the process already has it, no file is loaded.
  Library(const std::string& name, const char* function) : name_(fmt::format("lib{}.so.{}", name, kMajor)) {
    if (dlsym(RTLD_DEFAULT, function) != nullptr) return;  // handle_ stays null: dlsym searches the process
    std::vector<std::string> places = {name_};
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
      if (const char* const folder = std::getenv(variable); folder != nullptr && *folder == '/')
        add_places(folder, places);
    }
    for (const char* const folder : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"}) add_places(folder, places);
    for (const std::string& place : places) {
      handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
    throw std::runtime_error(
        fmt::format("{} was not found; install CUDA's toolkit, or name its folder in CUDA_HOME", name_));
  }

  template <class F>
  void find(F& function, const char* name) const {
    find_if_there(function, name);
    if (function == nullptr)
      throw std::runtime_error(fmt::format("{} has no {}; install another version", name_, name));
  }
  template <class F>
  void find_if_there(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(handle_, name));
  }

 private:
  void add_places(const std::string& folder, std::vector<std::string>& places) const {
    for (const char* const part : {"/lib64/", "/lib/"}) places.push_back(folder + part + name_);
  }

  std::string name_;
  void* handle_ = nullptr;
};

// The file that contains a function.
std::string file_of(const void* function) {
  Dl_info info{};
  struct stat what {};
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr || stat(info.dli_fname, &what) != 0) return {};
  return fmt::format("{} {} {}.{}\n", info.dli_fname, what.st_size, what.st_mtim.tv_sec, what.st_mtim.tv_nsec);
}

// The first line of a log with an error, otherwise its first line.
std::string first_error(const std::string& log) {
  const size_t error = log.find("error");
  const size_t begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;  // npos + 1: 0
  const std::string line = log.substr(begin, log.find_first_of(std::string_view("\n\0", 2), begin) - begin);
  return line.empty() ? "without a word" : line;
}

}  // namespace

// The interfaces of both libraries, as documented by NVIDIA. A result of 0 means success.
struct CudaCompiler::Functions {
  using Program = struct OpaqueProgram*;
  using Link = struct OpaqueLink*;
  int (*version)(int* major, int* minor);
  int (*count_architectures)(int* count);
  int (*architectures)(int* all);
  int (*create)(Program*, const char* text, const char* name, int count, const char* const* headers,
                const char* const* names);
  int (*destroy)(Program*);
  int (*compile)(Program, int count, const char* const* options);
  int (*ptx_size)(Program, size_t*);
  int (*ptx)(Program, char*);
  int (*log_size)(Program, size_t*);
  int (*log)(Program, char*);
  // The compiler polls the callback, which returns 1 to cancel. Older versions lack this function.
  int (*set_callback)(Program, int (*callback)(void* payload, void*), void* payload);

  unsigned (*link_version)(unsigned* major, unsigned* minor);
  int (*link_create)(Link*, uint32_t count, const char** options);
  int (*link_destroy)(Link*);
  int (*link_add)(Link, int kind, const void* data, size_t bytes, const char* name);
  int (*link_complete)(Link);
  int (*link_result_size)(Link, size_t*);
  int (*link_result)(Link, void*);
  int (*link_log_size)(Link, size_t*);
  int (*link_log)(Link, char*);

  Functions() {
    const Library compiler("nvrtc", "nvrtcCreateProgram"), linker("nvJitLink", "nvJitLinkCreate");
    compiler.find(version, "nvrtcVersion");
    compiler.find(count_architectures, "nvrtcGetNumSupportedArchs");
    compiler.find(architectures, "nvrtcGetSupportedArchs");
    compiler.find(create, "nvrtcCreateProgram");
    compiler.find(destroy, "nvrtcDestroyProgram");
    compiler.find(this->compile, "nvrtcCompileProgram");
    compiler.find(ptx_size, "nvrtcGetPTXSize");
    compiler.find(ptx, "nvrtcGetPTX");
    compiler.find(log_size, "nvrtcGetProgramLogSize");
    compiler.find(log, "nvrtcGetProgramLog");
    compiler.find_if_there(set_callback, "nvrtcSetFlowCallback");
    linker.find(link_version, "nvJitLinkVersion");
    linker.find(link_create, "nvJitLinkCreate");
    linker.find(link_destroy, "nvJitLinkDestroy");
    linker.find(link_add, "nvJitLinkAddData");
    linker.find(link_complete, "nvJitLinkComplete");
    linker.find(link_result_size, "nvJitLinkGetLinkedCubinSize");
    linker.find(link_result, "nvJitLinkGetLinkedCubin");
    linker.find(link_log_size, "nvJitLinkGetErrorLogSize");
    linker.find(link_log, "nvJitLinkGetErrorLog");
  }
};

CudaCompiler::CudaCompiler() {
  static const Functions functions;
  functions_ = &functions;
}

const CudaCompiler& CudaCompiler::found() {
  static const CudaCompiler compiler;  // if the constructor throws, the next call tries again
  return compiler;
}

std::string CudaCompiler::identity() const {
  const Functions& f = *functions_;
  int major = 0, minor = 0;
  unsigned link_major = 0, link_minor = 0;
  f.version(&major, &minor);
  f.link_version(&link_major, &link_minor);
  return fmt::format("{}.{} {}.{}\n{}{}", major, minor, link_major, link_minor,
                     file_of(reinterpret_cast<const void*>(f.create)),
                     file_of(reinterpret_cast<const void*>(f.link_create)));
}

std::string CudaCompiler::compile(const std::string& text, std::span<const CudaHeader> headers, int architecture,
                                  const std::function<bool()>& stop) const {
  const Functions& f = *functions_;
  int count = 0;
  f.count_architectures(&count);
  std::vector<int> known(size_t(std::max(count, 0)));
  if (count > 0) f.architectures(known.data());
  int best = 0;
  for (const int one : known) best = one <= architecture ? std::max(best, one) : best;
  if (best == 0) throw std::runtime_error(fmt::format("NVRTC knows no device like sm_{}", architecture));

  std::vector<const char*> texts, names;
  for (const CudaHeader& header : headers) {
    texts.push_back(header.text);
    names.push_back(header.name);
  }
  Functions::Program program = nullptr;
  if (f.create(&program, text.c_str(), "shaders.cu", int(texts.size()), texts.data(), names.data()) != 0)
    throw std::runtime_error("NVRTC cannot make a program");
  const std::unique_ptr<Functions::Program, int (*)(Functions::Program*)> owner(&program, f.destroy);
  if (f.set_callback != nullptr) {
    const auto ask = [](void* payload, void*) {
      return (*static_cast<const std::function<bool()>*>(payload))() ? 1 : 0;
    };
    f.set_callback(program, ask, const_cast<std::function<bool()>*>(&stop));
  }
  const std::string device = fmt::format("--gpu-architecture=compute_{}", best);
  // Results must equal those of the pipeline's own builds, so we use the same flags (cmake/cuda.cmake).
  const char* const options[] = {device.c_str(), "--std=c++20", "--fmad=false", "--relocatable-device-code=true",
                                 "--disable-warnings"};
  size_t bytes = 0;
  if (f.compile(program, int(std::size(options)), options) != 0) {
    f.log_size(program, &bytes);
    std::string log(bytes, '\0');
    f.log(program, log.data());
    throw std::runtime_error("NVRTC cannot compile shaders: " + first_error(log));
  }
  f.ptx_size(program, &bytes);
  std::string ptx(bytes, '\0');
  f.ptx(program, ptx.data());
  while (!ptx.empty() && ptx.back() == '\0') ptx.pop_back();
  return ptx;
}

std::vector<std::byte> CudaCompiler::link(std::span<const std::byte> fatbin, std::span<const std::string> ptx,
                                          int architecture, int registers) const {
  const Functions& f = *functions_;
  const std::string device = fmt::format("-arch=sm_{}", architecture),
                    register_limit = fmt::format("-maxrregcount={}", registers);
  const char* options[] = {device.c_str(), register_limit.c_str()};
  Functions::Link link = nullptr;
  if (f.link_create(&link, uint32_t(std::size(options)), options) != 0)
    throw std::runtime_error(fmt::format("nvJitLink cannot link for sm_{}; install a newer version", architecture));
  const std::unique_ptr<Functions::Link, int (*)(Functions::Link*)> owner(&link, f.link_destroy);
  const auto require = [&](int result) {
    if (result == 0) return;
    size_t bytes = 0;
    f.link_log_size(link, &bytes);
    std::string log(bytes, '\0');
    if (bytes > 0) f.link_log(link, log.data());
    throw std::runtime_error("nvJitLink cannot link shaders: " + first_error(log));
  };
  require(f.link_add(link, kInputFatbin, fatbin.data(), fatbin.size(), "kernel"));
  for (const std::string& one : ptx) require(f.link_add(link, kInputPtx, one.c_str(), one.size() + 1, "shaders"));
  require(f.link_complete(link));
  size_t bytes = 0;
  require(f.link_result_size(link, &bytes));
  std::vector<std::byte> result(bytes);
  require(f.link_result(link, result.data()));
  return result;
}

}  // namespace brokkr
