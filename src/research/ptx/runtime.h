// What the runtime knows of the program that uses it: its kernels and variables.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ptx/launch.h"
#include "ptx/program.h"
#include "ptx/queue.h"

namespace brokkr::ptx {

constexpr size_t kSharedPerMultiprocessor = 228 << 10, kSharedPerBlock = 227 << 10, kReservedShared = 1 << 10;
constexpr int kThreadsPerMultiprocessor = 2048;

// A kernel as a host function names it. Its module is built when it is first asked for.
struct Kernel {
  void** module = nullptr;
  std::string name;
  int most_dynamic_shared = 48 << 10;
  int carveout = -1;
};

struct Module {
  const void* fatbin = nullptr;
  std::unique_ptr<Program> program;
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
// Registration comes before main, and what it registers is asked for after it: never destroyed.
Registry& registry();
// Of a variable of the device: memory and bytes. Throws Invalid.
std::pair<void*, size_t> variable_of(const void* symbol);

Kernel* kernel_of(const void* host_function);  // nullptr: none
// Throws std::runtime_error where the module cannot be built.
const Function& function_of(const Kernel& kernel);
const Program& program_of(const Kernel& kernel);
int blocks_per_multiprocessor(const Kernel& kernel, int threads, size_t dynamic_shared);

// What a machine that takes the interpreter's place changes (src/simt/device); empty: nothing.
struct Hooks {
  std::function<void(const Launch&)> run;  // throws Fault
  // Blocks that a multiprocessor has room for.
  std::function<int(const Program&, const Function&, int threads, size_t shared)> blocks;
};
Hooks& hooks();

// A launch with its arguments, copied. Throws Invalid.
struct Invalid {
  cudaError_t error;
};
std::shared_ptr<Launch> make_launch(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared);
// A cooperative launch runs all of its blocks at once. Throws Invalid where they are too many.
void require_together(const Launch& launch);

// The error of the last call, and of launches; what every call of the runtime ends with.
cudaError_t note(cudaError_t error);
Stream& stream_of(cudaStream_t stream);
Event& event_of(cudaEvent_t event);
// Runs a call: exceptions become errors, faults of launches come first.
cudaError_t call(const char* name, const std::function<cudaError_t()>& body);

}  // namespace brokkr::ptx
