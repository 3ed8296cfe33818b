// The control flow of a PTX program: where diverged paths meet again, and the distance to a loop's back edge.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ptx/program.h"

namespace brokkr::simt {

// The function's end: paths meet only when they return.
constexpr uint32_t kNoMeeting = ~0u;

class Flow {
 public:
  explicit Flow(const ptx::Program& program);

  // Returns true if all lanes that execute the instruction continue with the next one.
  bool runs_on(uint32_t pc) const { return program_.code[pc].kind == ptx::Kind::plain; }
  bool is_collective(uint32_t pc) const { return program_.code[pc].kind == ptx::Kind::collective; }
  // The place where lanes that diverge at `pc` meet: the first instruction of its block's immediate post-dominator.
  uint32_t meeting(uint32_t pc) const { return blocks_[block_of_[pc]].meeting; }
  // Instructions from `pc` to the nearest back edge on the shortest path. The larger the number, the less a loop waits
  // for this path.
  uint32_t to_loop(uint32_t pc) const { return blocks_[block_of_[pc]].to_loop; }
  // Returns true if the instruction is the first of a loop, the target of a back edge.
  bool is_head(uint32_t pc) const { return blocks_[block_of_[pc]].is_head && blocks_[block_of_[pc]].begin == pc; }
  // The maximum number of 32-bit registers live at any instruction of the function.
  uint32_t registers(const ptx::Function& f) const;

 private:
  struct Block {
    uint32_t begin = 0, end = 0;
    std::vector<uint32_t> next;  // blocks
    bool leaves = false;         // followed by an end of the function
    bool is_head = false;        // target of a back edge
    uint32_t meeting = kNoMeeting, to_loop = ~0u;
  };

  void add_function(const ptx::Function& f);
  void find_blocks(const ptx::Function& f, std::vector<uint32_t>& order);
  void find_meetings(const std::vector<uint32_t>& order);
  void find_loops(const std::vector<uint32_t>& order);

  const ptx::Program& program_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_;  // per instruction
};

// The registers that an instruction reads and writes, as indices for a scoreboard.
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
