// Converts statements to instructions: registers get places, names get addresses, operations get handlers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/program.h"

namespace brokkr::ptx {

// PTX text as statements: parsed, with names not yet resolved.
struct Operand {
  enum Kind : uint8_t { name, number, real, vector, address, list, string } kind = name;
  std::string_view text;       // text of a name: %r1, $L__BB0_3, symbol, _
  uint64_t bits = 0;           // number: the value; real: its 32 or 64 bits; name and address: offset
  uint8_t real_bits = 0;       // 32, 64, or 0 for decimal text (bits then hold a double)
  bool negated = false;        // !%p
  bool paired = false;         // %r|%p: the second part is the next operand
  std::vector<Operand> items;  // elements of a vector or a list, or the base of an address
};

struct Statement {
  enum Kind : uint8_t { instruction, directive, label, open, close } kind = instruction;
  uint32_t line = 0;
  std::string_view word;   // opcode with qualifiers, the directive, the label
  std::string_view guard;  // predicate of an instruction; empty: none
  bool guard_negated = false;
  std::vector<Operand> operands;         // operands of an instruction
  std::vector<std::string_view> tokens;  // directives: everything after the first word
};

// Throws std::runtime_error with the line. The result's views point into `text`.
std::vector<Statement> parse_statements(std::string_view text);

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char at);
uint64_t to_number(std::string_view text);  // decimal, or 0x...
inline uint32_t align_up(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }
bool has(const Words& words, std::string_view word);

struct Register {
  Type type = Type::none;
  Place place = kNowhere;
};
struct RegisterRange {
  Type type = Type::none;
  uint64_t count = 0;
};
// A variable in the local memory of a frame, or among a kernel's parameters.
struct Local {
  bool kernel_parameter = false;
  uint32_t offset = 0, bytes = 0;
};
struct Scope {
  std::unordered_map<std::string_view, Register> registers;
  std::unordered_map<std::string_view, RegisterRange> ranges;
  std::unordered_map<std::string_view, Local> locals;
  std::unordered_map<std::string_view, uint32_t> labels;
  std::vector<std::pair<uint32_t, std::string_view>> branches;  // instruction, label
  std::unordered_map<std::string_view, uint32_t> tables;
  std::vector<std::pair<uint32_t, Words>> table_labels;
  uint32_t local_top = 0;
};

// A declaration: .align 8 .b8 name[64].
struct Declaration {
  std::string_view name;
  Type type = Type::b8;
  uint32_t align = 1, bytes = 0;
  bool unsized = false;
};

// Throws std::runtime_error with the line of the PTX.
class Builder {
 public:
  explicit Builder(Program& p) : p_(p), statements_(parse_statements(p.text)) {}
  void run();

 private:
  // Builds an instruction; returns false for an unsupported form.
  using Translate = bool (Builder::*)(const Statement&, const Words& parts, Instruction&);
  struct Source {
    Place place = kNowhere;
    bool wide = false;
  };
  struct Operation {
    Words parts;
    Work work = Work::integer;
    Translate translate = nullptr;
  };
  // Places of the parts of a vector.
  using Parts = Place Instruction::*const[4];

  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

  // build_module.cpp: variables, functions, bodies and scopes.
  void declare_shared();
  void declare_variable(const Words& words);
  void fill_variable(const Declaration& d, const Words& words, size_t first, uint8_t* to) const;
  void top_level(const Statement& s);
  void function(const Statement& s);
  Function& function_named(std::string_view name);
  size_t read_limits(Function& f) const;  // returns the statement after them
  void body(Function& f);
  void statement_of_body(const Statement& s);
  void close_scope();
  void local_directive(const Statement& s);
  void declare_table(const Statement& s);
  void declare_registers(const Statement& s);

  // build_operands.cpp: places of values.
  Register* find_register(std::string_view name);
  Place new_place(Type type);
  const Local* find_local(std::string_view name) const;
  Place constant(uint64_t value, bool wide);
  Source real(const Operand& o, Type t);
  Source source(const Operand& o, Type t);  // register, special register, number, or a known address
  Place value(const Operand& o, Type t);    // like `source`, with the width of the type
  Place predicate(const Operand& o, bool& negated);
  Register target(const Operand& o);  // register of a result; `_`: none
  Place target(const Operand& o, Type t);
  bool address(const Operand& o, Instruction& in);  // [register + 4], [variable]; returns true for 64 bits
  static Place frame_base(const Local& local);
  const Operand& operand(const Statement& s, size_t i) const;
  // Both return true if a part has 64 bits.
  bool targets(const Operand& o, const Parts& parts, Instruction& in, uint32_t& count);
  bool sources(const Operand& o, Type t, const Parts& parts, Instruction& in, uint32_t& count);

  // build_operands.cpp: the table of operations.
  void append(const Instruction& in, uint32_t line);
  const Operation& operation_of(std::string_view word);  // looks each word up once
  void instruction(const Statement& s);

  // build_control.cpp
  bool branch(const Statement& s, const Words& parts, Instruction& in);
  bool branch_by_table(const Statement& s, const Words& parts, Instruction& in);
  bool leave(const Statement& s, const Words& parts, Instruction& in);
  bool end(const Statement& s, const Words& parts, Instruction& in);
  bool stop(const Statement& s, const Words& parts, Instruction& in);
  bool sleep(const Statement& s, const Words& parts, Instruction& in);
  bool call(const Statement& s, const Words& parts, Instruction& in);
  bool call_register(const Operand& results, const Operand& address, const Operand& arguments, Instruction& in);
  void match_calls();  // calls through registers: finds all functions they may call
  bool barrier(const Statement& s, const Words& parts, Instruction& in);

  // build_memory.cpp
  void describe_access(const Words& parts, uint32_t bytes, bool wide_address);
  bool load(const Statement& s, const Words& parts, Instruction& in);
  bool store(const Statement& s, const Words& parts, Instruction& in);
  bool atomic(const Statement& s, const Words& parts, Instruction& in);
  bool fence(const Statement& s, const Words& parts, Instruction& in);
  bool nothing(const Statement& s, const Words& parts, Instruction& in);
  bool convert_address(const Statement& s, const Words& parts, Instruction& in);
  bool move_address(const Local& local, const Operand& o, Instruction& in);
  bool is_space(const Statement& s, const Words& parts, Instruction& in);
  bool store_surface(const Statement& s, const Words& parts, Instruction& in);

  // build_control.cpp: instructions that lanes execute together
  bool shuffle(const Statement& s, const Words& parts, Instruction& in);
  bool vote(const Statement& s, const Words& parts, Instruction& in);
  bool match(const Statement& s, const Words& parts, Instruction& in);
  bool reduce(const Statement& s, const Words& parts, Instruction& in);
  bool elect(const Statement& s, const Words& parts, Instruction& in);
  bool sync_warp(const Statement& s, const Words& parts, Instruction& in);
  bool active_mask(const Statement& s, const Words& parts, Instruction& in);
  size_t results(const Statement& s, Instruction& in);  // returns the operand after them

  // build_arithmetic.cpp
  bool arithmetic(const Statement& s, const Words& parts, Instruction& in);
  bool predicates(const Statement& s, std::string_view operation, Instruction& in);
  bool count_bits(const Statement& s, const Words& parts, Instruction& in);
  bool compare(const Statement& s, const Words& parts, Instruction& in);
  bool select(const Statement& s, const Words& parts, Instruction& in);
  bool wide(const Statement& s, const Words& parts, Instruction& in);
  bool special(const Statement& s, const Words& parts, Instruction& in);
  bool move(const Statement& s, const Words& parts, Instruction& in);
  bool move_parts(const Statement& s, Type t, Instruction& in);
  bool move_time(const Statement& s, Instruction& in);
  bool convert(const Statement& s, const Words& parts, Instruction& in);

  static const Named<Translate> kOperations[];

  Program& p_;
  std::vector<Statement> statements_;
  size_t at_ = 0;
  std::unordered_map<std::string_view, uint32_t> shared_;
  std::unordered_map<std::string_view, Operation> operations_;  // by the opcode with qualifiers
  std::unordered_map<uint64_t, Place> constants_, wide_constants_;
  std::vector<Scope> scopes_;
  Function* function_ = nullptr;
  uint32_t frame_words_ = 0, predicate_word_ = 0, max_local_ = 0;
  std::string_view last_label_;
  SourceLine location_;
  Traits traits_;  // traits of the instruction being built
};

}  // namespace brokkr::ptx
