// What the test programs of all steps do alike: options, words for what is wrong, pictures, the leaderboard.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/picture.h"
#include "common/recording.h"

namespace course {

class Check {
 public:
  // `step`: mp0 to mp6.
  Check(std::string step, int count, char** words);

  // A claim about a part of the step. False: says `what` is wrong, and the program will end with 1.
  bool claim(bool holds, const std::string& what);

  // Holds a picture against another, pixel by pixel. `uncertain`: pixels that are not compared (empty: all are). Where
  // they differ by more than `tolerance` of 255: says where, and writes STEP-NAME.png: expected, yours, difference.
  bool same(const std::string& name, const Picture& expected, const Picture& yours, int tolerance = 0,
            const std::vector<bool>& uncertain = {});

  // Prints the leaderboard's line, once all claims hold: what measure() measured, with its unit.
  void leaderboard(const std::function<std::string()>& measure) const;

  // Runs a part; an exception is a claim that does not hold.
  void part(const std::string& name, const std::function<void()>& run);

  // The picture that the step's page begins with is asked for: where to.
  const std::string& page() const { return page_; }
  // The folder with the recordings.
  Recording recording(const std::string& name) const;
  Picture driver_picture(const std::string& name) const;

  // 0 where all claims held, with a line that says what comes next.
  int finish(const std::string& next) const;

 private:
  std::string step_, folder_, page_, part_;
  int failures_ = 0, parts_ = 0;
};

// Nanoseconds of processor time that `run` takes, the least of three turns of 10 ms or more: other programs that run
// beside it hardly count.
double least_nanoseconds(const std::function<void()>& run);

// A picture's pixels from a recording's clear colour on.
Picture cleared(const Recording& recording);

std::string text_of(uint32_t color);    // (r, g, b)
std::string one_decimal(double value);  // 12.3

}  // namespace course
