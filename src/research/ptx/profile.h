// Counts executed instructions: the ones that ran most, and the source lines that ran at all.
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
  // The counters of a launch, one per instruction; nullptr: not counted.
  uint64_t* begin(const Program& program);
  uint64_t* lanes() { return lanes_.empty() ? nullptr : lanes_.data(); }
  void end(const Launch& launch);  // call after a launch

  // Keeps the last launch's counts for later queries.
  void keep(bool on) { keep_ = on; }
  bool is_kept() const { return keep_; }
  void add(const Profile& other);  // counts of the same launch
  const std::vector<uint64_t>& runs_of_each() const { return counts_; }
  const std::vector<uint64_t>& lanes_of_each() const { return lanes_; }

 private:
  void print(const Launch& launch) const;
  void write_coverage(const Program& program) const;

  const int profile_;
  const std::string coverage_folder_;
  bool keep_ = false;
  std::vector<uint64_t> counts_, lanes_;                 // of this launch, per instruction
  std::map<const Program*, std::vector<uint64_t>> all_;  // over all launches, for coverage
};

}  // namespace brokkr::ptx
