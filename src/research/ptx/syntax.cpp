#include "ptx/builder.h"

#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace brokkr::ptx {
namespace {

struct Token {
  std::string_view text;
  uint32_t line = 0;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> all;
  all.reserve(text.size() / 4);
  uint32_t line = 1;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      ++line, ++i;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
      ++i;
    } else if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text.substr(i, 2) == "/*") {
      for (; i < text.size() && text.substr(i, 2) != "*/"; ++i) line += text[i] == '\n';
      i += 2;
    } else if (c == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      all.push_back({text.substr(i, end + 1 - i), line});
      i = end + 1;
    } else if (is_word(c)) {
      size_t end = i;
      while (end < text.size() && (is_word(text[end]) || text.substr(end, 2) == "::")) end += text[end] == ':' ? 2 : 1;
      all.push_back({text.substr(i, end - i), line});
      i = end;
    } else {
      all.push_back({text.substr(i, 1), line});
      ++i;
    }
  }
  return all;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokens_of(text)) {}

  std::vector<Statement> run() {
    while (at_ < tokens_.size()) statement();
    return std::move(all_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const uint32_t line = at_ < tokens_.size() ? tokens_[at_].line : 0;
    throw std::runtime_error("PTX line " + std::to_string(line) + ": " + what);
  }
  std::string_view peek(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead].text : std::string_view();
  }
  std::string_view next() {
    if (at_ >= tokens_.size()) fail("the text ends too early");
    return tokens_[at_++].text;
  }
  bool take(std::string_view text) {
    if (peek() != text) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) fail("expected '" + std::string(text) + "' before '" + std::string(peek()) + "'");
  }

  void statement() {
    Statement s;
    s.line = tokens_[at_].line;
    const std::string_view first = peek();
    if (first == ";") {
      ++at_;
      return;
    }
    if (first == "{" || first == "}") {
      ++at_;
      s.kind = first == "{" ? Statement::open : Statement::close;
    } else if (first[0] == '.') {
      directive(s);
    } else if (peek(1) == ":") {
      s.kind = Statement::label;
      s.word = next();
      ++at_;
    } else {
      instruction(s);
    }
    all_.push_back(std::move(s));
  }

  // Directives end with their line or with ';'; a directive with a body ends before its '{'.
  void directive(Statement& s) {
    s.kind = Statement::directive;
    s.word = next();
    if (s.word == ".loc" || s.word == ".file" || s.word == ".version" || s.word == ".target" ||
        s.word == ".address_size") {
      while (at_ < tokens_.size() && tokens_[at_].line == s.line) s.tokens.push_back(next());
      return;
    }
    if (s.word == ".section") {  // debug information
      while (!take("}")) ++at_;
      return;
    }
    if (s.word == ".maxntid" || s.word == ".reqntid" || s.word == ".minnctapersm" || s.word == ".maxnreg" ||
        s.word == ".noreturn") {
      while (peek() != "{" && peek() != ";" && peek()[0] != '.') s.tokens.push_back(next());
      return;
    }
    const bool function = is_function();
    while (function && s.word != ".entry" && s.word != ".func") s.word = next();
    int depth = 0;
    while (depth > 0 || (peek() != ";" && !(function && (peek() == "{" || peek()[0] == '.')))) {
      const std::string_view token = next();
      if (token == "(" || token == "{" || token == "[") ++depth;
      if (token == ")" || token == "}" || token == "]") --depth;
      s.tokens.push_back(token);
    }
    if (!function) ++at_;
  }
  bool is_function() const {
    for (size_t i = 0; i < 4; ++i) {
      const std::string_view word = i == 0 ? tokens_[at_ - 1].text : peek(i - 1);
      if (word == ".entry" || word == ".func") return true;
      if (word != ".visible" && word != ".weak" && word != ".extern" && word != ".common") return false;
    }
    return false;
  }

  void instruction(Statement& s) {
    if (take("@")) {
      s.guard_negated = take("!");
      s.guard = next();
    }
    s.word = next();
    while (!take(";")) {
      if (take(",")) continue;
      s.operands.push_back(operand());
      if (take("|")) {
        s.operands.back().paired = true;
        s.operands.push_back(operand());
      }
    }
  }

  Operand operand() {
    Operand o;
    if (take("!")) {
      o = operand();
      o.negated = !o.negated;
      return o;
    }
    if (take("{") || take("(")) {
      o.kind = tokens_[at_ - 1].text == "{" ? Operand::vector : Operand::list;
      const std::string_view end = o.kind == Operand::vector ? "}" : ")";
      while (!take(end)) {
        if (!take(",")) o.items.push_back(operand());
      }
      return o;
    }
    if (take("[")) {
      o.kind = Operand::address;
      o.items.push_back(operand());
      // Surfaces and textures: [handle, {x, y}].
      while (take(",")) o.items.push_back(operand());
      expect("]");
      return o;
    }
    if (peek()[0] == '"') {
      o.kind = Operand::string;
      o.text = next();
      return o;
    }
    const bool minus = take("-");
    const std::string_view text = next();
    if (text[0] >= '0' && text[0] <= '9') {
      number(o, text, minus);
      return o;
    }
    o.text = text;
    o.negated = minus;
    while (peek() == "+" || (peek() == "-" && !peek(1).empty() && peek(1)[0] >= '0' && peek(1)[0] <= '9')) {
      const bool less = next() == "-";
      Operand offset;
      const bool negative = take("-") != less;
      number(offset, next(), negative);
      o.bits += offset.bits;
    }
    return o;
  }

  void number(Operand& o, std::string_view text, bool minus) const {
    const std::string copy(text);
    if (text.size() == 10 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F')) {
      o.kind = Operand::real;
      o.real_bits = 32;
      o.bits = std::strtoull(copy.c_str() + 2, nullptr, 16) ^ (minus ? 0x80000000u : 0u);
    } else if (text.size() == 18 && text[0] == '0' && (text[1] == 'd' || text[1] == 'D')) {
      o.kind = Operand::real;
      o.real_bits = 64;
      o.bits = std::strtoull(copy.c_str() + 2, nullptr, 16) ^ (uint64_t(minus) << 63);
    } else if (text.find('.') != std::string_view::npos) {
      o.kind = Operand::real;
      const double value = std::strtod(copy.c_str(), nullptr);
      o.bits = std::bit_cast<uint64_t>(minus ? -value : value);
    } else {
      o.kind = Operand::number;
      o.bits = std::strtoull(copy.c_str(), nullptr, 0);
      if (minus) o.bits = ~o.bits + 1;
    }
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  std::vector<Statement> all_;
};

}  // namespace

std::vector<Statement> parse_statements(std::string_view text) { return Parser(text).run(); }

}  // namespace brokkr::ptx
