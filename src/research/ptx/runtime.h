// The runtime's knowledge of the program that uses it: its kernels and variables.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ptx/program.h"
#include "ptx/queue.h"

namespace brokkr::ptx {

constexpr size_t kSharedPerMultiprocessor = 228 << 10, kSharedPerBlock = 227 << 10, kReservedShared = 1 << 10;
constexpr int kThreadsPerMultiprocessor = 2048;

// A kernel, identified by its host function. Its module is built on first use.
struct Kernel {
  void** module = nullptr;
  std::string name;
  int max_dynamic_shared = 48 << 10;
  int carveout = -1;
};

struct Module {
  const void* fatbin = nullptr;
  std::unique_ptr<Program> program;
  std::unique_ptr<Program> heads;  // the same without the bodies of functions, for questions before the first launch
};
struct DeviceVariable {
  Module* module = nullptr;
  std::string name;
};
struct Registry {
  std::recursive_mutex mutex;
  std::map<const void*, Kernel> kernels;
  std::map<const void*, DeviceVariable> variables;
};
// Never destroyed, because registration happens before main and lookups may happen after it.
Registry& registry();
// A device variable's memory and size in bytes. Throws Invalid.
std::pair<void*, size_t> variable_of(const void* symbol);

Kernel* kernel_of(const void* host_function);  // nullptr: none
// Throws std::runtime_error if the module cannot be built.
const Function& function_of(const Kernel& kernel);
const Program& program_of(const Kernel& kernel);
uint32_t static_shared_of(const Kernel& kernel);
int blocks_per_multiprocessor(const Kernel& kernel, int threads, size_t dynamic_shared);

// Hooks of a machine that replaces the interpreter (src/research/simt/device); empty: none.
struct Hooks {
  std::function<void(const Launch&)> run;  // throws Fault
  // The number of blocks that fit on a multiprocessor.
  std::function<int(const Program&, const Function&, int threads, size_t shared)> blocks;
};
Hooks& hooks();

// A launch with a copy of its arguments. Throws Invalid.
struct Invalid {
  cudaError_t error;
};
std::shared_ptr<Launch> make_launch(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared);
// All blocks of a cooperative launch run at the same time. Throws Invalid if there are too many.
void require_together(const Launch& launch);

// The error of the last call, and of launches; every runtime call ends with it.
cudaError_t note(cudaError_t error);
Stream& stream_of(cudaStream_t stream);
Event& event_of(cudaEvent_t event);
// Runs a call and converts exceptions to errors; faults of launches take precedence.
cudaError_t call(const char* name, const std::function<cudaError_t()>& body);

// Extracts PTX text from the fat binaries that nvcc embeds in programs.

// The PTX of the highest architecture. Throws std::runtime_error if there is none.
std::string ptx_of_fatbin(const void* fatbin);

}  // namespace brokkr::ptx
