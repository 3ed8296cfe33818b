// The control flow of a PTX program: where paths that part meet again, and how far it is to a loop's jump.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace brokkr::simt {

// Behind the function: paths meet only when they return.
constexpr uint32_t kNoMeeting = ~0u;

class Flow {
 public:
  explicit Flow(const ptx::Program& program);

  // Whether lanes that execute it go to the next instruction together, whatever they are.
  bool runs_on(uint32_t pc) const { return program_.code[pc].kind == ptx::Kind::plain; }
  bool is_collective(uint32_t pc) const { return program_.code[pc].kind == ptx::Kind::collective; }
  // Where lanes that part at `pc` meet: the first instruction of the immediate post-dominator of its block.
  uint32_t meeting(uint32_t pc) const { return blocks_[block_of_[pc]].meeting; }
  // Instructions from `pc` to the nearest jump back, on the shortest path; the larger, the less a loop waits for it.
  uint32_t to_loop(uint32_t pc) const { return blocks_[block_of_[pc]].to_loop; }
  // Whether it is the first instruction of a loop, to which a jump leads back.
  bool is_head(uint32_t pc) const { return blocks_[block_of_[pc]].is_head && blocks_[block_of_[pc]].begin == pc; }
  // Registers of 32 bits that are live at one place of the function, at most.
  uint32_t registers(const ptx::Function& f) const;

 private:
  struct Block {
    uint32_t begin = 0, end = 0;
    std::vector<uint32_t> next;  // blocks
    bool leaves = false;         // an end of the function follows
    bool is_head = false;        // a jump leads back to it
    uint32_t meeting = kNoMeeting, to_loop = ~0u;
  };

  void add_function(const ptx::Function& f);
  void find_blocks(const ptx::Function& f, std::vector<uint32_t>& order);
  void find_meetings(const std::vector<uint32_t>& order);
  void find_loops(const std::vector<uint32_t>& order);

  const ptx::Program& program_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> block_of_;  // of each instruction
};

}  // namespace brokkr::simt
