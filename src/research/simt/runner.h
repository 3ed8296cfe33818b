// A program's device: memory, and timed launches.
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
  // Throws std::runtime_error for invalid PTX, with its line.
  Runner(const Config& config, std::string ptx);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Device memory, zeroed or filled with a copy; it lives as long as the runner.
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

  // The number of a kernel's warps that all cores hold at the same time.
  uint32_t resident_warps(std::string_view kernel) const;

  // Total over all launches.
  const Statistics& statistics() const { return statistics_; }
  const Config& config() const { return config_; }
  const ptx::Program& program() const { return *program_; }
  TimedMachine& machine() { return machine_; }
  // Ends the first launch after this many cycles and skips later ones, so results are incomplete; 0: no limit.
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
