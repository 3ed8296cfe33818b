#include "plan/own_text.h"

#include <algorithm>
#include <cctype>

namespace brokkr {
namespace {

// Replaces comments by spaces and keeps line breaks, so that line numbers hold.
std::string without_comments(std::string_view text) {
  std::string result(text);
  for (size_t at = 0; at + 1 < result.size(); ++at) {
    if (result[at] != '/' || (result[at + 1] != '/' && result[at + 1] != '*')) continue;
    const bool is_line = result[at + 1] == '/';
    size_t end = result.find(is_line ? "\n" : "*/", at + 2);
    end = end == std::string::npos ? result.size() : end + (is_line ? 0 : 2);
    for (; at < end; ++at) result[at] = result[at] == '\n' ? '\n' : ' ';
    --at;
  }
  return result;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The position at which `name` is a whole word of the text.
size_t find_word(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_part_of_name(text[at - 1]);
    const size_t end = at + name.size();
    if (begins && (end == text.size() || !is_part_of_name(text[end]))) return at;
  }
  return std::string_view::npos;
}

// The compatibility profile accepts the features of old and of new versions.
constexpr const char* kVersion = "#version 450 compatibility\n";

// One line, so that the user's line numbers can be restored.
constexpr const char* kToyHead =
    "uniform vec3 iResolution; uniform float iTime, iTimeDelta, iFrameRate, iSampleRate; uniform int iFrame; "
    "uniform vec4 iMouse, iDate; uniform float iChannelTime[4]; uniform vec3 iChannelResolution[4]; "
    "uniform sampler2D iChannel0, iChannel1, iChannel2, iChannel3; in vec3 b_surface; out vec4 b_toy_color;\n";
// b_surface.z tells whether the surface has texture coordinates; the picture is laid over those.
constexpr const char* kToyMain =
    "\nvoid main() {\n"
    "  vec2 place = b_surface.z > 0.5 ? b_surface.xy * iResolution.xy : gl_FragCoord.xy;\n"
    "  b_toy_color = vec4(0.0, 0.0, 0.0, 1.0);\n"
    "  mainImage(b_toy_color, place);\n"
    "  b_toy_color.a = 1.0;\n"
    "}\n";

}  // namespace

bool is_toy_shader(const std::string& text) {
  const std::string code = without_comments(text);
  return find_word(code, "mainImage") != std::string::npos && find_word(code, "main") == std::string::npos;
}

std::string completed_shader(const std::string& text) {
  const std::string code = without_comments(text);
  const size_t version = code.find("#version");
  if (!is_toy_shader(text)) return version == std::string::npos ? std::string(kVersion) + "#line 1\n" + text : text;
  if (version == std::string::npos) return std::string(kVersion) + kToyHead + "#line 1\n" + text + kToyMain;
  const size_t end = std::min(code.find('\n', version), text.size());
  const auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(end), '\n') + 2;
  return text.substr(0, end) + "\n" + kToyHead + "#line " + std::to_string(line) + text.substr(end) + kToyMain;
}

uint32_t line_of_name(std::string_view text, std::string_view name) {
  const std::string code = without_comments(text);
  const size_t at = find_word(code, name);
  if (at == std::string::npos) return 0;
  return uint32_t(std::count(code.begin(), code.begin() + std::ptrdiff_t(at), '\n')) + 1;
}

}  // namespace brokkr
