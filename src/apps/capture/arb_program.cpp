#include "capture/arb_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace brokkr::capture {
namespace {

// Reasons are caught by translate_arb_program.
[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error("an ARB program with " + what); }

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Words, numbers, "..", and single characters. Texture targets (2D) are words.
std::vector<std::string> tokens_of(std::string_view source) {
  std::vector<std::string> tokens;
  for (size_t place = 0; place < source.size();) {
    const size_t begin = place;
    const auto rest = source.substr(place);
    if (source[place] == '#') {
      place = std::min(source.find('\n', place), source.size());
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(source[place])) != 0) {
      place++;
      continue;
    }
    if (rest.starts_with("..")) {
      place += 2;
    } else if (is_digit(rest[0]) && rest.size() > 1 && rest[1] == 'D') {
      place += 2;
    } else if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      while (place < source.size() && is_digit(source[place])) place++;
      if (place < source.size() && source[place] == '.' && !source.substr(place).starts_with("..")) place++;
      while (place < source.size() && is_digit(source[place])) place++;
      const size_t sign = place + 1 < source.size() && (source[place + 1] == '-' || source[place + 1] == '+') ? 2 : 1;
      if (place + sign < source.size() && (source[place] | 0x20) == 'e' && is_digit(source[place + sign])) {
        place += sign;
        while (place < source.size() && is_digit(source[place])) place++;
      }
    } else if (is_letter(rest[0])) {
      while (place < source.size() && (is_letter(source[place]) || is_digit(source[place]))) place++;
    } else {
      place++;
    }
    tokens.emplace_back(source.substr(begin, place - begin));
  }
  return tokens;
}

// How an instruction's expression follows from its operands: %0, %1, %2. A scalar instruction takes one component.
struct Instruction {
  std::string_view name;
  int operands;
  bool scalar;
  std::string_view expression;
};
constexpr Instruction kInstructions[] = {
    {"ABS", 1, false, "abs(%0)"},
    {"ADD", 2, false, "(%0 + %1)"},
    {"CMP", 3, false, "arb_compare(%0, %1, %2)"},
    {"COS", 1, true, "vec4(cos(%0))"},
    {"DP3", 2, false, "vec4(dot((%0).xyz, (%1).xyz))"},
    {"DP4", 2, false, "vec4(dot(%0, %1))"},
    {"DPH", 2, false, "vec4(dot((%0).xyz, (%1).xyz) + (%1).w)"},
    {"DST", 2, false, "vec4(1.0, (%0).y * (%1).y, (%0).z, (%1).w)"},
    {"EX2", 1, true, "vec4(exp2(%0))"},
    {"EXP", 1, true, "vec4(exp2(floor(%0)), fract(%0), exp2(%0), 1.0)"},
    {"FLR", 1, false, "floor(%0)"},
    {"FRC", 1, false, "fract(%0)"},
    {"LG2", 1, true, "vec4(log2(%0))"},
    {"LIT", 1, false, "arb_light(%0)"},
    {"LOG", 1, true, "arb_logarithm(abs(%0))"},
    {"LRP", 3, false, "mix(%2, %1, %0)"},
    {"MAD", 3, false, "(%0 * %1 + %2)"},
    {"MAX", 2, false, "max(%0, %1)"},
    {"MIN", 2, false, "min(%0, %1)"},
    {"MOV", 1, false, "%0"},
    {"MUL", 2, false, "(%0 * %1)"},
    {"POW", 2, true, "vec4(pow(%0, %1))"},
    {"RCP", 1, true, "vec4(1.0 / %0)"},
    {"RSQ", 1, true, "vec4(inversesqrt(abs(%0)))"},
    {"SCS", 1, true, "vec4(cos(%0), sin(%0), 0.0, 1.0)"},
    {"SGE", 2, false, "vec4(greaterThanEqual(%0, %1))"},
    {"SIN", 1, true, "vec4(sin(%0))"},
    {"SLT", 2, false, "vec4(lessThan(%0, %1))"},
    {"SUB", 2, false, "(%0 - %1)"},
    {"XPD", 2, false, "vec4(cross((%0).xyz, (%1).xyz), 1.0)"},
};

// Functions that expressions call, if they do.
constexpr std::array<std::string_view, 3> kFunctions = {
    "vec4 arb_compare(vec4 a, vec4 b, vec4 c) {\n"
    "  return vec4(a.x < 0.0 ? b.x : c.x, a.y < 0.0 ? b.y : c.y, a.z < 0.0 ? b.z : c.z, a.w < 0.0 ? b.w : c.w);\n"
    "}\n",
    "vec4 arb_light(vec4 a) {\n"
    "  float highlight = pow(max(a.y, 0.0), clamp(a.w, -128.0, 128.0));\n"
    "  return vec4(1.0, max(a.x, 0.0), a.x > 0.0 ? highlight : 0.0, 1.0);\n"
    "}\n",
    "vec4 arb_logarithm(float a) {\n"
    "  float power = floor(log2(a));\n"
    "  return vec4(power, a / exp2(power), log2(a), 1.0);\n"
    "}\n"};

struct TextureTarget {
  std::string_view name, sampler, function;
  std::string_view coordinates;  // components; empty: a shadow's, which are three
  bool divides;                  // there is a function with Proj
};
constexpr TextureTarget kTargets[] = {
    {"1D", "sampler1D", "texture1D", "x", true},
    {"2D", "sampler2D", "texture2D", "xy", true},
    {"3D", "sampler3D", "texture3D", "xyz", true},
    {"CUBE", "samplerCube", "textureCube", "xyz", false},
    {"RECT", "sampler2DRect", "texture2DRect", "xy", true},
    {"SHADOW1D", "sampler1DShadow", "shadow1D", "", true},
    {"SHADOW2D", "sampler2DShadow", "shadow2D", "", true},
    {"SHADOWRECT", "sampler2DRectShadow", "shadow2DRect", "", true},
};

// The GLSL output for a result, and how it takes its value from a vec4.
struct Output {
  std::string name, value;
};

// What a name of the program stands for.
struct Symbol {
  enum class Kind : uint8_t { temporary, address, values, output } kind = Kind::temporary;
  std::string text;                   // the GLSL variable; of an output its key
  std::vector<std::string> elements;  // `values`: GLSL expressions
  bool is_array = false;
};

class Translator {
 public:
  explicit Translator(std::string_view source)
      : tokens_(tokens_of(source.substr(std::min(source.size(), size_t(10))))) {
    is_fragment_ = source.starts_with("!!ARBfp1.0");
    if (!is_fragment_ && !source.starts_with("!!ARBvp1.0")) refuse("another version");
  }

  ArbTranslation run() {
    while (at_ < tokens_.size() && peek() != "END") statement();
    ArbTranslation result;
    result.text = text();
    result.attributes.assign(attributes_.begin(), attributes_.end());
    for (const auto& [unit, sampler] : samplers_) result.units.push_back(unit);
    result.env = env_;
    result.local = local_;
    result.matrices = matrices_;
    return result;
  }

 private:
  // Tokens.
  const std::string& peek(size_t ahead = 0) const {
    static const std::string kNone;
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : kNone;
  }
  std::string next() {
    std::string token = peek();
    if (token.empty()) refuse("an end within a statement");
    at_++;
    return token;
  }
  bool accept(std::string_view token) {
    const bool is = peek() == token;
    at_ += is;
    return is;
  }
  void expect(std::string_view token) {
    if (!accept(token)) refuse("'" + peek() + "' instead of '" + std::string(token) + "'");
  }
  // Accepts ".word".
  bool member(std::string_view word) {
    const bool is = peek() == "." && peek(1) == word;
    at_ += is ? 2 : 0;
    return is;
  }
  int number() {
    const std::string token = next();
    if (!is_digit(token[0])) refuse("'" + token + "' instead of a number");
    return std::atoi(token.c_str());
  }
  // An index in brackets, or `otherwise` if there is none.
  int index(int otherwise) {
    if (!accept("[")) return otherwise;
    const int value = number();
    expect("]");
    return value;
  }
  static std::string literal(const std::string& token) {
    return token.find_first_of(".eE") == std::string::npos ? token + ".0" : token;
  }

  std::string prefix() const { return is_fragment_ ? "arb_fragment_" : "arb_vertex_"; }

  // GLSL's name for a name of the program. Underscores that follow one another are reserved in GLSL.
  std::string variable(const std::string& name) {
    std::string plain;
    for (const char c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += c;
    }
    return "v" + std::to_string(symbols_.size()) + "_" + plain;
  }

  void statement() {
    const std::string word = next();
    if (word == "OPTION") return option();
    if (word == "TEMP" || word == "ADDRESS") return variables(word == "TEMP");
    if (word == "PARAM" || word == "ATTRIB") return parameter();
    if (word == "OUTPUT") {
      const std::string name = next();
      expect("=");
      expect("result");
      Symbol output{.kind = Symbol::Kind::output, .text = result()};
      symbols_[name] = std::move(output);
      return expect(";");
    }
    if (word == "ALIAS") {
      const std::string name = next();
      expect("=");
      const Symbol same = symbol(next());
      symbols_[name] = same;
      return expect(";");
    }
    instruction(word);
    expect(";");
  }

  void option() {
    const std::string name = next();
    if (name == "ARB_position_invariant") {
      is_invariant_ = true;
    } else if (name.starts_with("ARB_fog_")) {
      fog_ = name.substr(std::string_view("ARB_fog_").size());
    } else if (name == "ARB_draw_buffers" || name == "ATI_draw_buffers") {
      has_buffers_ = true;
    } else if (!name.starts_with("ARB_precision_hint_") && name != "ARB_fragment_program_shadow" &&
               name != "ARB_texture_rectangle") {
      refuse("the option " + name);
    }
    expect(";");
  }

  void variables(bool temporary) {
    do {
      const std::string name = next();
      Symbol made{.kind = temporary ? Symbol::Kind::temporary : Symbol::Kind::address, .text = variable(name)};
      declarations_ += temporary ? "  vec4 " + made.text + " = vec4(0.0);\n" : "  int " + made.text + " = 0;\n";
      symbols_[name] = std::move(made);
    } while (accept(","));
    expect(";");
  }

  void parameter() {
    const std::string name = next();
    Symbol made{.kind = Symbol::Kind::values, .text = variable(name)};
    if (accept("[")) {
      made.is_array = true;
      if (peek() != "]") number();
      expect("]");
    }
    expect("=");
    if (made.is_array) {
      expect("{");
      do {
        for (std::string& one : values()) made.elements.push_back(std::move(one));
      } while (accept(","));
      expect("}");
    } else {
      made.elements = values();
    }
    symbols_[name] = std::move(made);
    expect(";");
  }

  const Symbol& symbol(const std::string& name) const {
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) refuse("the name " + name);
    return found->second;
  }

  // Bindings and constants: one value, or several for ranges and matrices.
  std::vector<std::string> values() {
    const bool negative = accept("-");
    if (!negative) accept("+");
    if (accept("{")) return {constant()};
    if (is_digit(peek()[0]) || peek()[0] == '.') {
      const std::string value = (negative ? "-" : "") + literal(next());
      return {"vec4(" + value + ")"};
    }
    const std::string word = next();
    std::vector<std::string> result = binding(word);
    if (result.empty()) refuse("the binding " + word);
    return result;
  }

  // {1, 2, 3, 4}, after its opening brace. Components that are left out are 0, 0, 0, 1.
  std::string constant() {
    std::vector<std::string> components;
    do {
      const bool negative = accept("-");
      if (!negative) accept("+");
      components.push_back((negative ? "-" : "") + literal(next()));
    } while (accept(","));
    expect("}");
    while (components.size() < 4) components.emplace_back(components.size() == 3 ? "1.0" : "0.0");
    return "vec4(" + components[0] + ", " + components[1] + ", " + components[2] + ", " + components[3] + ")";
  }

  std::vector<std::string> binding(const std::string& word) {
    if (word == "vertex") return {vertex_input()};
    if (word == "fragment") return {fragment_input()};
    if (word == "program") return program_parameters();
    if (word == "state") return state();
    return {};
  }

  std::string vertex_input() {
    expect(".");
    const std::string name = next();
    if (name == "position") return "gl_Vertex";
    if (name == "normal") return "vec4(gl_Normal, 1.0)";
    if (name == "fogcoord") return "vec4(gl_FogCoord, 0.0, 0.0, 1.0)";
    if (name == "color") {
      if (member("secondary")) return "gl_SecondaryColor";
      member("primary");
      return "gl_Color";
    }
    if (name == "texcoord") return "gl_MultiTexCoord" + std::to_string(index(0));
    if (name != "attrib") refuse("the input vertex." + name);
    const int generic = index(0);
    attributes_.insert(generic);
    return "arb_attribute_" + std::to_string(generic);
  }

  std::string fragment_input() {
    expect(".");
    const std::string name = next();
    if (name == "position") return "gl_FragCoord";
    if (name == "fogcoord") return "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)";
    if (name == "color") {
      if (member("secondary")) return "gl_SecondaryColor";
      member("primary");
      return "gl_Color";
    }
    if (name != "texcoord") refuse("the input fragment." + name);
    return "gl_TexCoord[" + std::to_string(index(0)) + "]";
  }

  std::vector<std::string> program_parameters() {
    expect(".");
    const std::string kind = next();
    if (kind != "env" && kind != "local") refuse("the binding program." + kind);
    expect("[");
    const int first = number();
    const int last = accept("..") ? number() : first;
    expect("]");
    int& length = kind == "env" ? env_ : local_;
    length = std::max(length, last + 1);
    std::vector<std::string> all;
    for (int i = first; i <= last; i++) all.push_back(prefix() + kind + "[" + std::to_string(i) + "]");
    return all;
  }

  std::vector<std::string> state() {
    expect(".");
    const std::string name = next();
    if (name == "matrix") return matrix();
    return {state_vector(name)};
  }

  std::string state_vector(const std::string& name) {
    if (name == "material") return material();
    if (name == "light") return light(index(0));
    if (name == "lightmodel") return light_model();
    if (name == "lightprod") {
      const std::string number = std::to_string(index(0));
      const std::string side = face();
      expect(".");
      return "gl_" + side + "LightProduct[" + number + "]." + next();
    }
    if (name == "texgen") {
      const std::string unit = std::to_string(index(0));
      const std::string space = member("eye") ? "Eye" : (expect("."), expect("object"), "Object");
      expect(".");
      const std::string axis = next();
      return "gl_" + space + "Plane" + static_cast<char>(std::toupper(static_cast<unsigned char>(axis[0]))) + "[" +
             unit + "]";
    }
    if (name == "texenv") {
      const std::string unit = std::to_string(index(0));
      member("color");
      return "gl_TextureEnvColor[" + unit + "]";
    }
    if (name == "clip") {
      const std::string number = std::to_string(index(0));
      member("plane");
      return "gl_ClipPlane[" + number + "]";
    }
    if (name == "fog") {
      if (member("color")) return "gl_Fog.color";
      expect("."), expect("params");
      return "vec4(gl_Fog.density, gl_Fog.start, gl_Fog.end, gl_Fog.scale)";
    }
    if (name == "point") {
      if (member("size")) return "vec4(gl_Point.size, gl_Point.sizeMin, gl_Point.sizeMax, gl_Point.fadeThresholdSize)";
      expect("."), expect("attenuation");
      return "vec4(gl_Point.distanceConstantAttenuation, gl_Point.distanceLinearAttenuation, "
             "gl_Point.distanceQuadraticAttenuation, 1.0)";
    }
    if (name != "depth") refuse("the binding state." + name);
    expect("."), expect("range");
    return "vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0)";
  }

  std::string face() {
    if (member("back")) return "Back";
    member("front");
    return "Front";
  }

  std::string material() {
    const std::string prefix = "gl_" + face() + "Material.";
    expect(".");
    const std::string name = next();
    return name == "shininess" ? "vec4(" + prefix + name + ", 0.0, 0.0, 1.0)" : prefix + name;
  }

  std::string light_model() {
    if (member("ambient")) return "gl_LightModel.ambient";
    const std::string side = face();
    expect("."), expect("scenecolor");
    return "gl_" + side + "LightModelProduct.sceneColor";
  }

  std::string light(int number) {
    const std::string prefix = "gl_LightSource[" + std::to_string(number) + "].";
    expect(".");
    const std::string name = next();
    if (name == "half") return "vec4(" + prefix + "halfVector.xyz, 1.0)";
    if (name == "spot") {
      expect("."), expect("direction");
      return "vec4(" + prefix + "spotDirection, " + prefix + "spotCosCutoff)";
    }
    if (name == "attenuation") {
      return "vec4(" + prefix + "constantAttenuation, " + prefix + "linearAttenuation, " + prefix +
             "quadraticAttenuation, " + prefix + "spotExponent)";
    }
    return prefix + name;
  }

  // Rows of a matrix: GLSL indexes columns, so they are columns of the transposed matrix.
  std::vector<std::string> matrix() {
    expect(".");
    const std::string kind = next();
    const int number = index(0);
    std::string name;
    if (kind == "modelview" && number == 0) {
      name = "gl_ModelViewMatrix";
    } else if (kind == "projection" || kind == "mvp") {
      name = kind == "mvp" ? "gl_ModelViewProjectionMatrix" : "gl_ProjectionMatrix";
    } else if (kind != "texture" && kind != "program") {
      refuse("the binding state.matrix." + kind + "[" + std::to_string(number) + "]");
    }
    const bool inverse = member("inverse"), inverse_transposed = !inverse && member("invtrans");
    const bool transposed = !inverse && !inverse_transposed && member("transpose");
    int first = 0, last = 3;
    if (member("row")) {
      expect("[");
      first = number_in_row();
      last = accept("..") ? number_in_row() : first;
      expect("]");
    }
    const bool by_column = transposed || inverse_transposed;
    std::vector<std::string> rows;
    for (int row = first; row <= last; row++) {
      const std::string r = std::to_string(row);
      if (kind == "program") {
        if (inverse || inverse_transposed) refuse("an inverse program matrix");
        matrices_ = std::max(matrices_, number + 1);
        const std::string m = "arb_matrix[" + std::to_string(number) + "]";
        rows.push_back(by_column ? m + "[" + r + "]"
                                 : "vec4(" + m + "[0][" + r + "], " + m + "[1][" + r + "], " + m + "[2][" + r + "], " +
                                       m + "[3][" + r + "])");
        continue;
      }
      const std::string form =
          std::string(inverse || inverse_transposed ? "Inverse" : "") + (by_column ? "" : "Transpose");
      const std::string full =
          kind == "texture" ? "gl_TextureMatrix" + form + "[" + std::to_string(number) + "]" : name + form;
      rows.push_back(full + "[" + r + "]");
    }
    return rows;
  }
  int number_in_row() { return std::clamp(number(), 0, 3); }

  // The rest of result.…: the key of an output, with its GLSL form noted.
  std::string result() {
    expect(".");
    const std::string name = next();
    std::string key = "out_" + name;
    Output output;
    if (is_fragment_ && name == "color") {
      const int number = index(0);
      key += std::to_string(number);
      output = {has_buffers_ ? "gl_FragData[" + std::to_string(number) + "]" : "gl_FragColor", key};
    } else if (is_fragment_ && name == "depth") {
      output = {"gl_FragDepth", key + ".z"};
    } else if (name == "position") {
      output = {"gl_Position", key};
    } else if (name == "color") {
      const std::string side = face();
      const bool second = member("secondary");
      if (!second) member("primary");
      key += side + (second ? "2" : "");
      output = {"gl_" + side + (second ? "SecondaryColor" : "Color"), key};
    } else if (name == "fogcoord" || name == "pointsize") {
      output = {name == "fogcoord" ? "gl_FogFragCoord" : "gl_PointSize", key + ".x"};
    } else if (name == "texcoord") {
      const int number = index(0);
      key += std::to_string(number);
      output = {"gl_TexCoord[" + std::to_string(number) + "]", key};
    } else {
      refuse("the output result." + name);
    }
    outputs_[key] = output;
    return key;
  }

  // Elements of a uniform array that follow one another.
  struct Range {
    std::string array;
    int first = 0;
  };
  static std::optional<Range> range_of(const std::vector<std::string>& elements) {
    const std::string& name = elements.front();
    const size_t bracket = name.find('[');
    if (!name.starts_with("arb_") || bracket == std::string::npos || !name.ends_with("]")) return std::nullopt;
    const Range range{name.substr(0, bracket), std::atoi(name.c_str() + bracket + 1)};
    for (size_t i = 0; i < elements.size(); i++) {
      if (elements[i] != range.array + "[" + std::to_string(range.first + int(i)) + "]") return std::nullopt;
    }
    return range;
  }

  // An element of an array: a constant index, or one that adds to an address.
  std::string element(const std::string& name, const Symbol& array) {
    expect("[");
    if (is_digit(peek()[0])) {
      const auto place = static_cast<size_t>(number());
      expect("]");
      if (place >= array.elements.size()) refuse("an index beyond its array");
      return array.elements[place];
    }
    const Symbol& address = symbol(next());
    if (address.kind != Symbol::Kind::address) refuse("an index that is no address");
    if (accept(".")) next();
    std::string offset;
    if (peek() == "+" || peek() == "-") {
      offset = " " + next() + " ";
      offset += std::to_string(number());
    }
    expect("]");
    if (const std::optional<Range> range = range_of(array.elements)) {
      const std::string first = range->first == 0 ? "" : " + " + std::to_string(range->first);
      return range->array + "[" + address.text + offset + first + "]";
    }
    if (indexed_.insert(name).second) {
      declarations_ += "  vec4 " + array.text + "[" + std::to_string(array.elements.size()) + "];\n";
      for (size_t i = 0; i < array.elements.size(); i++)
        arrays_ += "  " + array.text + "[" + std::to_string(i) + "] = " + array.elements[i] + ";\n";
    }
    return array.text + "[" + address.text + offset + "]";
  }

  static bool is_swizzle(const std::string& word) {
    return (word.size() == 1 || word.size() == 4) && word.find_first_not_of("xyzwrgba") == std::string::npos;
  }

  // An operand without sign and swizzle, as a vec4.
  std::string operand_value() {
    if (peek() == "{" || is_digit(peek()[0]) || (peek()[0] == '.' && peek().size() > 1)) return values().front();
    const std::string word = next();
    if (const std::vector<std::string> bound = binding(word); !bound.empty()) return bound.front();
    const Symbol& known = symbol(word);
    if (known.kind != Symbol::Kind::values) return known.text;
    return peek() == "[" ? element(word, known) : known.elements.front();
  }

  // An operand with sign and swizzle: a vec4, or a float of a scalar instruction.
  std::string operand(bool scalar) {
    const bool negative = accept("-");
    if (!negative) accept("+");
    std::string value = operand_value();
    std::string swizzle;
    if (peek() == "." && is_swizzle(peek(1))) {
      next();
      swizzle = next();
    }
    if (scalar) {
      value += "." + (swizzle.empty() ? "x" : swizzle.substr(0, 1));
    } else if (swizzle.size() == 1) {
      value = "vec4(" + value + "." + swizzle + ")";
    } else if (!swizzle.empty()) {
      value += "." + swizzle;
    }
    return negative ? "(-" + value + ")" : value;
  }

  struct Destination {
    std::string variable, mask;
    bool is_address = false;
  };
  Destination destination() {
    const std::string word = next();
    Destination target;
    if (word == "result") {
      target.variable = result();
    } else {
      const Symbol& known = symbol(word);
      target.variable = known.text;
      target.is_address = known.kind == Symbol::Kind::address;
    }
    if (peek() == "." && peek(1).find_first_not_of("xyzwrgba") == std::string::npos) {
      next();
      target.mask = next();
    }
    return target;
  }

  void assign(const Destination& target, const std::string& value, bool saturate) {
    const std::string limited = saturate ? "clamp(" + value + ", 0.0, 1.0)" : value;
    if (target.mask.empty()) {
      body_ += "  " + target.variable + " = " + limited + ";\n";
    } else {
      body_ += "  " + target.variable + "." + target.mask + " = (" + limited + ")." + target.mask + ";\n";
    }
  }

  void instruction(std::string name) {
    const bool saturate = name.ends_with("_SAT");
    if (saturate) name.resize(name.size() - 4);
    if (name == "KIL") {
      body_ += "  if (any(lessThan(" + operand(false) + ", vec4(0.0)))) discard;\n";
      return;
    }
    const Destination target = destination();
    expect(",");
    if (name == "ARL") {
      body_ += "  " + target.variable + " = int(floor(" + operand(true) + "));\n";
      return;
    }
    if (name == "SWZ") return assign(target, extended_swizzle(), saturate);
    if (name == "TEX" || name == "TXP" || name == "TXB") return assign(target, texture(name), saturate);
    for (const Instruction& known : kInstructions) {
      if (known.name != name) continue;
      std::vector<std::string> operands;
      for (int i = 0; i < known.operands; i++) {
        if (i > 0) expect(",");
        operands.push_back(operand(known.scalar));
      }
      return assign(target, expression(known, operands), saturate);
    }
    refuse("the instruction " + name);
  }

  static std::string expression(const Instruction& known, const std::vector<std::string>& operands) {
    std::string text;
    for (size_t i = 0; i < known.expression.size(); i++) {
      if (known.expression[i] == '%') {
        text += operands[static_cast<size_t>(known.expression[++i] - '0')];
      } else {
        text += known.expression[i];
      }
    }
    return text;
  }

  // SWZ r, a, x, -y, 0, 1
  std::string extended_swizzle() {
    const bool negative = accept("-");
    const std::string value = operand_value();
    std::string components;
    for (int i = 0; i < 4; i++) {
      expect(",");
      const bool minus = accept("-") != negative;
      if (peek() == "+") next();
      const std::string component = next();
      components += std::string(i > 0 ? ", " : "") + (minus ? "-" : "");
      components += component == "0" || component == "1" ? component + ".0" : value + "." + component;
    }
    return "vec4(" + components + ")";
  }

  std::string texture(const std::string& name) {
    const std::string coordinate = operand(false);
    expect(","), expect("texture");
    const int unit = index(0);
    expect(",");
    const std::string target = next();
    const auto* const known = std::find_if(std::begin(kTargets), std::end(kTargets),
                                           [&](const TextureTarget& one) { return one.name == target; });
    if (known == std::end(kTargets)) refuse("the texture target " + target);
    samplers_[unit] = known->sampler;
    needs_rectangles_ = needs_rectangles_ || target.ends_with("RECT");
    const std::string sampler = "arb_texture_" + std::to_string(unit);
    const std::string function(known->function);
    const std::string part(known->coordinates.empty() ? "xyz" : known->coordinates);
    if (name == "TXP") {
      if (known->divides) return function + "Proj(" + sampler + ", " + coordinate + ")";
      return function + "(" + sampler + ", (" + coordinate + ").xyz / (" + coordinate + ").w)";
    }
    const std::string call = function + "(" + sampler + ", (" + coordinate + ")." + part;
    const bool biased = name == "TXB" && !target.ends_with("RECT");  // which have one level
    return call + (biased ? ", (" + coordinate + ").w)" : ")");
  }

  // The whole shader.
  std::string text() const {
    std::string all = "#version 120\n";
    if (needs_rectangles_) all += "#extension GL_ARB_texture_rectangle : enable\n";
    const auto add_array = [&](const std::string& type, const std::string& name, int length) {
      if (length > 0) all += "uniform " + type + " " + name + "[" + std::to_string(length) + "];\n";
    };
    add_array("vec4", prefix() + "env", env_);
    add_array("vec4", prefix() + "local", local_);
    add_array("mat4", "arb_matrix", matrices_);
    for (const int generic : attributes_) all += "attribute vec4 arb_attribute_" + std::to_string(generic) + ";\n";
    for (const auto& [unit, sampler] : samplers_)
      all += "uniform " + std::string(sampler) + " arb_texture_" + std::to_string(unit) + ";\n";
    for (const std::string_view function : kFunctions) {
      const std::string_view name = function.substr(5, function.find('(') - 4);
      if (body_.find(name) != std::string::npos) all += function;
    }
    all += "void main() {\n" + declarations_;
    for (const auto& [key, output] : outputs_) all += "  vec4 " + key + " = vec4(0.0, 0.0, 0.0, 1.0);\n";
    all += arrays_ + body_;
    if (is_invariant_) all += "  gl_Position = ftransform();\n";
    if (!fog_.empty() && outputs_.contains("out_color0")) all += fog();
    for (const auto& [key, output] : outputs_) all += "  " + output.name + " = " + output.value + ";\n";
    return all + "}\n";
  }

  std::string fog() const {
    std::string factor = "(gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale";
    if (fog_ == "exp") factor = "exp(-gl_Fog.density * gl_FogFragCoord)";
    if (fog_ == "exp2") factor = "exp(-gl_Fog.density * gl_Fog.density * gl_FogFragCoord * gl_FogFragCoord)";
    return "  out_color0.rgb = mix(gl_Fog.color.rgb, out_color0.rgb, clamp(" + factor + ", 0.0, 1.0));\n";
  }

  std::vector<std::string> tokens_;
  size_t at_ = 0;
  bool is_fragment_ = false, is_invariant_ = false, has_buffers_ = false, needs_rectangles_ = false;
  std::string fog_;  // linear, exp or exp2
  std::map<std::string, Symbol> symbols_;
  std::map<std::string, Output> outputs_;
  std::map<int, std::string_view> samplers_;  // by unit
  std::set<int> attributes_;
  std::set<std::string> indexed_;  // arrays that an address indexes
  int env_ = 0, local_ = 0, matrices_ = 0;
  std::string declarations_, arrays_, body_;
};

}  // namespace

ArbTranslation translate_arb_program(std::string_view source) {
  try {
    return Translator(source).run();
  } catch (const std::runtime_error& error) {
    return {.problem = error.what()};
  }
}

}  // namespace brokkr::capture
