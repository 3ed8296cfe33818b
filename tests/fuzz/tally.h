// Counts the inputs of each kind that a fuzz target has tried, accepted and drawn. The variable BROKKR_FUZZ_COUNTS
// names a folder to which each process occasionally writes its counts; `tools/fuzz-nightly --counts` adds the files up.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace brokkr::fuzz {

class Tally {
 public:
  static Tally& get() {
    static Tally tally;
    return tally;
  }
  ~Tally() { write(); }

  // A letter: kinds of render_fuzz (document.h) are capitals, targets of a single reader are small letters.
  void tried(char kind) {
    constexpr uint64_t kWriteEvery = 1024;
    now_ = &counts_[uint8_t(kind) % counts_.size()];
    ++(*now_)[0];
    accepted_ = false;
    if (++all_ % kWriteEvery == 0) write();
  }
  void accepted() { ++(*now_)[1], accepted_ = true; }
  bool now_accepted() const { return accepted_; }
  void drawn() { ++(*now_)[2]; }

 private:
  using Counts = std::array<unsigned long long, 3>;

  void write() const {
    const char* const folder = std::getenv("BROKKR_FUZZ_COUNTS");
    if (folder == nullptr) return;
    std::FILE* const file = std::fopen((std::string(folder) + "/" + std::to_string(getpid())).c_str(), "w");
    if (file == nullptr) return;
    for (size_t kind = 0; kind < counts_.size(); ++kind) {
      const auto [tried, accepted, drawn] = counts_[kind];
      if (tried > 0) std::fprintf(file, "%c %llu %llu %llu\n", int(kind), tried, accepted, drawn);
    }
    std::fclose(file);
  }

  std::array<Counts, 128> counts_{};  // by letter
  Counts* now_ = &counts_[0];
  bool accepted_ = false;
  uint64_t all_ = 0;
};

// The value that the target of a single reader returns to the fuzzer: `read` must return, or throw std::runtime_error.
template <class Refusal = std::runtime_error>
int counted(char kind, const auto& read) {
  Tally::get().tried(kind);
  try {
    read();
    Tally::get().accepted();
  } catch (const Refusal&) {
  }
  return 0;
}

}  // namespace brokkr::fuzz
