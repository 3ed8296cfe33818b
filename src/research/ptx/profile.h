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
  uint64_t* lanes() { return lanes_.empty() ? nullptr : lanes_.data(); }
  void end(const Launch& launch);  // after a launch

  // Counts for whoever asks for them, of the last launch.
  void keep(bool on) { keep_ = on; }
  bool is_kept() const { return keep_; }
  void add(const Profile& other);  // of the same launch
  const std::vector<uint64_t>& runs_of_each() const { return counts_; }
  const std::vector<uint64_t>& lanes_of_each() const { return lanes_; }

 private:
  void print(const Launch& launch) const;
  void write_coverage(const Program& program) const;

  const int profile_;
  const std::string coverage_folder_;
  bool keep_ = false;
  std::vector<uint64_t> counts_, lanes_;                 // of this launch, by instruction
  std::map<const Program*, std::vector<uint64_t>> all_;  // of all launches, for coverage
};

}  // namespace brokkr::ptx
