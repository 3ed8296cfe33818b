// Every reader asks these while it reads: whether there is memory for what a file wants, and whether to go on.
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

// Bytes that this process could take now: what the system has free, its control groups allow and its own limit (ulimit
// -v) leaves. `root` is where /proc and /sys lie.
uint64_t free_memory(const std::filesystem::path& root = "/");

// The limit in bytes that `limit_mib` (LoadOptions::memory_limit) stands for: by default a quarter of what is free,
// kMaxMemory at most. `held` bytes of what the limit is for are taken already, and no longer free.
uint64_t memory_limit_bytes(int limit_mib, uint64_t held = 0);

// The memory that a file may take by default: few need half of it, and a computer with much memory is no reason to give
// a file of some kilobytes a quarter of it.
inline constexpr uint64_t kMaxMemory = uint64_t(4) << 30;

// Bytes of a frame's lists, textures and references.
uint64_t memory_of(const Frame& frame);

// "1.5 GiB".
std::string memory_text(uint64_t bytes);

// Throws std::runtime_error where `bytes` are more than `limit`: "FILE: field 'FIELD': needs …; REMEDY, or raise
// --memory-limit".
void require_memory(uint64_t bytes, uint64_t limit, std::string_view field, std::string_view file = {},
                    std::string_view remedy = "make it smaller");

class Loading {
 public:
  // `options` must outlive it.
  explicit Loading(const LoadOptions& options);
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  // Counts memory that is taken already and stays: the file that is read, the frame that is prepared. Throws as `need`.
  void holds(uint64_t bytes, std::string_view field);
  // Counts memory that the frame, or its reading, is about to take. Throws std::runtime_error naming `field` and what
  // would be needed where that is beyond the limit: before anything is allocated.
  void need(uint64_t bytes, std::string_view field);
  // The same without counting it: for what grows and is asked about again.
  void check(uint64_t bytes, std::string_view field) const {
    if (!fits(bytes)) require_memory(used_ + bytes, limit(), field);
  }
  bool fits(uint64_t bytes) const { return (limit_mib_ == 0 && used_ + bytes <= kAlways) || used_ + bytes <= limit(); }
  void give_back(uint64_t bytes) { used_ -= bytes < used_ ? bytes : used_; }
  uint64_t left() const { return limit() > used_ ? limit() - used_ : 0; }

  // Returns true if somebody is asked now and then.
  bool is_watched() const { return bool(progress_); }
  // The part that is done, 0..1. Throws what LoadOptions::progress throws.
  void at(double part);
  // The steps that follow take the progress from where it is to `end`.
  void until(double end);
  // Called within loops, as often as one likes; `done` of `all`. Asks LoadOptions::progress every few milliseconds.
  void step(uint64_t done = 0, uint64_t all = 1) {
    if ((++steps_ & kStepMask) == 0) look(done, all);
  }
  // The same where a step takes a while by itself. What is told never becomes less.
  void look(uint64_t done = 0, uint64_t all = 1);

  // Notes what the frame lacks of its file, or what was guessed: "line 7: vertex 9 is not among the 4; the face is left
  // out". The first line of each `kind` is kept, and the others are counted.
  template <typename... Values>
  void warn(std::string_view kind, fmt::format_string<Values...> text, Values&&... values) {
    if (!count_warning(kind)) add_warning(kind, fmt::format(text, std::forward<Values>(values)...));
  }
  // A line for each kind, in the order in which they came up.
  std::vector<std::string> warnings() const;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr uint64_t kStepMask = 255;  // a step takes a microsecond at most

  // So much is there without asking what is free, which takes longer than reading a small file.
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
  mutable uint64_t limit_ = 0;  // 0: nobody has asked yet
  uint64_t used_ = 0, held_ = 0, steps_ = 0;
  double begin_ = 0, end_ = 1, told_ = 0;
  Clock::time_point last_ = Clock::now();
  std::vector<Warning> warnings_;
};

// validate (brokkr/frame.h) that tells `loading` how far it is.
void validate(const Frame& frame, Loading& loading);

}  // namespace brokkr
