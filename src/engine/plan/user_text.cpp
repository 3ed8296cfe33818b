#include "plan/user_shader.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "base/file_io.h"
#include "brokkr/fragment_shader.h"
#include "shader/front_end.h"

namespace brokkr {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kMaxIncluded = 32;  // limit on files that include each other

// Replaces comments by spaces and keeps line breaks, so that line numbers stay valid.
std::string without_comments(std::string_view text) {
  std::string result(text);
  for (size_t place = 0; place + 1 < result.size(); ++place) {
    if (result[place] != '/' || (result[place + 1] != '/' && result[place + 1] != '*')) continue;
    const bool is_line = result[place + 1] == '/';
    size_t end = result.find(is_line ? "\n" : "*/", place + 2);
    end = end == std::string::npos ? result.size() : end + (is_line ? 0 : 2);
    for (; place < end; ++place) result[place] = result[place] == '\n' ? '\n' : ' ';
    --place;
  }
  return result;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The position at which `name` is a whole word of the text.
size_t find_word(std::string_view text, std::string_view name) {
  for (size_t place = text.find(name); place != std::string_view::npos; place = text.find(name, place + 1)) {
    const bool begins = place == 0 || !is_part_of_name(text[place - 1]);
    const size_t end = place + name.size();
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return place;
  }
  return std::string_view::npos;
}

// The compatibility profile contains features of old and new versions. Shadertoy's texts are GLSL ES 3.00, those of
// WebGL 1 are GLSL ES 1.00.
constexpr const char *kVersion = "#version 450 compatibility\n", *kVersionEs3 = "#version 300 es\n",
                     *kVersionEs1 = "#version 100\n";

// Shadertoy's uniforms, and iGlobalTime, which was the name of iTime until 2017.
struct ToyUniform {
  const char *type, *name, *size;
};
constexpr ToyUniform kToyUniforms[] = {
    {"vec3", "iResolution", ""},
    {"float", "iTime", ""},
    {"float", "iGlobalTime", ""},
    {"float", "iTimeDelta", ""},
    {"float", "iFrameRate", ""},
    {"float", "iSampleRate", ""},
    {"int", "iFrame", ""},
    {"vec4", "iMouse", ""},
    {"vec4", "iDate", ""},
    {"float", "iChannelTime", "[4]"},
    {"vec3", "iChannelResolution", "[4]"},
    {"sampler2D", "iChannel0", ""},
    {"sampler2D", "iChannel1", ""},
    {"sampler2D", "iChannel2", ""},
    {"sampler2D", "iChannel3", ""},
};
// b_surface.z tells whether the surface has texture coordinates; the picture is laid over those. A text's own macros
// end before it.
constexpr const char* kToyMain =
    "\n#undef main\n#undef void\n#undef vec2\n#undef vec4\n#undef iResolution\n"
    "void main() {\n"
    "  vec2 b_place = b_surface.z > 0.5 ? b_surface.xy * iResolution.xy : gl_FragCoord.xy;\n"
    "  b_toy_color = vec4(0.0, 0.0, 0.0, 1.0);\n"
    "  mainImage(b_toy_color, b_place);\n"
    "  b_toy_color.a = 1.0;\n"
    "}\n";

constexpr const char* kPlainFragment = R"(in vec3 b_position, b_normal;
in vec2 b_uv;
in vec4 b_color;
uniform vec4 b_base_color;
uniform float b_metallic, b_roughness, b_alpha_cutoff;
uniform vec3 b_emission, b_camera_position, b_light_direction;
uniform sampler2D b_base_map, b_alpha_map;
out vec4 color;

void main() {
  vec4 base = b_base_color * b_color * texture(b_base_map, b_uv);
  base.a *= texture(b_alpha_map, b_uv).r;
  if (base.a < b_alpha_cutoff) discard;
  vec3 normal = normalize(b_normal), eye = normalize(b_camera_position - b_position);
  if (dot(normal, eye) < 0.0) normal = -normal;
  float light = max(dot(normal, b_light_direction), 0.0), sky = 0.25 + 0.15 * normal.y;
  // A lobe of Blinn-Phong about as wide as the roughness says.
  float width = max(b_roughness * b_roughness, 0.01), exponent = 2.0 / (width * width) - 2.0;
  float lobe = pow(max(dot(normal, normalize(eye + b_light_direction)), 0.0), max(exponent, 1.0));
  vec3 mirror = mix(vec3(0.04), base.rgb, b_metallic) * lobe * light / (4.0 * width);
  vec3 lit = base.rgb * (1.0 - b_metallic) * (light + sky) + mirror + base.rgb * b_metallic * sky + b_emission;
  color = vec4(pow(clamp(lit, 0.0, 1.0), vec3(1.0 / 2.2)), base.a);
}
)";

// Splits a directive's line, "#if 0" or "# define A 1", into its name and the rest. Both are empty if the line is no
// directive.
std::pair<std::string_view, std::string_view> directive_of(std::string_view line) {
  const auto skip = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size())); };
  skip();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip();
  size_t end = 0;
  while (end < line.size() && is_part_of_name(line[end])) ++end;
  const std::string_view name = line.substr(0, end);
  line.remove_prefix(end);
  skip();
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  return {name, line};
}

// Calls `take(begin, line)` for each line.
template <class F>
void each_line(std::string_view text, F&& take) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    take(begin, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Returns the text without comments, directives and the lines that "#if 0" leaves out, as far as we can tell without
// expanding macros.
std::string code_of(std::string_view text) {
  std::string code = without_comments(text);
  std::vector<bool> open;  // for each open condition: true if it leaves out the following lines
  bool continues = false;  // the directive continues in the next line
  each_line(std::string(code), [&](size_t begin, std::string_view line) {
    const auto [name, rest] = directive_of(line);
    if (name == "if" || name == "ifdef" || name == "ifndef") open.push_back(name == "if" && rest == "0");
    if ((name == "else" || name == "elif") && !open.empty()) open.back() = false;
    if (name == "endif" && !open.empty()) open.pop_back();
    const bool is_out = continues || !name.empty() || std::find(open.begin(), open.end(), true) != open.end();
    continues = (continues || !name.empty()) && line.ends_with('\\');
    if (is_out) std::fill_n(code.begin() + std::ptrdiff_t(begin), line.size(), ' ');
  });
  return code;
}

// Returns true if the code has a function of this name with the type `void`.
bool has_function(std::string_view code, std::string_view name) {
  for (size_t begin = 0;;) {
    const size_t place = find_word(code.substr(begin), name);
    if (place == std::string_view::npos) return false;
    std::string_view before = code.substr(0, begin + place), after = code.substr(begin + place + name.size());
    before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
    after.remove_prefix(std::min(after.find_first_not_of(" \t\r\n"), after.size()));
    if (before.ends_with("void") && after.starts_with('(')) return true;
    begin += place + name.size();
  }
}

// Returns true if the text itself declares a uniform of this name.
bool declares_uniform(std::string_view code, std::string_view name) {
  constexpr std::string_view kWord = "uniform";
  for (size_t place = find_word(code, kWord); place != std::string_view::npos; place = find_word(code, kWord)) {
    code.remove_prefix(place + kWord.size());
    if (find_word(code.substr(0, code.find(';')), name) != std::string_view::npos) return true;
  }
  return false;
}

// Returns true if a macro makes the function mainImage.
bool defines_main_image(std::string_view text) {
  bool defines = false;
  each_line(without_comments(text), [&](size_t, std::string_view line) {
    const auto [name, rest] = directive_of(line);
    defines |= name == "define" && find_word(rest, "mainImage") != std::string_view::npos;
  });
  return defines;
}

// Takes from `text` the directives that `is_taken` is true for; lines stay where they are.
template <class F>
std::string take_directives(std::string& text, F&& is_taken) {
  std::string taken;
  const std::string code = without_comments(text);
  each_line(code, [&](size_t begin, std::string_view line) {
    const auto [name, rest] = directive_of(line);
    if (name.empty() || !is_taken(name, rest)) return;
    taken += std::string(line) + "\n";
    std::fill_n(text.begin() + std::ptrdiff_t(begin), line.size(), ' ');
  });
  return taken;
}

// GLSL ES wants #version before comments and empty lines.
std::string with_version_first(const std::string& text) {
  std::string rest = text;
  const std::string version =
      take_directives(rest, [](std::string_view name, std::string_view) { return name == "version"; });
  const bool is_es1 = version.find("100") != std::string::npos,
             is_es = is_es1 || version.find("es") != std::string::npos;
  if (!is_es || text.starts_with("#version")) return text;
  return version + (is_es1 ? "#line 0\n" : "#line 1\n") + rest;
}

// Returns the entry point that Shadertoy calls besides mainImage, if the text has it and neither mainImage nor main.
std::string_view other_pass(std::string_view code) {
  for (const std::string_view name : {"mainSound", "mainVR", "mainCubemap"}) {
    if (find_word(code, name) != std::string_view::npos && !has_function(code, "main")) return name;
  }
  return {};
}

std::string toy_head(std::string_view code, bool with_precision, bool with_all) {
  std::string head = "#define HW_PERFORMANCE 1\n";
  // A free word of GLSL ES 3.00 outside of layout(), which glslang takes for a keyword.
  if (with_precision && find_word(code, "shared") != std::string_view::npos &&
      find_word(code, "layout") == std::string_view::npos)
    head += "#define shared b_shared\n";
  if (with_precision)
    head +=
        "precision highp float; precision highp int; precision highp "
        "sampler2D; ";
  for (const auto& [type, name, size] : kToyUniforms) {
    if (with_all || !declares_uniform(code, name)) head += std::string("uniform ") + type + " " + name + size + "; ";
  }
  return head + "in vec3 b_surface; out vec4 b_toy_color;\n";
}

void add_toy(const std::string& text, std::string_view code, bool with_all, std::vector<std::string>& all) {
  std::string body = text;
  const std::string version =
      take_directives(body, [](std::string_view name, std::string_view) { return name == "version"; });
  // In GLSL ES, extensions stand before everything else.
  std::string extensions =
      take_directives(body, [](std::string_view name, std::string_view) { return name == "extension"; });
  for (size_t place = extensions.find("require"); place != std::string::npos; place = extensions.find("require"))
    extensions.replace(place, 7, "enable");
  const auto add = [&](const std::string& of_version) {
    const bool is_es = of_version.find("es") != std::string::npos;
    all.push_back(of_version + extensions + toy_head(code, is_es, with_all) + "#line 1\n" + body + kToyMain);
  };
  if (!version.empty()) add(version);
  add(kVersionEs3);
  add(kVersion);
}

}  // namespace

std::string plain_fragment_text() { return kPlainFragment; }

bool is_toy_shader(const std::string& text) {
  if (shader::is_spirv(text)) return false;
  const std::string code = code_of(text);
  const bool has_image = find_word(code, "mainImage") != std::string::npos || defines_main_image(text);
  return has_image && !has_function(code, "main");
}

std::vector<std::string> completed_shaders(const std::string& given) {
  if (shader::is_spirv(given)) return {given};
  std::string text = given.starts_with(kByteOrderMark) ? given.substr(kByteOrderMark.size()) : given;
  const std::string code = code_of(text);
  std::vector<std::string> all;
  if (is_toy_shader(text)) {
    add_toy(text, code, false, all);
    add_toy(text, code, true, all);
    return all;
  }
  bool is_of_web = false;
  const std::string_view kOfWeb[] = {"GL_EXT_draw_buffers", "GL_EXT_frag_depth", "GL_EXT_shader_texture_lod",
                                     "GL_OES_standard_derivatives"};
  const std::string plain = without_comments(text);
  for (const std::string_view name : kOfWeb) is_of_web |= find_word(plain, name) != std::string_view::npos;
  // Our compiler supports several outputs without an extension.
  take_directives(text, [&](std::string_view name, std::string_view rest) {
    return name == "extension" && rest.starts_with(kOfWeb[0]);
  });
  if (plain.find("#version") != std::string::npos) {
    all.push_back(with_version_first(text));
  } else if (const std::string_view other = other_pass(code); !other.empty()) {
    const std::string said(other);
    all.push_back(kVersion + ("#line " + std::to_string(line_of_name(text, other))) + "\n#error " + said +
                  " draws no picture: a text needs mainImage or main\n");
  } else {
    // Before GLSL ES 3.00, "#line 0" gives the next line the number 1.
    for (const auto& [version, first] : {std::pair{kVersion, 1}, {kVersionEs1, 0}, {kVersionEs3, 1}})
      all.push_back(version + ("#line " + std::to_string(first) + "\n") + text);
    if (is_of_web) std::swap(all[0], all[1]);
  }
  // A condition may leave out the text's main.
  if (find_word(code, "mainImage") != std::string::npos) add_toy(text, code, false, all);
  return all;
}

std::string with_includes(const std::string& given, const std::filesystem::path& file) {
  if (shader::is_spirv(given)) return given;
  std::vector<std::filesystem::path> chain{file.lexically_normal()};
  const auto expanded = [&](const auto& self, const std::string& original, size_t only_line) -> std::string {
    const std::string code = without_comments(original);
    std::string result;
    size_t number = 0;
    bool continues = false;
    each_line(original, [&](size_t begin, std::string_view line) {
      ++number;
      const size_t shown = only_line == 0 ? number : only_line;
      const auto [name, rest] = directive_of(std::string_view(code).substr(begin, line.size()));
      // Lines of an included file have the number of the line that includes it, which messages can name.
      if (only_line != 0 && !continues) result += "#line " + std::to_string(shown) + "\n";
      continues = line.ends_with('\\') || line.ends_with("\\\r");
      const size_t end = rest.size() > 1 ? rest.find(rest[0] == '<' ? '>' : '"', 1) : std::string_view::npos;
      if (name != "include" || end == std::string_view::npos) {
        (result += line) += '\n';
        return;
      }
      std::string included(rest.substr(1, end - 1));
      std::replace(included.begin(), included.end(), '\\', '/');  // as it is written on Windows
      const std::filesystem::path wanted = (chain.back().parent_path() / included).lexically_normal();
      const bool is_open = std::find(chain.begin(), chain.end(), wanted) != chain.end();
      std::error_code ignored;
      if (!is_open && (!std::filesystem::is_regular_file(wanted, ignored) || chain.size() > kMaxIncluded)) {
        result += "#error \"" + wanted.string() + "\" cannot be included\n";
        return;
      }
      if (!is_open) {
        chain.push_back(wanted);
        const std::string bytes(as_text(read_file(wanted, shader::kMaxText)));
        result += self(self, bytes.starts_with(kByteOrderMark) ? bytes.substr(kByteOrderMark.size()) : bytes, shown);
        chain.pop_back();
        if (result.size() > shader::kMaxText)
          throw std::runtime_error(file.string() + ": is larger than " + std::to_string(shader::kMaxText) +
                                   " bytes with its included files");
      }
      result += "#line " + std::to_string(shown + 1) + "\n";
    });
    return result;
  };
  if (without_comments(given).find("include") == std::string::npos) return given;
  return expanded(expanded, given, 0);
}

uint32_t line_of_name(std::string_view text, std::string_view name) {
  if (shader::is_spirv(text)) return 0;
  const std::string code = without_comments(text);
  const size_t place = find_word(code, name);
  if (place == std::string::npos) return 0;
  return uint32_t(std::count(code.begin(), code.begin() + std::ptrdiff_t(place), '\n')) + 1;
}

}  // namespace brokkr
