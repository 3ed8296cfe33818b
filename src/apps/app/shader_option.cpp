#include "app/shader_option.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "plan/user_shader.h"
#include "shader/front_end.h"

namespace brokkr::app {
namespace {

// Parses "image:0=buffer-a".
void take_channel(const std::string& text, FragmentShader& shader) {
  const auto [place, what] = name_and_value(text, "--channel");
  const size_t colon = place.find(':');
  const std::string pass = place.substr(0, colon), number = colon == std::string::npos ? "" : place.substr(colon + 1);
  const bool is_buffer = pass.size() == 1 && pass[0] >= 'a' && pass[0] <= 'd';
  if ((pass != "image" && !is_buffer) || number.size() != 1 || number[0] < '0' || number[0] > '3')
    throw UsageError(fmt::format("--channel: '{}' is not PASS:N=WHAT, such as image:0=buffer-a", printable(text)));
  const std::string name = "iChannel" + number;
  ShaderBuffer* const buffer = is_buffer ? &shader.buffers[size_t(pass[0] - 'a')] : nullptr;
  if (buffer != nullptr && buffer->text.empty())
    throw UsageError(fmt::format("--channel: there is no buffer {}; name its file with --buffer-{}", pass, pass));
  auto& textures = buffer ? buffer->textures : shader.textures;
  auto& channels = buffer ? buffer->channels : shader.channels;
  textures.erase(name);
  channels.erase(name);
  using Source = ShaderChannel::Source;
  constexpr std::string_view kBuffer = "buffer-";
  if (what.size() == kBuffer.size() + 1 && what.starts_with(kBuffer) && what.back() >= 'a' && what.back() <= 'd') {
    channels[name] = {.source = Source::buffer, .buffer = what.back() - 'a'};
    if (shader.buffers[size_t(what.back() - 'a')].text.empty())
      throw UsageError(fmt::format("--channel: there is no {}; name its file with --{}", what, what));
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
      file_option("--fragment", "FILE",
                  "Shade surfaces with this fragment shader: GLSL, SPIR-V, or Shadertoy's mainImage "
                  "(docs/guide/shaders.md); without a scene it fills the picture"),
      file_option("--vertex", "FILE",
                  "Transform a scene's vertices with this vertex shader in GLSL or SPIR-V, which writes gl_Position "
                  "(docs/guide/vertex-shaders.md); without --fragment, a plain fragment shader lights them"),
      integer_option("--shader-instances", "Draw N instances of each surface; gl_InstanceID counts them (1)", 1,
                     1 << 24),
      several(text_option("--uniform", "NAME=V,V",
                          "Values of a uniform, one for each of its components. Without --fragment, of the programs of "
                          "a captured frame. May be given several times")),
      several(named_file_option("--texture", "NAME=FILE", "Picture for a sampler2D (white). May be given several times",
                                FileUse::read)),
      real_option("--time", "SECONDS", "Time of the picture in seconds, for b_time and iTime (0)", -1e6, 1e6)};
  for (const char buffer : {'a', 'b', 'c', 'd'}) {
    options.push_back(file_option(fmt::format("--buffer-{}", buffer), "FILE",
                                  fmt::format("Text of Shadertoy's buffer {}", char(buffer - 'a' + 'A'))));
  }
  options.push_back(file_option("--common", "FILE", "Shadertoy's common text, which precedes the text of each pass"));
  options.push_back(several(text_option(
      "--channel", "PASS:N=WHAT",
      "Input of iChannelN of a pass (image, a, b, c, d): buffer-a … buffer-d, keyboard, silence, noise or a picture "
      "(iChannel0 … 3 read buffers A … D if they exist, otherwise noise). May be given several times")));
  options.push_back(
      text_option("--mouse", "X,Y[,X,Y]", "iMouse in pixels: its position, and the position where it was pressed"));
  options.push_back(several(
      integer_option("--key", "A held key, by its JavaScript code: 32 is space. May be given several times", 0, 255)));
  // The inputs that only Shadertoy has come last.
  for (Option& option : options) option.rare = option.names == "--shader-instances";
  const auto rarer = std::ranges::find(options, std::string("--buffer-a"), &Option::names);
  std::for_each(rarer, options.end(), [](Option& option) { option.rare = true; });
  for (Option& option : options) option.group = kGroup;
  return options;
}

std::string shader_text(const std::string& file) {
  return with_includes(std::string(as_text(read_file(file, shader::kMaxText))), file);
}

void read_texts(const std::string& file, FragmentShader& shader, const std::function<void(const std::string&)>& warn) {
  if (is_toy_export(file)) return read_toy_export(file, shader, warn);
  shader.text = shader_text(file);
  for (ShaderBuffer& buffer : shader.buffers) {
    if (!buffer.name.empty()) buffer.text = shader_text(buffer.name);
  }
}

std::string vertex_text(const std::string& file) {
  std::string text = shader_text(file);
  if (text.empty())
    throw std::runtime_error(file + ": the file is empty; write a vertex shader, or leave out --vertex");
  return text;
}

std::optional<FragmentShader> read_shader(const Arguments& arguments) {
  const bool has_fragment = arguments.has("fragment"), has_vertex = arguments.has("vertex");
  if (!has_vertex && arguments.has("shader-instances"))
    throw UsageError("--shader-instances: needs a vertex shader; name one with --vertex");
  if (!has_fragment) {
    for (const char* option :
         {"texture", "time", "buffer-a", "buffer-b", "buffer-c", "buffer-d", "common", "channel", "mouse", "key"}) {
      const std::string name = option;
      const bool is_of_both = name == "texture" || name == "time";
      if (arguments.has(option) && !(has_vertex && is_of_both))
        throw UsageError(fmt::format("--{}: needs a shader; name one with --fragment", option));
    }
    if (!has_vertex) return std::nullopt;
  }
  FragmentShader shader;
  if (has_vertex) {
    shader.vertex.name = printable(arguments.text("vertex"));
    shader.vertex.instances = uint32_t(arguments.integer("shader-instances", 1));
    shader.vertex.text = vertex_text(arguments.text("vertex"));
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
  shader.uniforms = uniform_values(arguments);
  for (const std::string& text : arguments.all("texture")) {
    const auto [name, file] = name_and_value(text, "--texture");
    shader.textures[name] = read_image(std::filesystem::path(file));
  }
  return shader;
}

UniformValues uniform_values(const Arguments& arguments) {
  UniformValues all;
  for (const std::string& text : arguments.all("uniform")) {
    const auto [name, value] = name_and_value(text, "--uniform");
    std::vector<double>& numbers = all[name];
    numbers.clear();
    for (const std::string& number : split(value)) numbers.push_back(uniform_number(number));
  }
  return all;
}

std::pair<std::string, std::string> name_and_value(const std::string& text, const char* option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("{}: '{}' is not NAME=VALUE", option, printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
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
    throw UsageError(fmt::format("{}: '{}' is not a number", option, printable(value)));
  return number;
}

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

class ToyFile {
 public:
  ToyFile(const std::string& file, FragmentShader& shader, const std::function<void(const std::string&)>& warn)
      : file_(file), shader_(shader), warn_(warn) {}

  void read() {
    constexpr uint64_t kMaxBytes = 16 << 20;
    const std::vector<std::byte> bytes = read_file(file_, kMaxBytes);
    Json json;
    try {
      json = parse_json<Json>(as_text(bytes));
    } catch (const std::exception&) {
      fail("it is not JSON");
    }
    try {
      const Json& passes = passes_of(json);
      for (const Json& pass : passes) note_output(pass);
      bool has_image = false;
      for (const Json& pass : passes) has_image |= read_pass(pass);
      if (!has_image) fail("it has no pass of the type 'image'");
    } catch (const Json::exception&) {
      fail("it is not a Shadertoy export");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error(
        fmt::format("{}: {}; name a file with a 'renderpass' list, as Shadertoy's site and API export it",
                    printable(file_), problem));
  }
  void warn(const std::string& line) const { warn_(printable(fmt::format("{}: {}", file_, line))); }

  // The API exports {"Shader": {"renderpass": …}}; the site exports {"renderpass": …} or [{"renderpass": …}].
  const Json& passes_of(const Json& json) const {
    const Json* shader = json.is_array() && !json.empty() ? &json[0] : &json;
    if (shader->contains("Shader")) shader = &shader->at("Shader");
    if (!shader->is_object() || !shader->contains("renderpass") || !shader->at("renderpass").is_array())
      fail("it has no 'renderpass'");
    return shader->at("renderpass");
  }

  static std::string text_of(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
  }
  // The number of a buffer named "Buffer A" or "Buf A".
  static int buffer_of(const std::string& name) {
    const bool is_buffer = name.starts_with("Buf") && name.size() > 4 && name.back() >= 'A' && name.back() <= 'D';
    return is_buffer ? name.back() - 'A' : -1;
  }

  void note_output(const Json& pass) {
    if (text_of(pass, "type") != "buffer") return;
    int buffer = buffer_of(text_of(pass, "name"));
    if (buffer < 0) buffer = int(buffers_.size());
    if (!pass.contains("outputs")) return;
    for (const Json& output : pass.at("outputs")) buffers_[text_of(output, "id")] = buffer;
  }

  // Returns true if the pass draws the picture.
  bool read_pass(const Json& pass) {
    const std::string type = text_of(pass, "type"), name = text_of(pass, "name"), code = text_of(pass, "code");
    if (code.size() > shader::kMaxText) fail(fmt::format("pass '{}' has more than {} bytes", name, shader::kMaxText));
    if (type == "common") {
      shader_.common = code;
      return false;
    }
    const std::string place = fmt::format("{} ({})", file_, name.empty() ? type : name);
    if (type == "image") {
      shader_.text = code;
      shader_.name = printable(place);
      read_inputs(pass, name, shader_.textures, shader_.channels);
      return true;
    }
    int number = -1;
    if (type == "buffer") {
      number = buffer_of(name);
      for (const Json& output : pass.value("outputs", Json::array())) {
        const auto found = buffers_.find(text_of(output, "id"));
        if (number < 0 && found != buffers_.end()) number = found->second;
      }
    }
    if (number < 0 || number >= 4) {
      warn(fmt::format("pass '{}' of type '{}' is not supported", name, type));
      return false;
    }
    ShaderBuffer& buffer = shader_.buffers[size_t(number)];
    buffer.text = code;
    buffer.name = printable(place);
    read_inputs(pass, name, buffer.textures, buffer.channels);
    return false;
  }

  void read_inputs(const Json& pass, const std::string& name, std::map<std::string, Image>& textures,
                   std::map<std::string, ShaderChannel>& channels) {
    textures.clear();
    channels.clear();
    // A channel without an input gets noise, never a buffer.
    for (int i = 0; i < 4; ++i) channels[fmt::format("iChannel{}", i)] = {};
    if (!pass.contains("inputs")) return;
    for (const Json& input : pass.at("inputs")) {
      const std::string channel = fmt::format("iChannel{}", input.at("channel").get<int>());
      if (!channels.contains(channel)) continue;
      const std::string type = text_of(input, input.contains("ctype") ? "ctype" : "type");
      const std::string source = text_of(input, input.contains("src") ? "src" : "filepath");
      ShaderChannel& target = channels[channel];
      const Json sampler = input.value("sampler", Json::object());
      target.linear = text_of(sampler, "filter") != "nearest";
      target.wrap = text_of(sampler, "wrap") == "repeat" ? Wrap::repeat : Wrap::clamp_to_edge;
      if (type == "buffer") {
        const auto found = buffers_.find(text_of(input, "id"));
        const size_t digit = source.find("buffer0");
        target.source = ShaderChannel::Source::buffer;
        if (found != buffers_.end())
          target.buffer = found->second;
        else if (digit != std::string::npos && digit + 7 < source.size())
          target.buffer = source[digit + 7] - '0';
        else
          target = {};
      } else if (type == "keyboard") {
        target.source = ShaderChannel::Source::keyboard;
      } else if (type == "music" || type == "musicstream" || type == "mic") {
        target.source = ShaderChannel::Source::silence;
      } else {
        if (type == "texture" && take_picture(source, textures[channel])) continue;
        textures.erase(channel);
        warn(fmt::format("pass '{}', {}: '{}' of type '{}' is missing; noise replaces it{}", name, channel, source,
                         type, type == "texture" ? "; put it beside the file" : ""));
      }
    }
  }

  bool take_picture(const std::string& source, Image& image) const {
    const fs::path folder = fs::path(file_).parent_path(), given(source);
    for (const fs::path& path : {folder / given.relative_path(), folder / given.filename()}) {
      std::error_code error;
      if (source.empty() || source.find("..") != std::string::npos || !fs::is_regular_file(path, error)) continue;
      image = read_image(path);
      return true;
    }
    return false;
  }

  const std::string& file_;
  FragmentShader& shader_;
  const std::function<void(const std::string&)>& warn_;
  std::map<std::string, int> buffers_;  // buffer numbers by the id of their output
};

}  // namespace

bool is_toy_export(const std::string& file) { return fs::path(file).extension() == ".json"; }

void read_toy_export(const std::string& file, FragmentShader& shader,
                     const std::function<void(const std::string&)>& warn) {
  ToyFile(file, shader, warn).read();
}

}  // namespace brokkr::app
