// PTX text as statements: parsed, with names not yet resolved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::ptx {

struct Operand {
  enum Kind : uint8_t { name, number, real, vector, address, list, string } kind = name;
  std::string_view text;       // of a name: %r1, $L__BB0_3, symbol, _
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
  std::vector<Operand> operands;         // of an instruction
  std::vector<std::string_view> tokens;  // directives: everything after the first word
};

// Throws std::runtime_error with the line. The result's views point into `text`.
std::vector<Statement> parse_statements(std::string_view text);

}  // namespace brokkr::ptx
