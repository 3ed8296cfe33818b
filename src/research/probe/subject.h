// What the probe looks at: something that draws, and that can be watched only from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/drawing.h"

namespace brokkr::probe {

inline constexpr uint32_t kNever = ~0u;

// One drawing as it came about. Planes have a value for each pixel, row by row from the bottom; those that a subject
// cannot see are empty. Of a pixel that was drawn several times, the last time counts.
struct Film {
  int width = 0, height = 0;
  double cost = 0;                   // of the whole drawing, in the subject's unit
  std::vector<uint32_t> order = {};  // the pixel's rank among all fragments, kNever: not drawn
  std::vector<double> time = {};     // when it was written, in the unit of `cost`; 0: when the drawing began
  std::vector<int32_t> unit = {};    // the processor that drew it, -1: not known
  std::vector<int32_t> warp = {};    // and its warp

  size_t at(int x, int y) const { return size_t(y) * size_t(width) + size_t(x); }
};

// Additions that make a fragment slow, and those of all others where these are not free.
struct Costs {
  uint32_t slow = 1000000, background = 100000;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;  // of the driver, the machine, the model
  virtual const char* unit() const = 0;  // of costs and times: "ms"
  virtual Costs costs() const { return {}; }
  // Whether each processor runs its fragments one after another, in the order of the primitives, as drivers of the CPU
  // do.
  virtual bool is_in_order() const { return false; }
  virtual Film draw(const Drawing& drawing) = 0;
  // Only how long it takes; may be measured several times.
  virtual double cost(const Drawing& drawing) { return draw(drawing).cost; }
};

}  // namespace brokkr::probe
