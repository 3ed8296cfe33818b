// The program's modules, their kernels and variables, and launches of them.

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "ptx/memory.h"
#include "ptx/runtime.h"
#include "ptx/settings.h"

namespace brokkr::ptx {
namespace {

struct Header {
  uint32_t magic;  // kMagic
  uint16_t version, header_bytes;
  uint64_t bytes;
};
struct Entry {
  uint16_t kind, version;  // kind 1: PTX, 2: machine code
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t compressed_bytes;
  uint32_t options_offset;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t zero;
  uint64_t text_bytes;
};
constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000;

std::string unpack_lz4(const uint8_t* from, size_t bytes, size_t text_bytes) {
  std::string text;
  text.reserve(text_bytes);
  const uint8_t* const end = from + bytes;
  const auto length = [&](uint32_t n) {
    size_t sum = n;
    if (n == 15) {
      while (from < end && *from == 255) sum += *from++;
      if (from < end) sum += *from++;
    }
    return sum;
  };
  while (from < end) {
    const uint32_t token = *from++;
    const size_t literals = length(token >> 4);
    if (literals > size_t(end - from)) break;
    text.append(reinterpret_cast<const char*>(from), literals);
    from += literals;
    if (end - from < 2) break;
    const size_t back = size_t(from[0]) | size_t(from[1]) << 8;
    from += 2;
    if (back == 0 || back > text.size()) throw std::runtime_error("compressed PTX is damaged");
    for (size_t n = length(token & 15) + 4; n > 0; --n) text.push_back(text[text.size() - back]);
  }
  return text;
}

std::string unpack(const uint8_t* from, const Entry& e) {
  if ((e.flags & (kLz4 | kZstd)) == 0) return {reinterpret_cast<const char*>(from), size_t(e.bytes)};
  if ((e.flags & kLz4) != 0) return unpack_lz4(from, e.compressed_bytes, e.text_bytes);
  std::string text(e.text_bytes, '\0');
  const size_t size = ZSTD_decompress(text.data(), text.size(), from, e.compressed_bytes);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(std::string("compressed PTX: ") + ZSTD_getErrorName(size));
  text.resize(size);
  return text;
}

}  // namespace

std::string ptx_of_fatbin(const void* fatbin) {
  Header h;
  std::memcpy(&h, fatbin, sizeof h);
  if (h.magic != kMagic) throw std::runtime_error("no fat binary");
  const uint8_t* at = static_cast<const uint8_t*>(fatbin) + h.header_bytes;
  const uint8_t* const end = at + h.bytes;
  const uint8_t* best = nullptr;
  Entry chosen{};
  while (at + sizeof(Entry) <= end) {
    Entry e;
    std::memcpy(&e, at, sizeof e);
    if (e.kind == 1 && (best == nullptr || e.architecture > chosen.architecture)) {
      best = at + e.header_bytes;
      chosen = e;
    }
    at += e.header_bytes + e.bytes;
  }
  if (best == nullptr)
    throw std::runtime_error("the program holds no PTX: compile it with -gencode arch=compute_90,code=compute_90");
  std::string text = unpack(best, chosen);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

namespace {

// The replacement for a module's text, if there is one; otherwise the text.
std::string replaced(std::string text) {
  if (settings().text_folder.empty()) return text;
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx.ptx", static_cast<unsigned long long>(hash));
  const std::string path = settings().text_folder + name;
  if (std::ifstream file(path, std::ios::binary); file)
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::ofstream(path, std::ios::binary) << text;
  return text;
}

Program& program_of_module(Module& m) {
  const std::lock_guard lock(registry().mutex);
  if (m.program == nullptr) m.program = build_program(replaced(ptx_of_fatbin(m.fatbin)));
  return *m.program;
}

// Returns a module's text without the bodies of its functions: only their heads and the declarations of shared memory
// remain. nvcc writes each of these on separate lines.
std::string heads_of(const std::string& text) {
  std::string heads;
  int depth = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end;
    const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    if (depth == 0 && !line.starts_with(".param") && (has(".global ") || has(".const "))) continue;
    const int before = depth;
    depth += int(std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}'));
    if (before == 0 || depth == 0 || has(".shared .align")) heads += line;
  }
  return heads;
}

// Returns the module if it is built, otherwise its heads. Building takes long, and programs ask about kernels that they
// never launch.
Program& heads_of_module(Module& m) {
  const std::lock_guard lock(registry().mutex);
  if (m.program != nullptr) return *m.program;
  if (m.heads == nullptr) m.heads = build_program(heads_of(replaced(ptx_of_fatbin(m.fatbin))));
  return *m.heads;
}

}  // namespace

Registry& registry() {
  static Registry& r = *new Registry;
  return r;
}

Hooks& hooks() {
  static Hooks& h = *new Hooks;
  return h;
}

std::pair<void*, size_t> variable_of(const void* symbol) {
  const auto at = registry().variables.find(symbol);
  if (at == registry().variables.end()) throw Invalid{cudaErrorInvalidSymbol};
  const auto& variables = program_of_module(*at->second.module).variables;
  const auto found = variables.find(at->second.name);
  if (found == variables.end()) throw Invalid{cudaErrorInvalidSymbol};
  return found->second;
}

Kernel* kernel_of(const void* host_function) {
  const std::lock_guard lock(registry().mutex);
  const auto at = registry().kernels.find(host_function);
  return at == registry().kernels.end() ? nullptr : &at->second;
}

const Program& program_of(const Kernel& kernel) { return program_of_module(*reinterpret_cast<Module*>(kernel.module)); }

namespace {

const Function& function_in(const Program& program, const Kernel& kernel) {
  const Function* f = program.find(kernel.name);
  if (f == nullptr || !f->defined) throw Invalid{cudaErrorInvalidDeviceFunction};
  return *f;
}
const Program& heads_of(const Kernel& kernel) { return heads_of_module(*reinterpret_cast<Module*>(kernel.module)); }

}  // namespace

const Function& function_of(const Kernel& kernel) { return function_in(program_of(kernel), kernel); }

uint32_t static_shared_of(const Kernel& kernel) { return heads_of(kernel).static_shared; }

int blocks_per_multiprocessor(const Kernel& kernel, int threads, size_t dynamic_shared) {
  const Function& f = hooks().blocks ? function_of(kernel) : function_in(heads_of(kernel), kernel);
  const size_t shared = static_shared_of(kernel) + dynamic_shared;
  if (threads < 1 || threads > int(f.max_threads) || shared > kSharedPerBlock) return 0;
  if (hooks().blocks) return hooks().blocks(program_of(kernel), f, threads, shared);
  int blocks = f.min_blocks > 0 ? int(f.min_blocks) : settings().blocks_per_sm;
  blocks = std::min({blocks, settings().blocks_per_sm, kThreadsPerMultiprocessor / threads,
                     int(kSharedPerMultiprocessor / (shared + kReservedShared))});
  return blocks;
}

std::shared_ptr<Launch> make_launch(const void* host_function, dim3 grid, dim3 block, void** arguments, size_t shared) {
  const Kernel* kernel = kernel_of(host_function);
  if (kernel == nullptr) throw Invalid{cudaErrorInvalidDeviceFunction};
  const Function& f = function_of(*kernel);
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || uint64_t(grid.x) * grid.y * grid.z == 0) throw Invalid{cudaErrorInvalidConfiguration};
  if (threads > f.max_threads) throw Invalid{cudaErrorInvalidValue};
  if (shared > size_t(kernel->max_dynamic_shared)) throw Invalid{cudaErrorInvalidValue};
  const int per_sm = blocks_per_multiprocessor(*kernel, int(threads), shared);
  if (per_sm < 1) throw Invalid{cudaErrorLaunchOutOfResources};
  auto* memory = static_cast<std::byte*>(
      Memory::instance().allocate(std::max<size_t>(f.parameter_bytes, 1), kParamRange, nullptr, true));
  if (memory == nullptr) throw Invalid{cudaErrorMemoryAllocation};
  std::shared_ptr<Launch> launch(new Launch, [](Launch* l) {
    Memory::instance().free(const_cast<std::byte*>(l->parameters));
    delete l;
  });
  launch->program = &program_of(*kernel);
  launch->kernel = &f;
  const dim3 sizes[2] = {grid, block};
  for (int i = 0; i < 2; ++i) {
    uint32_t* to = i == 0 ? launch->grid : launch->block;
    to[0] = sizes[i].x, to[1] = sizes[i].y, to[2] = sizes[i].z;
  }
  launch->dynamic_shared = uint32_t(shared);
  launch->resident_blocks = uint32_t(per_sm * settings().multiprocessors);
  launch->parameters = memory;
  for (size_t i = 0; i < f.parameters.size(); ++i)
    std::memcpy(memory + f.parameters[i].offset, arguments[i], f.parameters[i].bytes);
  return launch;
}

void require_together(const Launch& launch) {
  const int most = settings().cooperative;
  if (most == 0) throw Invalid{cudaErrorNotSupported};
  if (launch.blocks() > launch.resident_blocks || (most > 0 && launch.blocks() > uint64_t(most)))
    throw Invalid{cudaErrorCooperativeLaunchTooLarge};
}

}  // namespace brokkr::ptx
