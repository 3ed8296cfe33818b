#include "app/own_shader.h"

#include <fmt/format.h>

#include <stdexcept>

#include "app/text.h"
#include "app/toy_file.h"
#include "base/file_io.h"
#include "plan/own_text.h"
#include "shader/front_end.h"

namespace brokkr::app {

namespace {

// "image:0=buffer-a".
void take_channel(const std::string& text, FragmentShader& shader) {
  const auto [place, what] = name_and_value(text, "--channel");
  const size_t colon = place.find(':');
  const std::string pass = place.substr(0, colon), number = colon == std::string::npos ? "" : place.substr(colon + 1);
  const bool is_buffer = pass.size() == 1 && pass[0] >= 'a' && pass[0] <= 'd';
  if ((pass != "image" && !is_buffer) || number.size() != 1 || number[0] < '0' || number[0] > '3')
    throw UsageError(fmt::format("--channel: '{}' is not PASS:N=WHAT, as image:0=buffer-a", printable(text)));
  const std::string name = "iChannel" + number;
  ShaderBuffer* const buffer = is_buffer ? &shader.buffers[size_t(pass[0] - 'a')] : nullptr;
  if (buffer != nullptr && buffer->text.empty())
    throw UsageError(fmt::format("--channel: there is no buffer {}; name its file by --buffer-{}", pass, pass));
  auto& textures = buffer ? buffer->textures : shader.textures;
  auto& channels = buffer ? buffer->channels : shader.channels;
  textures.erase(name);
  channels.erase(name);
  using Source = ShaderChannel::Source;
  constexpr std::string_view kBuffer = "buffer-";
  if (what.size() == kBuffer.size() + 1 && what.starts_with(kBuffer) && what.back() >= 'a' && what.back() <= 'd') {
    channels[name] = {.source = Source::buffer, .buffer = what.back() - 'a'};
    if (shader.buffers[size_t(what.back() - 'a')].text.empty())
      throw UsageError(fmt::format("--channel: there is no {}; name its file by --{}", what, what));
  } else if (what == "keyboard") {
    channels[name].source = Source::keyboard;
  } else if (what == "silence") {
    channels[name].source = Source::silence;
  } else if (what == "noise") {
    channels[name].source = Source::noise;
  } else {
    textures[name] = read_image(std::filesystem::path(what));
  }
}

void take_mouse(const std::string& text, FragmentShader& shader) {
  if (text.empty()) return;
  const std::vector<std::string> numbers = split(text);
  if (numbers.size() != 2 && numbers.size() != 4)
    throw UsageError(fmt::format("--mouse: '{}' is not X,Y or X,Y,X,Y", printable(text)));
  for (size_t i = 0; i < 4; ++i) shader.mouse[i] = number_of(numbers[i % numbers.size()], "--mouse");
}

}  // namespace

std::vector<Option> shader_options() {
  constexpr const char* kGroup = "Shader";
  std::vector<Option> options = {
      file_option(
          "--fragment", "FILE",
          "Draw surfaces by this fragment shader: GLSL, SPIR-V, or mainImage as on Shadertoy (docs/guide/shaders.md); "
          "without a scene over the whole picture"),
      file_option("--vertex", "FILE",
                  "Place a scene's vertices by this vertex shader in GLSL or SPIR-V, which writes gl_Position "
                  "(docs/guide/vertex-shaders.md); without --fragment a plain one lights them"),
      integer_option("--shader-instances", "Draw each surface so many times; gl_InstanceID counts them (1)", 1,
                     1 << 24),
      several(
          text_option("--uniform", "NAME=V,V", "A uniform's numbers, as many as it has. May be given several times")),
      several(named_file_option("--texture", "NAME=FILE",
                                "The picture that a sampler2D reads (white). May be given several times",
                                FileUse::read)),
      real_option("--time", "SECONDS", "Time of the picture: b_time, iTime (0)", -1e6, 1e6)};
  for (const char buffer : {'a', 'b', 'c', 'd'}) {
    options.push_back(file_option(fmt::format("--buffer-{}", buffer), "FILE",
                                  fmt::format("The text of Shadertoy's buffer {}", char(buffer - 'a' + 'A'))));
  }
  options.push_back(file_option("--common", "FILE", "Shadertoy's common text, before that of each pass"));
  options.push_back(several(text_option(
      "--channel", "PASS:N=WHAT",
      "What iChannelN of a pass (image, a, b, c, d) reads: buffer-a … buffer-d, keyboard, silence, noise or a picture "
      "(iChannel0 … 3 read the buffers A … D that there are, else noise). May be given several times")));
  options.push_back(text_option("--mouse", "X,Y[,X,Y]", "iMouse in pixels: where it is, and where it was pressed"));
  options.push_back(several(
      integer_option("--key", "A key that is held, by JavaScript's code: 32 is space. May be repeated", 0, 255)));
  // Shadertoy's own inputs come last.
  const auto rarer = std::ranges::find(options, std::string("--buffer-a"), &Option::names);
  std::for_each(rarer, options.end(), [](Option& option) { option.rare = true; });
  for (Option& option : options) option.group = kGroup;
  return options;
}

std::string shader_text(const std::string& file) {
  return with_includes(std::string(as_text(read_file(file, shader::kMostText))), file);
}

void read_texts(const std::string& file, FragmentShader& shader, const std::function<void(const std::string&)>& warn) {
  if (is_toy_export(file)) return read_toy_export(file, shader, warn);
  shader.text = shader_text(file);
  for (ShaderBuffer& buffer : shader.buffers) {
    if (!buffer.name.empty()) buffer.text = shader_text(buffer.name);
  }
}

std::optional<FragmentShader> read_shader(const Arguments& arguments) {
  const bool has_fragment = arguments.has("fragment"), has_vertex = arguments.has("vertex");
  if (!has_vertex && arguments.has("shader-instances"))
    throw UsageError("--shader-instances: is for a vertex shader; name one by --vertex");
  if (!has_fragment) {
    for (const char* option : {"uniform", "texture", "time", "buffer-a", "buffer-b", "buffer-c", "buffer-d", "common",
                               "channel", "mouse", "key"}) {
      const std::string name = option;
      const bool is_of_both = name == "uniform" || name == "texture" || name == "time";
      if (arguments.has(option) && !(has_vertex && is_of_both))
        throw UsageError(fmt::format("--{}: is for a shader; name one by --fragment", option));
    }
    if (!has_vertex) return std::nullopt;
  }
  FragmentShader shader;
  if (has_vertex) {
    shader.vertex.name = printable(arguments.text("vertex"));
    shader.vertex.instances = uint32_t(arguments.integer("shader-instances", 1));
    shader.vertex.text = shader_text(arguments.text("vertex"));
  }
  shader.name = has_fragment ? printable(arguments.text("fragment")) : "the plain fragment shader";
  for (size_t i = 0; i < shader.buffers.size(); ++i)
    shader.buffers[i].name = arguments.text(fmt::format("buffer-{}", char('a' + i)));
  if (arguments.has("common")) shader.common = shader_text(arguments.text("common"));
  const bool is_strict = arguments.has("strict");
  if (!has_fragment) shader.text = plain_fragment_text();
  if (has_fragment)
    read_texts(arguments.text("fragment"), shader, [&](const std::string& line) {
      if (is_strict) throw std::runtime_error(line + " (a warning, which --strict refuses)");
      warn(line);
    });
  for (const std::string& text : arguments.all("channel")) take_channel(text, shader);
  take_mouse(arguments.text("mouse"), shader);
  for (const std::string& key : arguments.all("key")) shader.keys.insert(uint8_t(std::stoi(key)));
  shader.pressed = shader.toggled = shader.keys;
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

double uniform_number(const std::string& value) { return number_of(value, "--uniform"); }

double number_of(const std::string& value, const char* option) {
  size_t used = 0;
  double number = 0;
  try {
    number = std::stod(value, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (value.empty() || used != value.size())
    throw UsageError(fmt::format("{}: '{}' is no number", option, printable(value)));
  return number;
}

}  // namespace brokkr::app
