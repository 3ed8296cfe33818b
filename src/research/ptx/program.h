// An executable PTX module: an array of instructions whose operands are places in a warp's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace brokkr::ptx {

// The hardware resources of an instruction. Only machines that time programs use them.
enum class Space : uint8_t { generic, global, shared, local, constant, parameter };

// The unit that executes an instruction.
enum class Work : uint8_t {
  integer,
  multiply,
  floating,
  special,  // sin, rcp, sqrt and similar
  divide,
  doubles,
  control,
  collective,
  fence,
  load,
  store,
  atomic,
};

struct Traits {
  Work work = Work::integer;
  // For accesses: space, and bytes per lane, 0 for other instructions.
  Space space = Space::generic;
  uint8_t bytes = 0;
  bool wide_address = false;
};

// Determines the unit from the words of an operation; fma.rn.f32 has three words.
Work work_of(const std::vector<std::string_view>& words);

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
  uint64_t offset = 0;  // offset of an address; other handlers define their own meaning
  uint32_t target = 0;  // target of a branch; number of a call, direct or indirect
  Kind kind = Kind::plain;
  bool guard_negated = false;
  bool a_negated = false, b_negated = false, c_negated = false;  // predicates
  uint8_t mode = 0;                                              // kind of a collective
  uint8_t kinds = 0;                                             // kinds of memory that an access may use: RangeKind
  uint32_t plain = 0;  // number of plain instructions from here on, without one of another kind between them
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
  std::vector<Variable> parameters, results;    // offsets in the local memory of a frame, or in a kernel's parameters
  uint32_t parameter_bytes = 0;                 // kernels only
  uint32_t max_threads = 1024, min_blocks = 0;  // .maxntid, .minnctapersm
};

struct Program {
  std::string text;
  std::vector<size_t> line_begins;  // beginnings of the lines of the text
  std::vector<Instruction> code;
  std::vector<SourceLine> lines;  // parallel to code
  std::vector<Traits> traits;     // parallel to code
  std::vector<CallSite> calls;
  std::vector<IndirectCall> indirect;
  std::vector<std::vector<uint32_t>> tables;  // branch tables of brx.idx
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

// Handlers of instructions, by operation and types.
enum class Type : uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  b32,
  u32,
  s32,
  f32,
  b64,
  u64,
  s64,
  f64,
  b128,
};
constexpr uint32_t bytes_of(Type t) {
  switch (t) {
    case Type::b8:
    case Type::u8:
    case Type::s8: return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16: return 2;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32: return 4;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return 8;
    case Type::b128: return 16;
    default: return 0;
  }
}
constexpr bool is_wide(Type t) { return bytes_of(t) == 8; }
constexpr bool is_float(Type t) { return t == Type::f16 || t == Type::f32 || t == Type::f64; }
Type type_named(std::string_view name);  // none if the name is not a type

// Tables of operations by name; unknown names give nullptr.
template <class T>
struct Named {
  std::string_view name;
  T value;
};
template <class T, size_t kCount>
constexpr T find(const Named<T> (&table)[kCount], std::string_view name) {
  for (const Named<T>& row : table) {
    if (row.name == name) return row.value;
  }
  return T();
}

// The rounding and modifiers of a floating-point instruction or a conversion.
struct Rounding {
  enum Mode : uint8_t { nearest, zero, down, up } mode = nearest;
  bool integer = false;   // .rni and similar
  bool flush = false;     // .ftz
  bool saturate = false;  // .sat
  bool approximate = false;
};

// Handlers; nullptr if the instruction is unsupported. Instruction::mode of a handler with non-default rounding is mode
// | flush << 2 | saturate << 3, as `rounding_mode` computes it.
uint8_t rounding_mode(const Rounding& r);
Handler unary_handler(std::string_view operation, Type t, const Rounding& r);
Handler binary_handler(std::string_view operation, Type t, const Rounding& r);
Handler ternary_handler(std::string_view operation, Type t, const Rounding& r);
Handler wide_handler(std::string_view operation, Type t);                                // mul.wide, mad.wide
Handler compare_handler(std::string_view comparison, std::string_view combine, Type t);  // setp
Handler select_handler(Type t);
Handler predicate_handler(std::string_view operation);
Handler convert_handler(Type to, Type from, const Rounding& r);
Handler resize_handler(Type to, Type from, bool wide_to, bool wide_from);  // integers in registers of other sizes
Handler special_handler(std::string_view operation, std::string_view mode, Type t);  // prmt, shf, lop3, bfi, ...
Handler move_handler(bool wide);
Handler pack_handler(size_t parts, bool wide_parts, bool wide, bool unpack);
Handler time_handler(bool wide, bool high);
Handler active_mask_handler();

// Bits of Instruction::mode for an access.
enum Order : uint8_t {
  kWeak = 0,
  kAcquire = 1,
  kRelease = 2,
  kStrong = 4,   // atomic: no race with other strong accesses
  kOfBlock = 8,  // .cta: atomic among threads of a block
};
// The kinds of memory that an instruction of a state space may access: RangeKind.
uint8_t ranges_of(Space space, bool writes);
Handler load_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address);
Handler store_handler(Type t, bool wide_register, uint32_t parts, Space space, bool wide_address);
Handler atomic_handler(std::string_view operation, Type t, Space space, bool wide_address);
Handler fence_handler();
Handler shared_address_handler(bool to_shared, bool wide);  // cvta, cvta.to
Handler is_space_handler(Space space);
Handler surface_store_handler();

// The parameters of a kernel launch, and the faults that end it early.

// Ends a launch: an access out of bounds, a deadlock, a trap. The text tells where.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Launch {
  const Program* program = nullptr;
  const Function* kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint32_t dynamic_shared = 0;
  uint32_t resident_blocks = 1;           // blocks that share the device
  const std::byte* parameters = nullptr;  // in device memory

  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
};

constexpr uint32_t kLocalBytes = 1 << 14;   // local memory per thread
constexpr uint32_t kStackWords = 1u << 22;  // registers per warp: touched only as far as calls nest

}  // namespace brokkr::ptx
