#include "app/own_shader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "app/text.h"
#include "base/file_io.h"
#include "plan/own_text.h"
#include "shader/front_end.h"

namespace brokkr::app {

std::vector<Option> shader_options() {
  constexpr const char* kGroup = "Shader";
  std::vector<Option> options = {
      file_option("--fragment", "FILE",
                  "Draw surfaces by this fragment shader: GLSL, or mainImage as on Shadertoy (docs/guide/shaders.md); "
                  "without a scene over the whole picture"),
      several(
          text_option("--uniform", "NAME=V,V", "A uniform's numbers, as many as it has. May be given several times")),
      several(named_file_option("--texture", "NAME=FILE",
                                "The picture that a sampler2D reads (white). May be given several times",
                                FileUse::read)),
      real_option("--time", "SECONDS", "Time of the picture: b_time, iTime (0)", -1e6, 1e6)};
  for (Option& option : options) option.group = kGroup;
  return options;
}

std::string shader_text(const std::string& file) {
  return with_includes(std::string(as_text(read_file(file, shader::kMostText))), file);
}

std::optional<FragmentShader> read_shader(const Arguments& arguments) {
  if (!arguments.has("fragment")) {
    for (const char* option : {"uniform", "texture", "time"}) {
      if (arguments.has(option)) throw UsageError(fmt::format("--{}: is for a shader; name one by --fragment", option));
    }
    return std::nullopt;
  }
  FragmentShader shader;
  shader.name = printable(arguments.text("fragment"));
  shader.text = shader_text(arguments.text("fragment"));
  shader.time = arguments.real("time", 0);
  for (const std::string& text : arguments.all("uniform")) {
    const auto [name, value] = name_and_value(text, "--uniform");
    std::vector<double>& numbers = shader.uniforms[name];
    numbers.clear();
    for (const std::string& number : split(value)) numbers.push_back(uniform_number(number));
  }
  for (const std::string& text : arguments.all("texture")) {
    const auto [name, file] = name_and_value(text, "--texture");
    shader.textures[name] = read_image(std::filesystem::path(file));
  }
  return shader;
}

std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw UsageError(fmt::format("{}: '{}' is not NAME=VALUE", option, printable(text)));
  return {text.substr(0, at), text.substr(at + 1)};
}

double uniform_number(const std::string& value) {
  size_t used = 0;
  double number = 0;
  try {
    number = std::stod(value, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (value.empty() || used != value.size())
    throw UsageError(fmt::format("--uniform: '{}' is no number", printable(value)));
  return number;
}

}  // namespace brokkr::app
