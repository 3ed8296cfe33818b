// A folder of frames, played like a film.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace brokkr::viewer {

// Scenes in `folder` (.bkf; where there are none, all other files that can be loaded), ordered by name, numbers in
// names by value: f2 before f10. Empty where there are none or the folder cannot be read.
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
  void step(int by);  // wraps around where it loops

  bool playing() const { return playing_; }
  void play(Clock::time_point now);
  void pause() { playing_ = false; }
  // Moves to the file that is due at `now`, leaving out files in between. Returns whether it moved.
  bool advance(Clock::time_point now);
  // When `advance` will move next.
  Clock::time_point next_time() const;

  bool loop = true;
  float speed = 10;  // files per second, 0.1..120

 private:
  std::vector<std::string> files_;
  size_t position_ = 0;
  bool playing_ = false;
  Clock::time_point since_;  // when the file at `position_` was due
};

}  // namespace brokkr::viewer
