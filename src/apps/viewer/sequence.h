// A folder of frames that plays as a film.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace brokkr::viewer {

// The scenes in `folder`: .bkf files, or if there are none, all other files that can be loaded. Sorted by name, with
// numbers in names compared by value: f2 before f10. Empty if there are none or if the folder cannot be read.
std::vector<std::string> scenes_in(const std::string& folder);

class Sequence {
 public:
  using Clock = std::chrono::steady_clock;

  void set(std::vector<std::string> files);
  bool active() const { return files_.size() > 1; }
  const std::vector<std::string>& files() const { return files_; }
  std::optional<size_t> find(const std::string& file) const;  // its position
  size_t position() const { return position_; }
  // Clamped to the files of the sequence.
  void seek(size_t position);
  void step(int by);  // wraps around if `loop` is set

  bool playing() const { return playing_; }
  void play(Clock::time_point now);
  void pause() { playing_ = false; }
  // Moves to the file that is due at `now`, skipping files in between. Returns true if it moved.
  bool advance(Clock::time_point now);
  // The time of the next move by `advance`.
  Clock::time_point next_time() const;

  bool loop = true;
  float speed = 10;  // files per second, 0.1..120

 private:
  std::vector<std::string> files_;
  size_t position_ = 0;
  bool playing_ = false;
  Clock::time_point since_;  // when the file at `position_` became due
};

}  // namespace brokkr::viewer
