// Shows where lanes idle: instructions and their active lanes, by function in the source. A compiler inlines nearly all
// functions, but the line table in PTX tells where each instruction comes from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/program.h"

namespace brokkr::simt {

struct LaneCounts {
  uint64_t instructions = 0, lanes = 0;  // instructions of warps, and of threads
  // The number of lane slots without an active lane.
  uint64_t lost() const { return instructions * ptx::kLanes - lanes; }
  double average() const { return instructions == 0 ? 0 : double(lanes) / double(instructions); }
};

struct FunctionLanes {
  std::string function, file;
  LaneCounts counts;
  uint32_t worst_line = 0;  // the line that loses most lane slots
  LaneCounts worst;
};

// Accumulates launches, including launches of different programs.
class LaneTable {
 public:
  // `runs`, `lanes`: how often each instruction ran, and with how many lanes in total.
  void add(const ptx::Program& program, const std::vector<uint64_t>& runs, const std::vector<uint64_t>& lanes);
  // The function that loses most lane slots comes first.
  std::vector<FunctionLanes> rows() const;
  LaneCounts all() const;

 private:
  struct Place {
    std::string function, file;
    uint32_t line;
    auto operator<=>(const Place&) const = default;
  };
  std::map<Place, LaneCounts> places_;
};

// Function names in PTX's debug information by their labels, as in the source, without parameters.
std::map<std::string_view, std::string> inlined_names(const ptx::Program& program);
// Shortens "brokkr::clip_triangle(Warp&, ...)" and "ns::Class<int>::name": drops namespace, parameters and template
// arguments.
std::string short_name(const std::string& mangled);

}  // namespace brokkr::simt
