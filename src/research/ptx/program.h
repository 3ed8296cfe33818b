// An executable PTX module: an array of instructions whose operands are places in a warp's memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/traits.h"

namespace brokkr::ptx {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kAllLanes = ~0u;

// The place of a value: an index of 32-bit words << 2, plus the number of one of a warp's three bases. A register of up
// to 32 bits has one word per lane, a 64-bit register two; a predicate has one word for all lanes.
using Place = uint32_t;
enum PlaceBase : uint32_t { kFrame = 0, kConstant = 1, kSpecial = 2 };
constexpr Place kNowhere = ~0u;
constexpr Place place_of(PlaceBase base, uint32_t word) { return word << 2 | base; }

// The start of each frame, per lane.
constexpr uint32_t kFrameLocal = 0;    // address of its local memory: two words
constexpr uint32_t kFrameReturn = 64;  // return address in its caller
constexpr uint32_t kFrameCaller = 96;  // word index of the caller's frame
constexpr uint32_t kFrameRegisters = 128;

// Registers that the machine sets, in the warp's own words.
enum Special : uint32_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kMaskEq,
  kMaskLe,
  kMaskLt,
  kMaskGe,
  kMaskGt,
  kDynamicShared,
  kTotalShared,
  kZero,
  kSpecialRows,
};
constexpr uint32_t kParamWord = kSpecialRows * kLanes;  // two words per lane: address of the kernel's parameters
constexpr uint32_t kSpecialWords = kParamWord + 2 * kLanes;

class Warp;
struct Instruction;
// Executes an instruction for a set of lanes.
using Handler = void (*)(Warp&, const Instruction&, uint32_t lanes);

enum class Kind : uint8_t {
  plain,
  branch,
  branch_table,
  call,
  call_register,
  leave,
  end,
  collective,
  barrier,
  sleep,
  stop,
  unknown,
};

struct Instruction {
  Handler run = nullptr;
  Place guard = kNowhere;
  Place d = kNowhere, e = kNowhere;                              // results
  Place a = kNowhere, b = kNowhere, c = kNowhere, m = kNowhere;  // m: mask of a collective
  uint64_t offset = 0;  // of an address; otherwise its meaning depends on the handler
  uint32_t target = 0;  // of a branch; number of a call, direct or indirect
  Kind kind = Kind::plain;
  bool guard_negated = false;
  bool a_negated = false, b_negated = false, c_negated = false;  // predicates
  uint8_t mode = 0;                                              // kind of a collective
};

struct SourceLine {
  uint32_t ptx = 0;
  uint32_t file = 0, line = 0;    // in the CUDA source; 0: unknown
  std::string_view inlined = {};  // label of the name of the inlined function; empty: unknown
};

struct Copy {
  uint32_t from, to, bytes;  // offsets in the local memory of caller and callee
};

// `foreign`: brokkr_simt_NAME, which the machine provides (Machine::foreign).
enum class Builtin : uint8_t { none, vprintf, assertfail, foreign };

struct CallSite {
  uint32_t function = 0;
  Builtin builtin = Builtin::none;
  std::vector<Copy> arguments, results;
};

// A call through a register, with one call for each function that fits its arguments and results.
struct IndirectCall {
  std::vector<uint32_t> arguments, results;        // alternating offsets and sizes in the caller's local memory
  std::unordered_map<uint32_t, uint32_t> call_of;  // by function
};
// Addresses of functions lie in a range without memory.
constexpr uint64_t kFirstFunction = 1 << 16, kFunctionBytes = 16;

struct Variable {
  std::string_view name;
  uint32_t offset = 0, bytes = 0;
};

struct Function {
  std::string name;
  bool entry = false, defined = false;
  uint32_t begin = 0, end = 0;  // range of its instructions
  uint32_t frame_words = 0, local_bytes = 0;
  std::vector<Variable> parameters, results;  // offsets in the local memory of a frame, or in a kernel's parameters
  uint32_t parameter_bytes = 0;               // kernels only
  uint32_t most_threads = 1024, least_blocks = 0;  // .maxntid, .minnctapersm
};

struct Program {
  std::string text;
  std::vector<size_t> line_begins;  // of the text
  std::vector<Instruction> code;
  std::vector<SourceLine> lines;  // parallel to code
  std::vector<Traits> traits;     // parallel to code
  std::vector<CallSite> calls;
  std::vector<IndirectCall> indirect;
  std::vector<std::vector<uint32_t>> tables;  // of brx.idx
  std::vector<Function> functions;
  std::unordered_map<std::string_view, uint32_t> function_of;
  std::vector<uint32_t> constants;  // words; their places are fixed once the program is complete
  std::map<std::string, std::pair<void*, size_t>, std::less<>> variables;  // .global and .const
  std::map<uint32_t, std::string> files;
  uint32_t static_shared = 0;

  const Function* find(std::string_view function) const {
    const auto at = function_of.find(function);
    return at == function_of.end() ? nullptr : &functions[at->second];
  }
  const Function& function_at(uint32_t pc) const;
  // The call of an instruction; for a call through a register, `function` is the callee. nullptr if it cannot be
  // called.
  const CallSite* call_at(uint32_t pc, uint32_t function) const;
  std::string_view ptx_line(uint32_t pc) const;
  // "function, PTX line 12: text (file:line)".
  std::string describe(uint32_t pc) const;
};

// Throws std::runtime_error.
std::unique_ptr<Program> build_program(std::string text);

}  // namespace brokkr::ptx
