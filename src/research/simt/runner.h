// A program's device: memory, and launches that are timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/program.h"
#include "simt/timed_machine.h"

namespace brokkr::simt {

struct Grid {
  uint32_t x = 1, y = 1;
};

class Runner {
 public:
  // Throws std::runtime_error for PTX that cannot be read, naming its line.
  Runner(const Config& config, std::string ptx);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Device memory, zeroed or with a copy; until the runner ends.
  template <class T>
  T* buffer(size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  template <class T>
  T* buffer(const std::vector<T>& from) {
    T* const to = buffer<T>(from.size());
    if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
    return to;
  }

  template <class... Arguments>
  void launch(std::string_view kernel, Grid grid, Grid block, const Arguments&... arguments) {
    std::vector<std::vector<std::byte>> bytes;
    (bytes.push_back(bytes_of(&arguments, sizeof arguments)), ...);
    run(kernel, grid, block, bytes);
  }

  // Warps of a kernel that all cores hold at once.
  uint32_t resident_warps(std::string_view kernel) const;

  // All launches together.
  const Statistics& statistics() const { return statistics_; }
  const Config& config() const { return config_; }
  const ptx::Program& program() const { return *program_; }
  TimedMachine& machine() { return machine_; }
  // The first launch ends after so many cycles, others are left out, and results are not complete; 0: no limit.
  void stop_after(uint64_t cycles) { most_cycles_ = cycles; }
  bool was_stopped() const { return stopped_; }
  void count_done(uint64_t pieces) { statistics_.done += pieces; }

 private:
  static std::vector<std::byte> bytes_of(const void* from, size_t count);
  void* allocate(size_t bytes);
  void run(std::string_view kernel, Grid grid, Grid block, const std::vector<std::vector<std::byte>>& arguments);

  Config config_;
  std::unique_ptr<ptx::Program> program_;
  TimedMachine machine_;
  std::vector<void*> memory_;
  Statistics statistics_;
  uint64_t most_cycles_ = 0;
  bool stopped_ = false;
};

}  // namespace brokkr::simt
