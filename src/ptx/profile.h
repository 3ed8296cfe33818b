// Which instructions of a program ran: the ones that ran most, and the lines of source that ran at all.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/launch.h"
#include "ptx/program.h"
#include "ptx/settings.h"

namespace brokkr::ptx {

class Profile {
 public:
  explicit Profile(const Settings& s) : profile_(s.profile), coverage_folder_(s.coverage_folder) {}
  // Where a launch counts, one number per instruction; nullptr: nobody asks.
  uint64_t* begin(const Program& program);
  // After a launch. `lanes`: that took part in its instructions.
  void end(const Launch& launch, uint64_t lanes);

 private:
  void print(const Launch& launch, uint64_t lanes) const;
  void write_coverage(const Program& program) const;

  const int profile_;
  const std::string coverage_folder_;
  std::vector<uint64_t> counts_;                         // of this launch
  std::map<const Program*, std::vector<uint64_t>> all_;  // of all launches, for coverage
};

}  // namespace brokkr::ptx
