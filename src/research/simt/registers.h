// The registers that an instruction reads and writes, as indices for a scoreboard.
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

// Numbers a function's registers in order of first use.
class RegisterNames {
 public:
  std::vector<RegisterUse> uses_of(const ptx::Program& program, uint32_t pc);
  uint32_t count() const { return uint32_t(numbers_.size()); }
  // Words of 32 bits per register, derived from the position of the next one. Predicates, which are adjacent, take
  // none. Call after all registers have been numbered.
  std::vector<uint32_t> words() const;

 private:
  std::map<ptx::Place, uint32_t> numbers_;
};

}  // namespace brokkr::simt
