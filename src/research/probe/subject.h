// The probe's subject: something that draws and can be observed only from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/drawing.h"

namespace brokkr::probe {

inline constexpr uint32_t kNever = ~0u;

// The record of one drawing. Planes have one value per pixel, row by row from the bottom; planes that a subject cannot
// observe are empty. If a pixel was drawn several times, the last time counts.
struct Film {
  int width = 0, height = 0;
  double cost = 0;                   // of the whole drawing, in the subject's unit
  std::vector<uint32_t> order = {};  // the pixel's rank among all fragments; kNever: not drawn
  std::vector<double> time = {};     // time of the write, in the unit of `cost`; 0: start of the drawing
  std::vector<int32_t> unit = {};    // the processor that drew it; -1: unknown
  std::vector<int32_t> warp = {};    // the warp that drew it

  size_t at(int x, int y) const { return size_t(y) * size_t(width) + size_t(x); }
};

// Additions of a slow fragment, and additions of all others if these are not free.
struct Costs {
  uint32_t slow = 1000000, background = 100000;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;  // name of the driver, the machine or the model
  virtual const char* unit() const = 0;  // unit of costs and times: "ms"
  virtual Costs costs() const { return {}; }
  // Whether each processor runs its fragments one after another, in the order of the primitives, as CPU drivers do.
  virtual bool is_in_order() const { return false; }
  virtual Film draw(const Drawing& drawing) = 0;
  // Measures only the time; may repeat the measurement.
  virtual double cost(const Drawing& drawing) { return draw(drawing).cost; }
};

}  // namespace brokkr::probe
