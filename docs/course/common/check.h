// The parts that the test programs of all steps share: options, messages about errors, pictures, the leaderboard.
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

  // A claim about a part of the step. If it is false, prints `what`, and the program will end with 1.
  bool claim(bool holds, const std::string& what);

  // Compares two pictures pixel by pixel. `uncertain`: pixels that are not compared (empty: all pixels are). If they
  // differ by more than `tolerance` of 255, prints the place, and writes STEP-NAME.png: expected, yours, difference.
  bool same(const std::string& name, const Picture& expected, const Picture& yours, int tolerance = 0,
            const std::vector<bool>& uncertain = {});

  // Prints the leaderboard's line if all claims hold: the result of measure(), with its unit.
  void leaderboard(const std::function<std::string()>& measure) const;

  // Runs a part. An exception counts as a claim that is false.
  void part(const std::string& name, const std::function<void()>& run);

  // The file for the picture that the step's page begins with, if the user asks for it.
  const std::string& page() const { return page_; }
  // The folder with the recordings.
  Recording recording(const std::string& name) const;
  Picture driver_picture(const std::string& name) const;

  // Returns 0 if all claims hold, and prints a line about the next step.
  int finish(const std::string& next) const;

 private:
  std::string step_, folder_, page_, part_;
  int failures_ = 0, parts_ = 0;
};

// The processor time in nanoseconds that `run` takes: the least of three turns of 10 ms or more. Other programs that
// run at the same time hardly affect it.
double least_nanoseconds(const std::function<void()>& run);

// A picture whose pixels have the recording's clear colour.
Picture cleared(const Recording& recording);

std::string text_of(uint32_t color);    // (r, g, b)
std::string one_decimal(double value);  // 12.3

}  // namespace course
