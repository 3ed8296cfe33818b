#include "random_glsl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

namespace brokkr::shader::test {

namespace {

// 'f', 'i', 'u' or 'b'; 1 to 4 rows; more than one column: a matrix.
struct Type {
  char base = 'f';
  int rows = 1, columns = 1;
  bool operator==(const Type&) const = default;
};

constexpr Type kFloat{'f'}, kInt{'i'}, kUint{'u'}, kBool{'b'};

std::string name_of(Type type) {
  if (type.columns > 1)
    return type.rows == type.columns ? fmt::format("mat{}", type.rows)
                                     : fmt::format("mat{}x{}", type.columns, type.rows);
  if (type.rows > 1) return (type.base == 'f' ? "vec" : std::string(1, type.base) + "vec") + std::to_string(type.rows);
  return type.base == 'f' ? "float" : type.base == 'i' ? "int" : type.base == 'u' ? "uint" : "bool";
}

struct Variable {
  std::string name;
  Type type;
  bool writable = true;
  int length = 0;  // array length, a power of two; 0: no array
};

struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters;
  std::vector<bool> is_out;  // inout
};

constexpr const char* kKindNames[] = {"1D", "2D", "3D", "Cube", "2DRect", "1DArray", "2DArray", "CubeArray", "Buffer"};

bool has_levels(TextureKind kind) { return kind != TextureKind::rectangle && kind != TextureKind::buffer; }

class Writer {
 public:
  Writer(uint64_t seed, bool defined) : random_(seed), defined_(defined), left_(int(20 + random_.below(180))) {}

  std::string write() {
    row("#version 450");
    declare_inputs();
    declare_uniforms();
    declare_samplers();
    row("layout(location = 0) out vec4 color;");
    const bool has_second = !defined_ && random_.one_in(3), has_depth = !defined_ && random_.one_in(4);
    const Type second = any_of({Type{'i', 4}, Type{'u', 2}, Type{'f', 3}});
    if (has_second) row(fmt::format("layout(location = 1) out {} second;", name_of(second)));
    row("float safe(float v) { return isnan(v) ? 0.5 : v; }");
    if (!defined_ && random_.one_in(3)) declare("picked", random_type());
    for (uint32_t i = random_.below(3); i > 0; --i) write_function();
    row("void main() {");
    row("color = vec4(0.25);");
    if (has_second) row(fmt::format("second = {}(1);", name_of(second)));
    if (has_depth) row("gl_FragDepth = 0.5;");
    in_main_ = true;
    const size_t own = variables_.size();
    for (const Type type : {kFloat, Type{'f', 4}, kInt, kUint, Type{'f', 3}}) declare_random(type);
    for (uint32_t i = 1 + random_.below(3); i > 0; --i) declare_random(random_type());
    block(3);
    row(fmt::format("color = {};", result_of(own)));
    if (has_second) row(fmt::format("second = {};", value(second, 2)));
    if (has_depth) row(fmt::format("gl_FragDepth = {};", value(kFloat, 2)));
    row("}");
    return std::move(text_);
  }

 private:
  void row(const std::string& line) { text_ += line + "\n"; }
  template <class T>
  T any_of(std::initializer_list<T> list) {
    return list.begin()[random_.below(uint32_t(list.size()))];
  }
  std::string any(std::initializer_list<const char*> list) { return any_of(list); }

  Type random_type() {
    if (random_.one_in(8)) return {'f', int(2 + random_.below(3)), int(2 + random_.below(3))};
    const char base = any_of({'f', 'f', 'f', 'i', 'u', 'b'});
    return {base, int(1 + random_.below(4)), 1};
  }

  // --- declarations ---

  void declare_inputs() {
    row("in vec4 at;\nin vec2 uv;");
    variables_.push_back({"at", {'f', 4}, false});
    variables_.push_back({"uv", {'f', 2}, false});
    if (defined_) return;
    row("flat in int number;\nflat in uvec3 bits;\nnoperspective in vec3 linear;");
    variables_.push_back({"number", kInt, false});
    variables_.push_back({"bits", {'u', 3}, false});
    variables_.push_back({"linear", {'f', 3}, false});
    variables_.push_back({"gl_FragCoord", {'f', 4}, false});
    variables_.push_back({"gl_FrontFacing", kBool, false});
  }

  void declare_uniforms() {
    const std::vector<Variable> all = {{"u_number", kFloat, false},      {"u_color", {'f', 4}, false},
                                       {"u_count", kInt, false},         {"u_turn", {'f', 3, 3}, false},
                                       {"u_on", kBool, false},           {"u_pair", {'i', 2}, false},
                                       {"u_mask", kUint, false},         {"u_table", kFloat, false, 8},
                                       {"u_lights", {'f', 3}, false, 4}, {"u_places", kInt, false, 4}};
    for (const Variable& one : all) {
      // The reference sets only these.
      const bool is_set = one.type.base == 'f' && one.type.columns == 1;
      if (random_.one_in(2) || (defined_ && !is_set && one.type != kInt && one.type != kBool)) continue;
      row(fmt::format("uniform {} {}{};", name_of(one.type), one.name,
                      one.length > 0 ? fmt::format("[{}]", one.length) : ""));
      variables_.push_back(one);
    }
  }

  void declare_samplers() {
    const uint32_t count = random_.below(5);
    for (uint32_t i = 0; i < count; ++i) {
      SamplerInput one;
      one.kind = random_.one_in(3) ? TextureKind::two : TextureKind(random_.below(9));
      const bool may_compare = one.kind != TextureKind::three && one.kind != TextureKind::buffer;
      one.compares = may_compare && !defined_ && random_.one_in(5);
      if (!one.compares && random_.one_in(4)) one.type = any_of({SampledType::integer, SampledType::natural});
      const std::string type = std::string(one.type == SampledType::integer   ? "i"
                                           : one.type == SampledType::natural ? "u"
                                                                              : "") +
                               "sampler" + kKindNames[size_t(one.kind)] + (one.compares ? "Shadow" : "");
      const bool is_array = !defined_ && random_.one_in(6);
      row(fmt::format("uniform {} s{}{};", type, i, is_array ? "[2]" : ""));
      one.name = fmt::format("s{}", i);
      asked_.push_back({one, is_array});
    }
  }

  void declare(const std::string& name, Type type) {
    row(fmt::format("{} {} = {};", name_of(type), name, constant(type)));
    variables_.push_back({name, type});
  }
  // A variable, or an array of them, with an initial value.
  void declare_random(Type type) {
    const std::string name = fmt::format("v{}", next_++);
    Variable made{name, type};
    if (random_.one_in(5)) {
      made.length = any_of({2, 4, 8});
      std::string list;
      for (int i = 0; i < made.length; ++i) list += (i == 0 ? "" : ", ") + value(type, i == 0 ? 1 : 0);
      row(fmt::format("{0} {1}[{2}] = {0}[{2}]({3});", name_of(type), name, made.length, list));
    } else {
      row(fmt::format("{} {} = {};", name_of(type), name, value(type, 3)));
    }
    variables_.push_back(made);
  }

  void write_function() {
    Function made;
    made.name = fmt::format("f{}", functions_.size());
    made.result = random_.one_in(2) ? kFloat : random_type();
    const std::vector<Variable> outside = variables_;
    std::string list;
    for (uint32_t i = random_.below(3) + 1; i > 0; --i) {
      const Type type = random_type();
      const bool is_out = random_.one_in(3);
      const std::string name = fmt::format("p{}", next_++);
      list += fmt::format("{}{}{} {}", list.empty() ? "" : ", ", is_out ? "inout " : "", name_of(type), name);
      made.parameters.push_back(type);
      made.is_out.push_back(is_out);
      variables_.push_back({name, type});
    }
    row(fmt::format("{} {}({}) {{", name_of(made.result), made.name, list));
    result_ = made.result;
    const int saved = left_;
    left_ = std::min(left_, 40);
    declare_random(made.result);
    block(2);
    row(fmt::format("return {};", value(made.result, 2)));
    left_ = saved - 30;
    row("}");
    variables_ = outside;
    functions_.push_back(std::move(made));
  }

  // Sums up the variables from number `own` on.
  std::string result_of(size_t own) {
    std::string sum = "vec4(0.0)";
    for (size_t i = own; i < variables_.size(); ++i) {
      const Variable& one = variables_[i];
      const std::string name = one.length > 0 ? fmt::format("{}[{}]", one.name, one.length - 1) : one.name;
      std::string part = name;
      if (one.type.columns > 1) part += "[1]";
      if (one.type.rows > 1) part += any({".x", ".y", ".yx.y"});
      if (one.type.base != 'f')
        part = one.type.base == 'b'
                   ? fmt::format("float({})", part)
                   : fmt::format("float({} & {}) / 255.0", part, one.type.base == 'u' ? "255u" : "255");
      const char* const axis = any_of({"vec4(0.5, 0, 0, 0.25)", "vec4(0, 0.5, 0.25, 0)", "vec4(0, 0.25, 0.5, 0)"});
      sum += fmt::format(" + {} * {}", axis, part);
    }
    return sum;
  }

  // --- statements ---

  void block(int depth) {
    const size_t outside = variables_.size();
    for (uint32_t i = 1 + random_.below(4); i > 0; --i) statement(depth);
    variables_.resize(outside);
  }

  void statement(int depth) {
    if (left_ <= 0) depth = 0;
    switch (random_.below(depth > 0 ? 14 : 6)) {
      case 0: return declare_random(random_type());
      case 6:
      case 7:
      case 8: return write_if(depth);
      case 9:
      case 10: return write_loop(depth);
      case 11: return write_switch(depth);
      case 12: return write_end();
      case 13: return write_call();
      default: return assign();
    }
  }

  // A variable of this scope, and the part of it that is assigned.
  void assign() {
    std::vector<size_t> own;
    for (size_t i = 0; i < variables_.size(); ++i)
      if (variables_[i].writable) own.push_back(i);
    if (own.empty()) return declare_random(random_type());
    const Variable one = variables_[own[random_.below(uint32_t(own.size()))]];
    Type type = one.type;
    std::string to = one.name;
    if (one.length > 0) to += fmt::format("[{} & {}]", index(1), one.length - 1);
    if (type.columns > 1 && random_.one_in(2)) {
      to += fmt::format("[{}]", random_.below(uint32_t(type.columns)));
      type.columns = 1;
    }
    if (type.columns == 1 && type.rows > 1 && random_.one_in(2)) {
      const bool chosen = random_.one_in(3) && type.rows % 2 == 0 && one.type.columns == 1;
      if (chosen) {
        to += fmt::format("[{} & {}]", index(1), type.rows - 1);
        type.rows = 1;
      } else if (random_.one_in(2)) {
        to += any({".yx", ".xy"});
        type.rows = 2;
      } else {
        to += any({".x", ".y"});
        type.rows = 1;
      }
    }
    const bool adds = !defined_ && type.base != 'b' && random_.one_in(4);
    row(fmt::format("{} {}= {};", to,
                    !adds              ? ""
                    : type.columns > 1 ? any({"+", "-"})
                                       : any({"+", "-", "*"}),
                    bounded(value(type, 4), type)));
  }

  void write_if(int depth) {
    row(fmt::format("if ({}) {{", value(kBool, 3)));
    block(depth - 1);
    if (random_.one_in(2)) {
      row("} else {");
      block(depth - 1);
    }
    row("}");
  }

  void write_loop(int depth) {
    const std::string i = fmt::format("i{}", next_++);
    const std::string most =
        random_.one_in(2) ? std::to_string(1 + random_.below(4)) : fmt::format("({} & 3)", value(kInt, 2));
    const uint32_t form = random_.below(3);
    if (form == 0) {
      row(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", i, most));
    } else if (form == 1) {
      row(fmt::format("int {0} = 0;\nwhile ({0}++ < {1}) {{", i, most));
    } else {
      row(fmt::format("int {} = 0;\ndo {{", i));
    }
    const size_t outside = variables_.size();
    variables_.push_back({i, kInt, false});
    ++loops_;
    const int switches = switches_;
    switches_ = 0;
    block(depth - 1);
    if (random_.one_in(2)) {
      row(fmt::format("if ({}) {};", value(kBool, 2), any({"break", "continue"})));
      block(0);
    }
    switches_ = switches;
    --loops_;
    variables_.resize(outside);
    row(form == 2 ? fmt::format("}} while (++{} < {});", i, most) : "}");
  }

  void write_switch(int depth) {
    row(fmt::format("switch ({} & 3) {{", value(kInt, 3)));
    ++switches_;
    const uint32_t cases = 1 + random_.below(4);
    const uint32_t where = random_.below(cases + 1);  // position of the default case
    for (uint32_t i = 0; i <= cases; ++i) {
      if (i == where) row("default:");
      if (i < cases) row(fmt::format("case {}:", i));
      if (random_.one_in(4) && i < cases) continue;  // falls through without statements
      row("{");
      block(depth - 1);
      row("}");
      if (!random_.one_in(3)) row("break;");
    }
    row("break;");
    --switches_;
    row("}");
  }

  void write_end() {
    const std::string condition = value(kBool, 2);
    const uint32_t form = random_.below(4);
    if (form == 0 && in_main_) return row(fmt::format("if ({}) discard;", condition));
    if (form == 1 && loops_ > 0) return row(fmt::format("if ({}) continue;", condition));
    if (form == 2 && (loops_ > 0 || switches_ > 0)) return row(fmt::format("if ({}) break;", condition));
    row(in_main_ ? fmt::format("if ({}) return;", condition)
                 : fmt::format("if ({}) return {};", condition, value(result_, 1)));
  }

  // A built-in function with further results besides its return value.
  void write_built_in() {
    const int rows = int(1 + random_.below(4));
    const Type real{'f', rows}, whole{'i', rows}, natural{'u', rows};
    const std::string high = fmt::format("v{}", next_++), low = fmt::format("v{}", next_++);
    const auto two = [&](Type first, Type second, const std::string& call) {
      row(fmt::format("{} {} = {};\n{} {} = {};\n{};", name_of(first), high, constant(first), name_of(second), low,
                      constant(second), call));
      variables_.push_back({high, first});
      variables_.push_back({low, second});
    };
    const auto a = [&](Type type) { return value(type, 2); };
    switch (random_.below(4)) {
      case 0: return two(real, real, fmt::format("{} = modf({}, {})", low, a(real), high));
      case 1: return two(whole, real, fmt::format("{} = frexp({}, {})", low, a(real), high));
      case 2:
        return two(
            natural, natural,
            fmt::format("{} = {}({}, {}, {})", low, any({"uaddCarry", "usubBorrow"}), a(natural), a(natural), high));
      default: {
        const Type type = random_.one_in(2) ? whole : natural;
        return two(
            type, type,
            fmt::format("{}mulExtended({}, {}, {}, {})", type.base == 'i' ? "i" : "u", a(type), a(type), high, low));
      }
    }
  }

  void write_call() {
    if (!defined_ && random_.one_in(4)) return write_built_in();
    if (functions_.empty()) return assign();
    const Function& called = functions_[random_.below(uint32_t(functions_.size()))];
    const std::string name = fmt::format("v{}", next_++);
    const std::string call = call_of(called);
    if (call.empty()) return assign();
    row(fmt::format("{} {} = {};", name_of(called.result), name, bounded(call, called.result)));
    variables_.push_back({name, called.result});
  }
  // Declares variables for the ones that the function changes. Empty if the text is not allowed here.
  std::string call_of(const Function& called) {
    std::string list;
    for (size_t i = 0; i < called.parameters.size(); ++i) {
      std::string given;
      if (called.is_out[i]) {
        given = fmt::format("v{}", next_++);
        row(fmt::format("{} {} = {};", name_of(called.parameters[i]), given, value(called.parameters[i], 1)));
        variables_.push_back({given, called.parameters[i]});
      } else {
        given = value(called.parameters[i], 2);
      }
      list += (i == 0 ? "" : ", ") + given;
    }
    return fmt::format("{}({})", called.name, list);
  }

  // --- values ---

  // Numbers that stay small, where the picture is defined.
  std::string bounded(const std::string& text, Type type) {
    if (!defined_ || type.base != 'f') return text;
    if (type.columns == 1) return fmt::format("clamp({}, -2.0, 2.0)", text);
    return fmt::format("0.1 * ({})", text);
  }

  std::string constant(Type type) {
    std::string one;
    switch (type.base) {
      case 'f':
        one = defined_ ? any({"0.5", "-0.25", "1.0", "0.0", "-1.5"})
                       : any({"0.0", "1.0", "-1.0", "0.5", "3.14159", "-0.0", "1e30", "1e-30", "255.0", "-7.25"});
        break;
      case 'i':
        one = defined_ ? any({"0", "1", "2", "5", "-3"})
                       : any({"0", "1", "-1", "7", "31", "2147483647", "(-2147483647 - 1)", "255"});
        break;
      case 'u': one = any({"0u", "1u", "33u", "0xffffffffu", "0x80000000u", "7u"}); break;
      default: return fmt::format("{}({})", name_of(type), any({"true", "false"}));
    }
    return type.rows == 1 ? one : fmt::format("{}({})", name_of(type), one);
  }

  // A variable of the type or a part of one; otherwise a constant.
  std::string leaf(Type type) {
    if (random_.one_in(5)) return constant(type);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Variable& one = variables_[random_.below(uint32_t(variables_.size()))];
      if (one.type.base != type.base) continue;
      const std::string name = one.length == 0 ? one.name
                               : random_.one_in(2) && !variables_.empty()
                                   ? fmt::format("{}[{}]", one.name, random_.below(uint32_t(one.length)))
                                   : fmt::format("{}[{} & {}]", one.name, index(0), one.length - 1);
      if (one.type == type) return name;
      if (type.columns > 1) continue;
      if (one.type.columns > 1) {
        const std::string column = fmt::format("{}[{}]", name, random_.below(uint32_t(one.type.columns)));
        if (one.type.rows == type.rows) return column;
        if (type.rows == 1) return fmt::format("{}[{}]", column, random_.below(uint32_t(one.type.rows)));
        continue;
      }
      if (one.type.rows == 1) continue;
      std::string swizzle;
      for (int i = 0; i < type.rows; ++i) swizzle += "xyzw"[random_.below(uint32_t(one.type.rows))];
      return fmt::format("{}.{}", name, swizzle);
    }
    return constant(type);
  }

  // An integer that selects an element: a separate one for each sample, or the same for all.
  std::string index(int depth) { return fmt::format("({})", value(kInt, depth)); }

  std::string value(Type type, int depth) {
    if (depth <= 0 || --left_ <= 0) return leaf(type);
    if (random_.one_in(6)) return leaf(type);
    if (random_.one_in(9))
      return fmt::format("({} ? {} : {})", value(kBool, depth - 1), value(type, depth - 1), value(type, depth - 1));
    if (!asked_.empty() && random_.one_in(5)) {
      const std::string texel = texel_as(type, depth - 1);
      if (!texel.empty()) return texel;
    }
    if (type.columns > 1) return matrix(type, depth - 1);
    if (type.rows > 1 && random_.one_in(4)) return constructed(type, depth - 1);
    switch (type.base) {
      case 'f': return number(type, depth - 1);
      case 'b': return truth(type, depth - 1);
      default: return integer(type, depth - 1);
    }
  }

  std::string constructed(Type type, int depth) {
    std::string list;
    for (int rest = type.rows; rest > 0;) {
      const int rows = std::min(rest, int(1 + random_.below(2)));
      list += (list.empty() ? "" : ", ") + value({type.base, rows}, depth);
      rest -= rows;
    }
    return fmt::format("{}({})", name_of(type), list);
  }

  std::string matrix(Type type, int depth) {
    const bool square = type.rows == type.columns;
    const std::string a = value(type, depth);
    switch (random_.below(7)) {
      case 0: return fmt::format("({} {} {})", a, any({"+", "-"}), value(type, depth));
      case 1: return fmt::format("matrixCompMult({}, {})", a, value(type, depth));
      case 2: return fmt::format("transpose({})", value({'f', type.columns, type.rows}, depth));
      case 3:
        return fmt::format("outerProduct({}, {})", value({'f', type.rows}, depth), value({'f', type.columns}, depth));
      case 4: return fmt::format("({} * {})", value(kFloat, depth), a);
      case 5:
        if (square && !defined_) return fmt::format("inverse({})", a);
        [[fallthrough]];
      default: {
        if (square && random_.one_in(2)) return fmt::format("({} * {})", a, value(type, depth));
        std::string list;
        for (int i = 0; i < type.columns; ++i) list += (i == 0 ? "" : ", ") + value({'f', type.rows}, depth - 1);
        return fmt::format("{}({})", name_of(type), list);
      }
    }
  }

  std::string number(Type type, int depth) {
    const std::string a = value(type, depth);
    const auto b = [&] { return value(random_.one_in(3) ? kFloat : type, depth); };
    const std::string own = name_of(type);
    if (defined_) {
      switch (random_.below(12)) {
        case 0: return fmt::format("sin({})", a);
        case 1: return fmt::format("cos({})", a);
        case 2: return fmt::format("abs({})", a);
        case 3: return fmt::format("sqrt(abs({}) + 0.5)", a);
        case 4: return fmt::format("min({}, {})", a, b());
        case 5: return fmt::format("max({}, {})", a, b());
        case 6: return fmt::format("mix({}, {}, 0.25)", a, value(type, depth));
        case 7: return fmt::format("clamp({}, -1.0, 1.0)", a);
        case 8: return fmt::format("{}({} & 7) * 0.125", own, value({'i', type.rows}, depth));
        case 9: return fmt::format("exp2(clamp({}, -2.0, 2.0))", a);
        case 10: return fmt::format("clamp({} * {}, -2.0, 2.0)", a, b());
        default: return fmt::format("({} {} {})", a, any({"+", "-"}), b());
      }
    }
    switch (random_.below(18)) {
      case 0:
      case 1:
        return fmt::format("{}({})", any({"sin",   "cos",         "tan",   "exp",   "exp2",  "log",     "log2",
                                          "sqrt",  "inversesqrt", "abs",   "sign",  "floor", "ceil",    "fract",
                                          "round", "roundEven",   "trunc", "asin",  "acos",  "atan",    "sinh",
                                          "cosh",  "tanh",        "asinh", "acosh", "atanh", "radians", "degrees"}),
                           a);
      case 2: return fmt::format("{}({}, {})", any({"min", "max", "mod"}), a, b());
      case 3: return fmt::format("{}({}, {})", any({"pow", "atan", "step"}), a, value(type, depth));
      case 4:
        return fmt::format("{}({}, {}, {})", any({"mix", "clamp", "smoothstep", "fma"}), a, value(type, depth),
                           value(type, depth));
      case 5: return fmt::format("mix({}, {}, {})", a, value(type, depth), value({'b', type.rows}, depth));
      case 6: return fmt::format("{}({})", any({"dFdx", "dFdy", "fwidth", "dFdxFine", "dFdyCoarse"}), a);
      case 7: return fmt::format("{}({})", own, value({any_of({'i', 'u', 'b'}), type.rows}, depth));
      case 8:
        return random_.one_in(2) ? fmt::format("intBitsToFloat({})", value({'i', type.rows}, depth))
                                 : fmt::format("uintBitsToFloat({})", value({'u', type.rows}, depth));
      case 9: return fmt::format("ldexp({}, {})", a, value({'i', type.rows}, depth));
      case 10:
        if (type.rows == 1) {
          const Type wide{'f', int(2 + random_.below(3))};
          return fmt::format("{}({}, {})", any({"dot", "distance"}), value(wide, depth), value(wide, depth));
        }
        if (type.rows == 3 && random_.one_in(2)) return fmt::format("cross({}, {})", a, value(type, depth));
        return fmt::format("{}({})", any({"normalize", "-"}), a);
      case 11:
        if (type.rows == 1) return fmt::format("length({})", value({'f', int(2 + random_.below(3))}, depth));
        return fmt::format("({} * {})", value({'f', type.rows, 3}, depth), value({'f', 3}, depth));
      case 12:
        if (type.rows == 1) return fmt::format("determinant({})", value({'f', 2, 2}, depth));
        if (type.rows == 2) return fmt::format("unpackHalf2x16({})", value(kUint, depth));
        if (type.rows == 4)
          return fmt::format("{}({})", any({"unpackUnorm4x8", "unpackSnorm4x8"}), value(kUint, depth));
        return fmt::format("reflect({}, {})", a, value(type, depth));
      case 13:
        if (type.rows == 2)
          return fmt::format("{}({})", any({"unpackUnorm2x16", "unpackSnorm2x16"}), value(kUint, depth));
        return random_.one_in(2) ? fmt::format("refract({}, {}, {})", a, value(type, depth), value(kFloat, depth))
                                 : fmt::format("faceforward({}, {}, {})", a, value(type, depth), value(type, depth));
      default: return fmt::format("({} {} {})", a, any({"+", "-", "*", "/"}), b());
    }
  }

  std::string integer(Type type, int depth) {
    const bool is_signed = type.base == 'i';
    const std::string a = value(type, depth), own = name_of(type);
    const auto b = [&] { return value(random_.one_in(3) ? Type{type.base} : type, depth); };
    switch (random_.below(defined_ ? 6 : 13)) {
      case 0: return fmt::format("({} {} {})", a, any({"+", "-", "*"}), b());
      case 1: return fmt::format("({} {} {})", a, any({"&", "|", "^"}), b());
      case 2: return fmt::format("{}({}, {})", any({"min", "max"}), a, b());
      case 3: return fmt::format("({} {} {})", a, any({"<<", ">>"}), any({"1", "3", "5"}));
      case 4: return fmt::format("{}({})", is_signed ? any({"abs", "sign", "~"}) : "~", a);
      case 5: return fmt::format("{}({})", own, value({any_of({'b', is_signed ? 'u' : 'i'}), type.rows}, depth));
      case 6: return fmt::format("({} {} {})", a, any({"/", "%"}), b());
      case 7: return fmt::format("({} {} {})", a, any({"<<", ">>"}), b());
      case 8: return fmt::format("{}({})", own, value({'f', type.rows}, depth));
      case 9:
        return type.rows > 1 ? fmt::format("{}({}, {})", any({"min", "max"}), a, b())
                             : fmt::format("{}(safe({}))", is_signed ? "floatBitsToInt" : "floatBitsToUint",
                                           value(kFloat, depth));
      case 10:
        if (is_signed) return fmt::format("{}({})", any({"bitCount", "findMSB", "findLSB", "bitfieldReverse"}), a);
        if (type.rows > 1) return fmt::format("bitfieldReverse({})", a);
        if (random_.one_in(2))
          return fmt::format("{}({})", any({"packHalf2x16", "packUnorm2x16", "packSnorm2x16"}), value({'f', 2}, depth));
        return fmt::format("{}({})", any({"packUnorm4x8", "packSnorm4x8"}), value({'f', 4}, depth));
      case 11: return fmt::format("bitfieldExtract({}, {}, {})", a, any({"0", "3", "7"}), any({"0", "5", "16"}));
      default:
        return fmt::format("bitfieldInsert({}, {}, {}, {})", a, value(type, depth), any({"0", "3", "7"}),
                           any({"0", "5", "16"}));
    }
  }

  std::string truth(Type type, int depth) {
    // If the picture is defined, no floating-point number decides.
    const char base = defined_ ? 'i' : any_of({'f', 'i', 'u'});
    const auto whole_sample = [&] {
      return fmt::format("(int(gl_FragCoord.{}) & {})", any({"x", "y"}), any({"1", "3", "4", "8", "15"}));
    };
    if (type.rows > 1) {
      const Type compared{base, type.rows};
      switch (random_.below(3)) {
        case 0: return fmt::format("not({})", value(type, depth));
        default:
          return fmt::format("{}({}, {})", any({"lessThan", "greaterThanEqual", "equal", "notEqual"}),
                             value(compared, depth), value(compared, depth));
      }
    }
    switch (random_.below(8)) {
      case 0: return fmt::format("({} {} {})", value(kBool, depth), any({"&&", "||", "^^"}), value(kBool, depth));
      case 1: return fmt::format("!({})", value(kBool, depth));
      case 2: return fmt::format("{}({})", any({"any", "all"}), value({'b', int(2 + random_.below(3))}, depth));
      case 3: return fmt::format("({} {} {})", whole_sample(), any({"<", ">", "==", "!="}), any({"0", "2", "4"}));
      case 4:
        if (!defined_) return fmt::format("{}({})", any({"isnan", "isinf"}), value(kFloat, depth));
        [[fallthrough]];
      default:
        return fmt::format("({} {} {})", value({base}, depth), any({"<", ">", "<=", ">=", "==", "!="}),
                           value({base}, depth));
    }
  }

  // --- textures ---

  struct Asked {
    SamplerInput sampler;
    bool is_array;
  };

  std::string texel_as(Type type, int depth) {
    const Asked& asked = asked_[random_.below(uint32_t(asked_.size()))];
    const char base = asked.sampler.type == SampledType::real      ? 'f'
                      : asked.sampler.type == SampledType::integer ? 'i'
                                                                   : 'u';
    if (type.columns > 1 || type.base == 'b') return {};
    if (random_.one_in(12) && type.base == 'i' && !defined_) return query(asked, type, depth);
    const bool is_scalar = asked.sampler.compares;
    std::string texel = lookup(asked, depth);
    if (texel.empty()) return {};
    if (!is_scalar) {
      texel += ".";
      for (int i = 0; i < type.rows; ++i) texel += "xyzw"[random_.below(4)];
    } else if (type.rows > 1) {
      texel = fmt::format("vec{}({})", type.rows, texel);
    }
    return type.base == base ? texel : fmt::format("{}({})", name_of(type), texel);
  }

  std::string name_of_sampler(const Asked& asked, int depth) {
    return asked.is_array ? fmt::format("{}[{} & 1]", asked.sampler.name, index(depth)) : asked.sampler.name;
  }

  std::string query(const Asked& asked, Type type, int depth) {
    const std::string name = name_of_sampler(asked, 0);
    const TextureKind kind = asked.sampler.kind;
    if (has_levels(kind) && random_.one_in(3)) return fmt::format("{}(textureQueryLevels({}))", name_of(type), name);
    const int sizes = axes_of(kind) + (is_array(kind) ? 1 : 0);
    return fmt::format("{}(textureSize({}{}){})", name_of(type), name,
                       has_levels(kind) ? fmt::format(", {} & 3", value(kInt, depth)) : "", sizes > 1 ? ".y" : "");
  }

  std::string lookup(const Asked& asked, int depth) {
    const SamplerInput& s = asked.sampler;
    const TextureKind kind = s.kind;
    const std::string name = name_of_sampler(asked, depth);
    const int count = coordinates_of(kind), directions = directions_of(kind), axes = axes_of(kind);
    const auto whole = [&](int rows) { return value({'i', rows}, depth); };
    const auto real = [&](int rows) { return value({'f', rows}, depth); };
    const std::string fetch_level = has_levels(kind) ? fmt::format(", {} & 1", whole(1)) : "";
    const bool fetches = kind == TextureKind::buffer || (!s.compares && !is_cube(kind) && random_.one_in(4));
    if (fetches)
      return fmt::format("texelFetch({}, {} & {}{})", name, whole(count), defined_ ? "1" : any({"1", "7", "-1"}),
                         defined_ && has_levels(kind) ? ", 0" : fetch_level);
    if (defined_) {  // integers are not filtered: the nearest texel may flip
      if (s.type != SampledType::real || !has_levels(kind) || is_array(kind)) return {};
      return fmt::format("textureLod({}, {}, 0.0)", name, real(count));
    }
    if (s.compares) return compared(kind, name, depth);
    const std::string at = real(count);
    switch (random_.below(7)) {
      case 0:
        if (has_levels(kind)) return fmt::format("texture({}, {}, {})", name, at, real(1));
        break;
      case 1:
        if (has_levels(kind)) return fmt::format("textureLod({}, {}, {})", name, at, real(1));
        break;
      case 2: return fmt::format("textureGrad({}, {}, {}, {})", name, at, real(directions), real(directions));
      case 3:
        if (!is_array(kind) && !is_cube(kind)) return fmt::format("textureProj({}, {})", name, real(count + 1));
        break;
      case 4:
        if (!is_cube(kind))
          return fmt::format("textureOffset({}, {}, {})", name, at,
                             axes == 1   ? "2"
                             : axes == 2 ? "ivec2(1, -3)"
                                         : "ivec3(-8, 7, 1)");
        break;
      case 5:
        if (axes == 2) return fmt::format("textureGather({}, {}, {})", name, at, random_.below(4));
        break;
      default: break;
    }
    return fmt::format("texture({}, {})", name, at);
  }

  std::string compared(TextureKind kind, const std::string& name, int depth) {
    const auto real = [&](int rows) { return value({'f', rows}, depth); };
    const int count = coordinates_of(kind);
    if (kind == TextureKind::cube_array) return fmt::format("texture({}, {}, {})", name, real(4), real(1));
    const std::string at = real(kind == TextureKind::one ? 3 : count + 1);
    const bool is_plain = kind == TextureKind::one || kind == TextureKind::two;
    switch (random_.below(5)) {
      case 0:
        if (is_plain || kind == TextureKind::one_array) return fmt::format("textureLod({}, {}, {})", name, at, real(1));
        break;
      case 1:
        if (is_plain) return fmt::format("textureProj({}, {})", name, real(4));
        break;
      case 2:
        if (axes_of(kind) == 2)
          return fmt::format("textureGather({}, {}, {}).{}", name, real(count), real(1), any({"x", "w"}));
        break;
      case 3: {
        const int directions = directions_of(kind);
        return fmt::format("textureGrad({}, {}, {}, {})", name, at, real(directions), real(directions));
      }
      default: break;
    }
    return fmt::format("texture({}, {})", name, at);
  }

  RandomBits random_;
  bool defined_;
  int left_;  // operations that may still be written
  std::string text_;
  std::vector<Variable> variables_;  // in scope
  std::vector<Function> functions_;
  std::vector<Asked> asked_;
  Type result_;  // of the function
  bool in_main_ = false;
  int loops_ = 0, switches_ = 0;  // around the statement
  int next_ = 0;                  // number of a name
};

// The texture of a sampler.
enum class Binding : uint8_t { nothing, whole, without_alpha, misfit };

}  // namespace

std::string random_shader(uint64_t seed, bool defined) { return Writer(seed * 2 + (defined ? 1 : 0), defined).write(); }

void bind_random_textures(uint64_t seed, const Program& program, BoundTextures& textures, bool defined) {
  RandomBits random(seed ^ 0x7465787475726573u);
  constexpr int kSide = 4;
  for (const SamplerInput& sampler : program.samplers) {
    constexpr Binding kBindings[] = {Binding::nothing, Binding::whole, Binding::whole, Binding::without_alpha,
                                     Binding::misfit};
    Binding binding = kBindings[random.below(defined ? 4 : 5)];
    // OpenGL does not define a fetch from no texture, and has no buffers with three bytes per texel.
    if (defined && !is_cube(sampler.kind) && binding == Binding::nothing) binding = Binding::whole;
    if (defined && sampler.kind == TextureKind::buffer) binding = Binding::whole;
    CapturedTexture texture;
    CapturedSampler captured_sampler;
    texture.kind = sampler.kind;
    SampledType type = sampler.type;
    if (binding == Binding::misfit) {
      texture.kind = sampler.kind == TextureKind::two ? TextureKind::three : TextureKind::two;
      if (random.one_in(2)) {
        texture.kind = sampler.kind;
        type = sampler.type == SampledType::real ? SampledType::integer : SampledType::real;
      }
    }
    const TextureKind kind = texture.kind;
    texture.width = kSide;
    texture.height = axes_of(kind) > 1 ? kSide : 1;
    texture.depth = is_cube(kind) ? (is_array(kind) ? 12 : 6) : kind == TextureKind::three ? 4 : is_array(kind) ? 2 : 1;
    if (!is_cube(kind) && axes_of(kind) > 1 && random.one_in(2)) texture.height = 2;
    texture.levels = has_levels(kind) && random.one_in(2) ? 2 : 1;
    if (type == SampledType::integer) texture.format = TexelFormat::rgba8i;
    if (type == SampledType::natural) texture.format = TexelFormat::rgba8ui;
    if (binding == Binding::without_alpha) texture.base = TexelBase::rgb;
    const bool is_depth = sampler.compares && type == SampledType::real;
    if (is_depth) {
      texture.format = TexelFormat::depth32f;
      texture.base = TexelBase::depth;
      captured_sampler.compare = CompareFunc::lequal;
    }
    const bool is_linear = type == SampledType::real && kind != TextureKind::buffer && (!random.one_in(3) || defined);
    captured_sampler.magnify_linear = captured_sampler.minify_linear = is_linear;
    captured_sampler.mip = texture.levels == 1 ? MipFilter::none
                           : random.one_in(2)  ? MipFilter::linear
                                               : MipFilter::nearest;
    constexpr TextureWrap kWraps[] = {TextureWrap::repeat, TextureWrap::clamp_to_edge, TextureWrap::mirrored_repeat,
                                      TextureWrap::clamp_to_border};
    captured_sampler.wrap.fill(kind == TextureKind::rectangle ? TextureWrap::clamp_to_edge : kWraps[random.below(4)]);
    if (random.one_in(5) && texture.levels > 1) captured_sampler.anisotropy = 4;
    if (defined) {
      // Filtered integers have no value, and llvmpipe filters an explicit level anisotropically too.
      if (type != SampledType::real) captured_sampler.mip = std::min(captured_sampler.mip, MipFilter::nearest);
      captured_sampler.anisotropy = 1;
    }
    std::vector<uint32_t> texels(size_t(texture_bytes(texture) + 3) / 4);
    for (uint32_t& texel : texels)
      texel = is_depth ? std::bit_cast<uint32_t>(float(random.below(256)) / 255.0f) : uint32_t(random.next());
    if (binding == Binding::nothing) {
      textures.frame.inputs[0].textures.emplace_back();
    } else {
      textures.add(texture, std::as_bytes(std::span(texels)), captured_sampler);
    }
  }
  textures.prepare(kMaxSamplers);
}

std::vector<uint32_t> random_uniforms(uint64_t seed, const Program& program, bool defined) {
  RandomBits random(seed ^ 0x756e69666f726d73u);
  std::vector<uint32_t> words(program.uniform_words);
  for (const Uniform& uniform : program.uniforms) {
    for (uint32_t i = 0; i < uniform.words; ++i) {
      uint32_t& word = words[uniform.first + i];
      if (uniform.kind == Kind::number) {
        word = std::bit_cast<uint32_t>(float(random.below(65)) / 16.0f - 2.0f);
        if (!defined && random.one_in(8)) word = random.one_in(2) ? 0u : 0x7f800000u;
      } else {
        word = random.below(8) - 1;
        if (!defined && random.one_in(8)) word = 0x80000000u;
        if (defined) word &= 1;
      }
    }
  }
  return words;
}

std::map<uint32_t, uint32_t> random_known(uint64_t seed, const std::vector<uint32_t>& uniforms) {
  RandomBits random(seed ^ 0x6b6e6f776eu);
  std::map<uint32_t, uint32_t> known;
  for (uint32_t word = 0; word < uniforms.size(); ++word)
    if (random.one_in(2)) known[word] = uniforms[word];
  return known;
}

uint32_t random_input(uint64_t seed, uint32_t word, int sample) {
  RandomBits random(seed + word * 1000003u);
  const uint32_t slope = random.below(64), start = random.below(200);
  return std::bit_cast<uint32_t>(float(start) / 50.0f - 2.0f + float((uint32_t(sample) * (slope + 1)) % 61) * 0.05f);
}

}  // namespace brokkr::shader::test
