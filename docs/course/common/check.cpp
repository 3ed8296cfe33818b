#include "common/check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>

namespace course {

Check::Check(std::string step, int count, char** words) : step_(std::move(step)) {
  folder_ = std::filesystem::path(words[0]).parent_path().string();
  if (folder_.empty()) folder_ = ".";
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--page" && i + 1 < count) {
      page_ = words[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--page FILE]   writes the picture of the step's page\n", words[0]);
      std::exit(2);
    }
  }
}

bool Check::claim(bool holds, const std::string& what) {
  if (holds) return true;
  std::printf("%s, %s: %s\n", step_.c_str(), part_.c_str(), what.c_str());
  ++failures_;
  return false;
}

bool Check::same(const std::string& name, const Picture& expected, const Picture& yours, int tolerance,
                 const std::vector<bool>& uncertain) {
  if (expected.width != yours.width || expected.height != yours.height) {
    return claim(false, "the picture has " + std::to_string(yours.width) + " x " + std::to_string(yours.height) +
                            " pixels, and should have " + std::to_string(expected.width) + " x " +
                            std::to_string(expected.height));
  }
  const std::string file = (std::filesystem::path(folder_) / (step_ + "-" + name + ".png")).string();
  int64_t wrong = 0;
  std::string first;
  for (int y = 0; y < expected.height; ++y) {
    for (int x = 0; x < expected.width; ++x) {
      if (!uncertain.empty() && uncertain[size_t(y) * size_t(expected.width) + size_t(x)]) continue;
      if (difference(expected.at(x, y), yours.at(x, y)) <= tolerance) continue;
      if (wrong++ == 0) {
        first = "(" + std::to_string(x) + ", " + std::to_string(y) + ") should be " + text_of(expected.at(x, y)) +
                " and is " + text_of(yours.at(x, y));
      }
    }
  }
  if (wrong == 0) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);  // removes the file of an earlier run
    return true;
  }
  const int times = std::max(1, 480 / expected.width);
  write_png(file, beside({enlarged(expected, times), enlarged(yours, times),
                          enlarged(difference_picture(expected, yours, tolerance, uncertain), times)}));
  return claim(false, std::to_string(wrong) + " of " + std::to_string(expected.pixels.size()) +
                          " pixels are wrong; from the bottom left, " + first +
                          "\n    picture (expected, yours, difference): " + file);
}

void Check::leaderboard(const std::function<std::string()>& measure) const {
  if (failures_ == 0) std::printf("leaderboard: %s %s\n", step_.c_str(), measure().c_str());
}

void Check::part(const std::string& name, const std::function<void()>& run) {
  part_ = name;
  ++parts_;
  const int before = failures_;
  try {
    run();
  } catch (const std::exception& error) {
    claim(false, error.what());
  }
  if (failures_ == before) std::printf("%s, %s: right\n", step_.c_str(), name.c_str());
}

Recording Check::recording(const std::string& name) const {
  return read_recording(std::string(COURSE_RECORDINGS) + "/" + name + ".txt");
}

Picture Check::driver_picture(const std::string& name) const {
  return read_ppm(std::string(COURSE_RECORDINGS) + "/" + name + ".ppm");
}

int Check::finish(const std::string& next) const {
  if (failures_ == 0) {
    std::printf("%s: all %d parts are right. %s\n", step_.c_str(), parts_, next.c_str());
  } else {
    std::printf("%s: not yet: begin with the first line above.\n", step_.c_str());
  }
  return failures_ == 0 ? 0 : 1;
}

double least_nanoseconds(const std::function<void()>& run) {
  double least = 1e30;
  for (int turn = 0; turn < 3; ++turn) {
    const std::clock_t begin = std::clock();
    std::clock_t took = 0;
    int runs = 0;
    do {
      run();
      ++runs;
      took = std::clock() - begin;
    } while (took < CLOCKS_PER_SEC / 100);
    least = std::min(least, double(took) * 1e9 / CLOCKS_PER_SEC / runs);
  }
  return least;
}

Picture cleared(const Recording& recording) {
  return Picture(recording.width, recording.height, pack(recording.clear_color));
}

std::string text_of(uint32_t color) {
  return "(" + std::to_string(color & 255) + ", " + std::to_string(color >> 8 & 255) + ", " +
         std::to_string(color >> 16 & 255) + ")";
}

std::string one_decimal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace course
