// PTX text as statements: what is written, with names resolved to nothing yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::ptx {

struct Operand {
  enum Kind : uint8_t { name, number, real, vector, address, list, string } kind = name;
  std::string_view text;       // of a name: %r1, $L__BB0_3, symbol, _
  uint64_t bits = 0;           // of a number: the value; of a real: its 32 or 64 bits; of name and address: offset
  uint8_t real_bits = 0;       // 32, 64, or 0 where the text is decimal (bits then hold a double)
  bool negated = false;        // !%p
  bool paired = false;         // %r|%p: the second part is the next operand
  std::vector<Operand> items;  // of a vector, a list, or the base of an address
};

struct Statement {
  enum Kind : uint8_t { instruction, directive, label, open, close } kind = instruction;
  uint32_t line = 0;
  std::string_view word;   // opcode with qualifiers, the directive, the label
  std::string_view guard;  // predicate of an instruction; empty: none
  bool guard_negated = false;
  std::vector<Operand> operands;         // of an instruction
  std::vector<std::string_view> tokens;  // of a directive, all after its first word
};

// Throws std::runtime_error with the line. Views point into `text`.
std::vector<Statement> parse_statements(std::string_view text);

}  // namespace brokkr::ptx
