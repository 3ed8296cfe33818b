#include "capture/glsl_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "brokkr/programs.h"

namespace brokkr::capture {
namespace {

using Tokens = std::vector<std::string>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(const std::string& token) {
  return !token.empty() && is_word(token[0]) && !std::isdigit(static_cast<unsigned char>(token[0]));
}

// Replaces comments by blanks and joins lines that end in a backslash.
std::string strip(std::string_view source) {
  std::string out;
  for (size_t i = 0; i < source.size(); i++) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("\\\n")) {
      i++;
    } else if (rest.starts_with("\\\r\n")) {
      i += 2;
    } else if (rest.starts_with("//")) {
      while (i < source.size() && source[i] != '\n') i++;
      out += '\n';
    } else if (rest.starts_with("/*")) {
      const size_t end = source.find("*/", i + 2);
      for (size_t j = i; j < std::min(end, source.size()); j++) {
        if (source[j] == '\n') out += '\n';
      }
      out += ' ';
      i = end == std::string_view::npos ? source.size() : end + 1;
    } else {
      out += source[i];
    }
  }
  return out;
}

Tokens tokenize(std::string_view text) {
  static constexpr std::string_view kPairs[] = {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
  Tokens tokens;
  for (size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      i++;
      continue;
    }
    size_t end = i + 1;
    if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end])) end++;
    } else {
      for (std::string_view pair : kPairs) {
        if (text.substr(i).starts_with(pair)) end = i + 2;
      }
    }
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

using Macros = std::map<std::string, Tokens>;

// Operators of preprocessor expressions; higher levels bind more tightly.
struct Operator {
  std::string_view text;
  int level;
  long (*apply)(long, long);
};
constexpr Operator kOperators[] = {
    {"||", 0, [](long a, long b) { return long(a || b); }},  {"&&", 1, [](long a, long b) { return long(a && b); }},
    {"|", 2, [](long a, long b) { return a | b; }},          {"^", 3, [](long a, long b) { return a ^ b; }},
    {"&", 4, [](long a, long b) { return a & b; }},          {"==", 5, [](long a, long b) { return long(a == b); }},
    {"!=", 5, [](long a, long b) { return long(a != b); }},  {"<", 6, [](long a, long b) { return long(a < b); }},
    {">", 6, [](long a, long b) { return long(a > b); }},    {"<=", 6, [](long a, long b) { return long(a <= b); }},
    {">=", 6, [](long a, long b) { return long(a >= b); }},  {"<<", 7, [](long a, long b) { return a << (b & 31); }},
    {">>", 7, [](long a, long b) { return a >> (b & 31); }}, {"+", 8, [](long a, long b) { return a + b; }},
    {"-", 8, [](long a, long b) { return a - b; }},          {"*", 9, [](long a, long b) { return a * b; }},
    {"/", 9, [](long a, long b) { return b ? a / b : 0; }},  {"%", 9, [](long a, long b) { return b ? a % b : 0; }}};
constexpr int kHighestLevel = 9;

// Evaluates a preprocessor expression; anything unknown counts as 0.
class Expression {
 public:
  Expression(const Tokens& tokens, const Macros& macros) : macros_(macros) { expand(tokens, 0); }
  long value() { return binary(0); }

 private:
  void expand(const Tokens& tokens, int depth) {
    for (size_t i = 0; i < tokens.size(); i++) {
      const auto macro = macros_.find(tokens[i]);
      if (tokens[i] == "defined") {
        const bool bracket = i + 1 < tokens.size() && tokens[i + 1] == "(";
        const size_t name = i + (bracket ? 2 : 1);
        tokens_.push_back(name < tokens.size() && macros_.count(tokens[name]) ? "1" : "0");
        i = name + (bracket ? 1 : 0);
      } else if (macro != macros_.end() && depth < 16) {
        tokens_.push_back("(");
        expand(macro->second, depth + 1);
        tokens_.push_back(")");
      } else {
        tokens_.push_back(tokens[i]);
      }
    }
  }

  bool take(std::string_view token) {
    if (at_ >= tokens_.size() || tokens_[at_] != token) return false;
    at_++;
    return true;
  }

  long primary() {
    if (take("!")) return !primary();
    if (take("-")) return -primary();
    if (take("+")) return primary();
    if (take("~")) return ~primary();
    if (take("(")) {
      const long inner = binary(0);
      take(")");
      return inner;
    }
    if (at_ >= tokens_.size()) return 0;
    return std::strtol(tokens_[at_++].c_str(), nullptr, 0);
  }

  long binary(int level) {
    if (level > kHighestLevel) return primary();
    long left = binary(level + 1);
    const auto is_next = [&](const Operator& op) { return op.level == level && take(op.text); };
    const Operator* op = nullptr;
    while ((op = std::find_if(std::begin(kOperators), std::end(kOperators), is_next)) != std::end(kOperators)) {
      left = op->apply(left, binary(level + 1));
    }
    return left;
  }

  const Macros& macros_;
  Tokens tokens_;
  size_t at_ = 0;
};

// The tokens that remain after conditions, with macros expanded.
class Preprocessor {
 public:
  Tokens run(const std::string& text) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      line(tokenize(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  // The state of a condition: this branch is active; some branch has been taken.
  struct Branch {
    bool active, taken;
  };

  bool active() const {
    for (const Branch& branch : branches_) {
      if (!branch.active) return false;
    }
    return true;
  }

  void line(const Tokens& tokens) {
    if (tokens.empty()) return;
    if (tokens[0] != "#") {
      if (active()) append(tokens, 0);
      return;
    }
    if (tokens.size() < 2) return;
    const std::string& directive = tokens[1];
    const Tokens rest(tokens.begin() + 2, tokens.end());
    if (directive == "if" || directive == "ifdef" || directive == "ifndef") {
      bool holds = active();
      if (holds && directive == "if") holds = Expression(rest, macros_).value() != 0;
      if (holds && directive != "if") holds = !rest.empty() && macros_.count(rest[0]) == (directive == "ifdef");
      branches_.push_back({holds, holds});
    } else if (directive == "elif" && !branches_.empty()) {
      Branch& branch = branches_.back();
      branch.active = !branch.taken && Expression(rest, macros_).value() != 0;
      branch.taken = branch.taken || branch.active;
    } else if (directive == "else" && !branches_.empty()) {
      branches_.back().active = !branches_.back().taken;
      branches_.back().taken = true;
    } else if (directive == "endif" && !branches_.empty()) {
      branches_.pop_back();
    } else if (directive == "version" && !rest.empty() && (rest[0] == "100" || rest.back() == "es")) {
      macros_ = {{"GL_ES", {"1"}}, {"GL_FRAGMENT_PRECISION_HIGH", {"1"}}, {"__VERSION__", {rest[0]}}};
    } else if (directive == "define" && !rest.empty() && active()) {
      macros_[rest[0]] = Tokens(rest.begin() + 1, rest.end());
    } else if (directive == "undef" && !rest.empty() && active()) {
      macros_.erase(rest[0]);
    }
  }

  void append(const Tokens& tokens, int depth) {
    for (const std::string& token : tokens) {
      const auto macro = macros_.find(token);
      if (macro != macros_.end() && depth < 16) {
        append(macro->second, depth + 1);
      } else {
        out_.push_back(token);
      }
    }
  }

  Macros macros_ = {{"GL_core_profile", {"1"}}, {"__VERSION__", {"450"}}};
  std::vector<Branch> branches_;
  Tokens out_;
};

// Bodies of the functions that main reaches.
std::vector<Tokens> reachable(const Tokens& tokens) {
  std::multimap<std::string, Tokens> functions;
  std::string last_name, candidate;
  int round = 0, curly = 0;
  Tokens body;
  for (const std::string& token : tokens) {
    if (curly == 0 && token == "(") {
      if (round++ == 0) candidate = last_name;
    } else if (curly == 0 && token == ")") {
      round--;
    } else if (token == "{") {
      curly++;
    } else if (token == "}") {
      if (--curly == 0 && !candidate.empty()) functions.emplace(candidate, std::exchange(body, {}));
      if (curly <= 0) {
        curly = 0;
        candidate.clear();
        body.clear();
      }
    } else if (curly > 0) {
      body.push_back(token);
    } else if (token == ";") {
      candidate.clear();
    } else if (is_name(token) && round == 0) {
      last_name = token;
    }
  }
  std::vector<Tokens> result;
  std::set<std::string> seen = {"main"};
  std::vector<std::string> pending = {"main"};
  while (!pending.empty()) {
    const std::string name = pending.back();
    pending.pop_back();
    for (auto [function, end] = functions.equal_range(name); function != end; ++function) {
      result.push_back(function->second);
      for (const std::string& token : function->second) {
        if (functions.count(token) && seen.insert(token).second) pending.push_back(token);
      }
    }
  }
  return result;
}

// Finds a buffer block, `buffer Name {`, without `readonly` before it.
bool has_writable_buffer(const Tokens& tokens) {
  bool readonly = false;
  for (const std::string& token : tokens) {
    if (token == "buffer" && !readonly) return true;
    if (token == "readonly") readonly = true;
    if (token == ";" || token == "{" || token == "}") readonly = false;
  }
  return false;
}

bool is_store(std::string_view token) {
  return token.starts_with("imageStore") || token.starts_with("imageAtomic") ||
         (token.starts_with("atomicCounter") && token != "atomicCounter");
}

// Scans statements outside functions, without layout qualifiers: declarations up to their semicolon, and blocks up to
// the end of their members.
class InputScanner {
 public:
  std::map<std::string, InputQualifier> run(const Tokens& tokens) {
    for (at_ = 0; at_ < tokens.size(); at_++) {
      const std::string& token = tokens[at_];
      if (token == "layout") {
        skip(tokens, "(", ")");
      } else if (token == ";") {
        declare("");
        statement_.clear();
      } else if (token == "{") {
        const bool is_function = has("(");
        if (!is_function && has("in")) {
          block(tokens);
        } else {
          at_--;
          skip(tokens, "{", "}");
        }
        if (is_function) statement_.clear();
      } else {
        statement_.push_back(token);
      }
    }
    return std::move(found_);
  }

 private:
  bool has(std::string_view token) const {
    return std::find(statement_.begin(), statement_.end(), token) != statement_.end();
  }

  // Skips to the end of the bracket that the next token opens.
  void skip(const Tokens& tokens, std::string_view open, std::string_view close) {
    int depth = 0;
    while (++at_ < tokens.size()) {
      depth += (tokens[at_] == open) - (tokens[at_] == close);
      if (depth <= 0) return;
    }
  }

  void block(const Tokens& tokens) {
    const std::string name = statement_.back() + ".";
    statement_.clear();
    for (at_++; at_ < tokens.size() && tokens[at_] != "}"; at_++) {
      if (tokens[at_] == "layout") {
        skip(tokens, "(", ")");
      } else if (tokens[at_] == ";") {
        statement_.insert(statement_.begin(), "in");
        declare(name);
        statement_.clear();
      } else {
        statement_.push_back(tokens[at_]);
      }
    }
  }

  void declare(const std::string& prefix) {
    if (has("(") || !(has("in") || has("varying"))) return;
    static const std::set<std::string> kQualifiers = {"in",       "varying", "flat",  "smooth",    "noperspective",
                                                      "centroid", "sample",  "highp", "invariant", "lowp",
                                                      "mediump"};
    InputQualifier qualifier;
    if (has("flat")) qualifier.interpolation = Interpolation::flat;
    if (has("noperspective")) qualifier.interpolation = Interpolation::noperspective;
    qualifier.centroid = has("centroid");
    qualifier.sample = has("sample");
    std::erase_if(statement_, [](const std::string& token) { return kQualifiers.count(token) > 0; });
    int depth = 0;
    bool is_type = true;  // the first name is the type
    for (const std::string& token : statement_) {
      depth += (token == "[") - (token == "]");
      if (depth > 0 || !is_name(token)) continue;
      if (!is_type) found_[prefix + token] = qualifier;
      is_type = false;
    }
  }

  size_t at_ = 0;
  Tokens statement_;
  std::map<std::string, InputQualifier> found_;
};

}  // namespace

std::map<std::string, InputQualifier> scan_inputs(std::string_view source) {
  return InputScanner().run(Preprocessor().run(strip(source)));
}

std::string_view version_line(std::string_view source) {
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    const std::string_view line = source.substr(begin, end - begin);
    const size_t mark = line.find_first_not_of(" \t");
    if (mark != std::string_view::npos && line[mark] == '#') {
      const size_t word = line.find_first_not_of(" \t", mark + 1);
      if (word != std::string_view::npos && line.substr(word).starts_with("version")) return line;
    }
    begin = end + 1;
  }
  return {};
}

int shader_version(std::string_view source) {
  const std::string line(version_line(source));
  const size_t digits = line.find_first_of("0123456789");
  return digits == std::string::npos ? 110 : static_cast<int>(std::strtol(line.c_str() + digits, nullptr, 10));
}

std::string with_renamed_main(std::string_view source, std::string_view name) {
  const std::string_view line = version_line(source);
  const size_t place = line.empty() ? 0 : static_cast<size_t>(line.data() - source.data()) + line.size();
  std::string text(source.substr(0, place));
  text += line.empty() ? "" : "\n";
  text += "#define main " + std::string(name) + "\n";
  text += source.substr(place);
  return text;
}

std::string with_moved_point_coord(std::string_view source, int up) {
  constexpr std::string_view kName = "gl_PointCoord";
  const std::string moved = std::string("(gl_PointCoord + 0.5 * vec2(dFdx(gl_PointCoord.x), ") + (up < 0 ? "-" : "") +
                            "dFdy(gl_PointCoord.y)))";
  const auto is_part = [&](size_t place) {
    return place < source.size() &&
           (std::isalnum(static_cast<unsigned char>(source[place])) != 0 || source[place] == '_');
  };
  std::string text;
  size_t begin = 0;
  for (size_t place = source.find(kName); place != std::string_view::npos; place = source.find(kName, place + 1)) {
    if ((place > 0 && is_part(place - 1)) || is_part(place + kName.size())) continue;
    text += std::string(source.substr(begin, place - begin)) + moved;
    begin = place + kName.size();
  }
  return text + std::string(source.substr(begin));
}

std::string with_stipple(std::string_view source) {
  const Tokens tokens = Preprocessor().run(strip(source));
  bool has_main = false;
  for (size_t i = 1; i + 1 < tokens.size(); i++) {
    has_main |= tokens[i - 1] == "void" && tokens[i] == "main" && tokens[i + 1] == "(";
  }
  if (!has_main) return std::string(source);
  const std::string pattern = kStippleUniform;
  return with_renamed_main(source, "brokkr_whole_main") + "\n#undef main\nuniform float " + pattern +
         "[1024];\nvoid main() {\n  vec2 brokkr_at = mod(floor(gl_FragCoord.xy), 32.0);\n  if (" + pattern +
         "[int(brokkr_at.y) * 32 + int(brokkr_at.x)] < 0.5) discard;\n  brokkr_whole_main();\n}\n";
}

size_t cull_distance_size(std::string_view source) {
  const Tokens tokens = Preprocessor().run(strip(source));
  for (size_t i = 1; i + 2 < tokens.size(); i++) {
    if (tokens[i] == "gl_CullDistance" && tokens[i - 1] == "float" && tokens[i + 1] == "[")
      return size_t(std::max(std::atoi(std::string(tokens[i + 2]).c_str()), 0));
  }
  return 0;
}

std::string with_cull_copy(std::string_view source, std::string_view name, size_t size) {
  const std::string array(name), number = std::to_string(size);
  return with_renamed_main(source, "brokkr_culled_main") + "\n#undef main\nout float " + array + "[" + number +
         "];\nvoid main() {\n  brokkr_culled_main();\n  for (int i = 0; i < " + number + "; i++) " + array +
         "[i] = gl_CullDistance[i];\n}\n";
}

ShaderUse scan_shader(std::string_view source) {
  ShaderUse use;
  constexpr std::array<std::string_view, 12> kWords = {"discard", "gl_FragDepth",     "gl_DrawID", "gl_Clip",
                                                       "gl_Cull", "gl_ViewportIndex", "gl_Layer",  "gl_PointSize",
                                                       "gl_Back", "buffer",           "image",     "atomic"};
  const bool mentioned = std::any_of(
      kWords.begin(), kWords.end(), [&](std::string_view word) { return source.find(word) != std::string_view::npos; });
  if (!mentioned) return use;
  const Tokens tokens = Preprocessor().run(strip(source));
  use.stores = has_writable_buffer(tokens);
  for (const Tokens& body : reachable(tokens)) {
    for (const std::string& token : body) {
      use.discard |= token == "discard";
      use.fragment_depth |= token == "gl_FragDepth" || token == "gl_FragDepthEXT";
      use.draw_id |= token == "gl_DrawID" || token == "gl_DrawIDARB";
      use.clip_vertex |= token == "gl_ClipVertex";
      use.clip_distance |= token == "gl_ClipDistance";
      use.cull_distance |= token == "gl_CullDistance";
      use.viewport_index |= token == "gl_ViewportIndex";
      use.layer |= token == "gl_Layer";
      use.point_size |= token == "gl_PointSize";
      use.back_color |= token == "gl_BackColor";
      use.back_secondary_color |= token == "gl_BackSecondaryColor";
      use.stores |= is_store(token);
    }
  }
  return use;
}

}  // namespace brokkr::capture
