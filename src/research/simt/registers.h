// Which registers an instruction reads and writes, by numbers that a scoreboard can index.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/program.h"

namespace brokkr::simt {

struct RegisterUse {
  uint32_t number = 0;
  bool is_read = false;
};

// Numbers the registers of a function in the order in which they are met.
class RegisterNames {
 public:
  std::vector<RegisterUse> uses_of(const ptx::Program& program, uint32_t pc);
  uint32_t count() const { return uint32_t(numbers_.size()); }
  // Words of 32 bits that each takes, told by where the next one lies; predicates, which lie beside each other, take
  // none. Once all have been met.
  std::vector<uint32_t> words() const;

 private:
  std::map<ptx::Place, uint32_t> numbers_;
};

}  // namespace brokkr::simt
