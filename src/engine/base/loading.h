// Every reader asks a Loading while it reads: whether there is memory for the file's content, and whether to continue.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "brokkr/load.h"

namespace brokkr {

// The number of bytes that this process could allocate now, within the free memory of the system, the limits of its
// control groups, and its own limit (ulimit -v). `root` is the folder that contains /proc and /sys.
uint64_t free_memory(const std::filesystem::path& root = "/");

// The limit in bytes that `limit_mib` (LoadOptions::memory_limit) means. By default it is a quarter of the free memory,
// and at most kMaxMemory. `held`: bytes that already count towards the limit and are no longer free.
uint64_t memory_limit_bytes(int limit_mib, uint64_t held = 0);

// The memory that a file may take by default. Few files need half of it. Even on a computer with much memory, a file of
// some kilobytes need not get a quarter of it.
inline constexpr uint64_t kMaxMemory = uint64_t(4) << 30;

// The bytes of a frame's lists, textures and references.
uint64_t memory_of(const Frame& frame);

// For example, "1.5 GiB".
std::string memory_text(uint64_t bytes);

// Throws std::runtime_error if `bytes` exceed `limit`: "FILE: field 'FIELD': needs …; REMEDY, or raise --memory-limit".
void require_memory(uint64_t bytes, uint64_t limit, std::string_view field, std::string_view file = {},
                    std::string_view remedy = "make it smaller");

class Loading {
 public:
  // `options` must outlive it.
  explicit Loading(const LoadOptions& options);
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  // Counts memory that is already allocated and stays: the file that is read, the frame that is prepared. Throws like
  // `need`.
  void holds(uint64_t bytes, std::string_view field);
  // Counts memory that the frame, or reading it, is about to allocate. Call it before the allocation. If that exceeds
  // the limit, throws std::runtime_error; the message names `field` and the size that would be needed.
  void need(uint64_t bytes, std::string_view field);
  // Makes the same test without counting the memory. Use it for lists that grow and are checked again.
  void check(uint64_t bytes, std::string_view field) const {
    if (!fits(bytes)) require_memory(used_ + bytes, limit(), field);
  }
  bool fits(uint64_t bytes) const { return (limit_mib_ == 0 && used_ + bytes <= kAlways) || used_ + bytes <= limit(); }
  void give_back(uint64_t bytes) { used_ -= bytes < used_ ? bytes : used_; }
  uint64_t left() const { return limit() > used_ ? limit() - used_ : 0; }

  // Returns true if a progress function is called.
  bool is_watched() const { return bool(progress_); }
  // Sets the completed fraction, 0..1. Passes on what LoadOptions::progress throws.
  void at(double part);
  // The following steps take the progress from its present value to `end`.
  void until(double end);
  // Call it in loops, as often as you like: `done` of `all`. Calls LoadOptions::progress every few milliseconds.
  void step(uint64_t done = 0, uint64_t all = 1) {
    if ((++steps_ & kStepMask) == 0) look(done, all);
  }
  // Does the same for steps that take a while. The reported progress never decreases.
  void look(uint64_t done = 0, uint64_t all = 1);

  // Records something that the frame lacks of its file, or that was guessed: "line 7: vertex 9 is not among the 4; the
  // face is left out". Keeps the first line of each `kind`, and counts the others.
  template <typename... Values>
  void warn(std::string_view kind, fmt::format_string<Values...> text, Values&&... values) {
    if (!count_warning(kind)) add_warning(kind, fmt::format(text, std::forward<Values>(values)...));
  }
  // One line for each kind, in the order of their first occurrence.
  std::vector<std::string> warnings() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kStepMask = 255;  // a step takes a microsecond at most

  // This much memory is assumed to be there. It takes longer to query the free memory than to read a small file.
  static constexpr uint64_t kAlways = uint64_t(16) << 20;

  struct Warning {
    std::string kind, line;
    uint64_t times = 1;
  };

  uint64_t limit() const;
  bool count_warning(std::string_view kind);  // false: the kind is new
  void add_warning(std::string_view kind, std::string line);

  const LoadProgress& progress_;
  int limit_mib_;
  mutable uint64_t limit_ = 0;  // 0: not computed yet
  uint64_t used_ = 0, held_ = 0, steps_ = 0;
  double begin_ = 0, end_ = 1, told_ = 0;
  Clock::time_point last_ = Clock::now();
  std::vector<Warning> warnings_;
};

// Does the work of validate (brokkr/frame.h), and reports its progress to `loading`.
void validate(const Frame& frame, Loading& loading);

}  // namespace brokkr
