// Where lanes are lost: instructions and the lanes that took part in them, by function of the source. A compiler
// inlines nearly all of them; the line table of PTX says where each instruction is from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/program.h"

namespace brokkr::simt {

struct LaneCounts {
  uint64_t instructions = 0, lanes = 0;  // of warps, and of threads
  // Places of lanes that nobody took.
  uint64_t lost() const { return instructions * ptx::kLanes - lanes; }
  double average() const { return instructions == 0 ? 0 : double(lanes) / double(instructions); }
};

struct FunctionLanes {
  std::string function, file;
  LaneCounts counts;
  uint32_t worst_line = 0;  // that loses most
  LaneCounts worst;
};

// Adds up launches, also of several programs.
class LaneTable {
 public:
  // How often each instruction ran, and for how many lanes.
  void add(const ptx::Program& program, const std::vector<uint64_t>& runs, const std::vector<uint64_t>& lanes);
  // The function that loses most comes first.
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

// The names in PTX's debug information by their labels, as in the source, without parameters.
std::map<std::string_view, std::string> inlined_names(const ptx::Program& program);
// "brokkr::clip_triangle(Warp&, ...)", "ns::Class<int>::name": without namespace, parameters and what is in <>.
std::string short_name(const std::string& mangled);

}  // namespace brokkr::simt
