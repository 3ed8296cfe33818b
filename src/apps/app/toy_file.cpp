#include "app/toy_file.h"

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/text.h"
#include "base/file_io.h"
#include "base/json_parse.h"
#include "shader/front_end.h"

namespace brokkr::app {
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
      fail("it is no JSON");
    }
    try {
      const Json& passes = passes_of(json);
      for (const Json& pass : passes) note_output(pass);
      bool has_image = false;
      for (const Json& pass : passes) has_image |= read_pass(pass);
      if (!has_image) fail("it has no pass of the type 'image'");
    } catch (const Json::exception&) {
      fail("it is no export of Shadertoy's");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error(fmt::format("{}: {}; name a file with a 'renderpass' list, as its site and API give it",
                                         printable(file_), problem));
  }
  void warn(const std::string& line) const { warn_(printable(fmt::format("{}: {}", file_, line))); }

  // {"Shader": {"renderpass": …}} of the API, {"renderpass": …} and [{"renderpass": …}] of the site.
  const Json& passes_of(const Json& json) const {
    const Json* shader = json.is_array() && !json.empty() ? &json[0] : &json;
    if (shader->contains("Shader")) shader = &shader->at("Shader");
    if (!shader->is_object() || !shader->contains("renderpass") || !shader->at("renderpass").is_array())
      fail("it has no 'renderpass'");
    return shader->at("renderpass");
  }

  static std::string text_of(const Json& of, const char* key) {
    const auto found = of.find(key);
    if (found == of.end()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
  }
  // "Buffer A" or "Buf A".
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

  // Returns true if it is the picture's pass.
  bool read_pass(const Json& pass) {
    const std::string type = text_of(pass, "type"), name = text_of(pass, "name"), code = text_of(pass, "code");
    if (code.size() > shader::kMostText) fail(fmt::format("pass '{}' has more than {} bytes", name, shader::kMostText));
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
      warn(fmt::format("pass '{}' of the type '{}' is not drawn", name, type));
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
    // A channel without an input is noise, and no buffer.
    for (int i = 0; i < 4; ++i) channels[fmt::format("iChannel{}", i)] = {};
    if (!pass.contains("inputs")) return;
    for (const Json& input : pass.at("inputs")) {
      const std::string channel = fmt::format("iChannel{}", input.at("channel").get<int>());
      if (!channels.contains(channel)) continue;
      const std::string type = text_of(input, input.contains("ctype") ? "ctype" : "type");
      const std::string source = text_of(input, input.contains("src") ? "src" : "filepath");
      ShaderChannel& to = channels[channel];
      const Json sampler = input.value("sampler", Json::object());
      to.linear = text_of(sampler, "filter") != "nearest";
      to.wrap = text_of(sampler, "wrap") == "repeat" ? Wrap::repeat : Wrap::clamp_to_edge;
      if (type == "buffer") {
        const auto found = buffers_.find(text_of(input, "id"));
        const size_t digit = source.find("buffer0");
        to.source = ShaderChannel::Source::buffer;
        if (found != buffers_.end())
          to.buffer = found->second;
        else if (digit != std::string::npos && digit + 7 < source.size())
          to.buffer = source[digit + 7] - '0';
        else
          to = {};
      } else if (type == "keyboard") {
        to.source = ShaderChannel::Source::keyboard;
      } else if (type == "music" || type == "musicstream" || type == "mic") {
        to.source = ShaderChannel::Source::silence;
      } else {
        if (type == "texture" && take_picture(source, textures[channel])) continue;
        textures.erase(channel);
        warn(fmt::format("pass '{}', {}: '{}' of the type '{}' is not here; noise takes its place{}", name, channel,
                         source, type, type == "texture" ? ", or put it beside the file" : ""));
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
  std::map<std::string, int> buffers_;  // numbers by the identity of their outputs
};

}  // namespace

bool is_toy_export(const std::string& file) { return fs::path(file).extension() == ".json"; }

void read_toy_export(const std::string& file, FragmentShader& shader,
                     const std::function<void(const std::string&)>& warn) {
  ToyFile(file, shader, warn).read();
}

}  // namespace brokkr::app
