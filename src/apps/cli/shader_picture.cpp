#include "cli/shader_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "app/own_shader.h"
#include "app/text.h"
#include "base/loading.h"
#include "base/nearest_name.h"
#include "machine/cpu_isa.h"
#include "plan/prepare.h"
#include "shade/kernels.h"
#include "shade/triangle.h"
#include "shader/textures.h"

namespace brokkr::app {
namespace {

// The one of `all` with this name.
template <class Named>
size_t find_named(const std::vector<Named>& all, const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const Named& one : all) known.push_back(one.name);
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return size_t(found - known.begin());
  throw UsageError(fmt::format("the shader has no {} '{}'{}", what, printable(name), did_you_mean(name, known)));
}

uint32_t bits_of(const std::string& value, shader::Kind kind) {
  const double number = uniform_number(value);
  if (kind == shader::Kind::number) return std::bit_cast<uint32_t>(float(number));
  if (std::floor(number) != number || number < -2147483648.0 || number > 4294967295.0)
    throw UsageError(fmt::format("--uniform: '{}' is no whole number of 32 bits", value));
  return uint32_t(int64_t(number));
}

// What samplers read: each picture that is given, with all its levels.
struct Textures {
  Frame frame;
  shader::SampledTextures sampled;
  std::vector<shader::SamplerSlot> slots;
  FrameTables tables{};

  Textures(const shader::Program& program, const std::vector<std::string>& given) : slots(program.samplers.size()) {
    const LoadOptions options;
    Loading loading(options);
    std::vector<BoundTexture>& bound = frame.inputs.emplace_back().textures;
    bound.resize(program.samplers.size());
    for (const std::string& text : given) {
      const auto [name, file] = name_and_value(text, "--texture");
      const size_t number = find_named(program.samplers, name, "sampler");
      const shader::SamplerInput& sampler = program.samplers[number];
      if (sampler.compares)
        throw UsageError(fmt::format("--texture: '{}' compares depths, which pictures do not hold", name));
      if (sampler.kind != TextureKind::two || sampler.type != SampledType::real)
        throw UsageError(fmt::format("--texture: '{}' is no sampler2D, the only one that reads pictures", name));
      bound[number].texture = add_picture(file, loading);
    }
    sampled = shader::make_sampled_textures(frame, loading);
    for (size_t i = 0; i < slots.size(); ++i) slots[i].record = sampled.record_of(bound[i]);
    tables.sampled = sampled.records.data();
    tables.sampled_texels = sampled.texels.data();
  }

 private:
  int32_t add_picture(const std::string& file, Loading& loading) {
    Image image = read_image(std::filesystem::path(file));
    const Texture texture{file, image.width, image.height, false, std::move(image.texels), {}};
    std::vector<uint32_t> texels;
    const TextureRecord chain = append_mip_chain(texture, texels, loading);
    const auto bytes = std::as_bytes(std::span(texels));
    frame.captured_textures.push_back({.width = texture.width,
                                       .height = texture.height,
                                       .levels = int(chain.levels),
                                       .stored = true,
                                       .first_byte = frame.texture_data.size()});
    frame.texture_data.insert(frame.texture_data.end(), bytes.begin(), bytes.end());
    return int32_t(frame.captured_textures.size()) - 1;
  }
};

uint32_t pixel_of(const float* color, uint32_t words) {
  uint32_t pixel = words < 4 ? 0xff000000u : 0;
  for (uint32_t c = 0; c < std::min(words, 4u); ++c) {
    const float v = color[c] > 0 ? std::min(color[c], 1.0f) : 0.0f;  // NaN: 0
    pixel |= uint32_t(std::lround(v * 255)) << (8 * c);
  }
  return pixel;
}

}  // namespace

std::map<uint32_t, uint32_t> uniform_words(const shader::Program& program, const std::vector<std::string>& given) {
  std::map<uint32_t, uint32_t> words;
  for (const std::string& text : given) {
    const auto [name, value] = name_and_value(text, "--uniform");
    const shader::Uniform& uniform = program.uniforms[find_named(program.uniforms, name, "uniform")];
    const std::vector<std::string> values = split(value);
    if (values.size() > uniform.words)
      throw UsageError(fmt::format("--uniform: '{}' has {} numbers, not {}", name, uniform.words, values.size()));
    for (uint32_t i = 0; i < values.size(); ++i) words[uniform.first + i] = bits_of(values[i], uniform.kind);
  }
  return words;
}

Image shader_picture(const shader::Program& program, int width, int height,
                     const std::map<uint32_t, uint32_t>& uniforms, const std::vector<std::string>& textures) {
  const auto color = std::find_if(program.outputs.begin(), program.outputs.end(),
                                  [](const shader::Output& output) { return output.location == 0; });
  if (color == program.outputs.end()) throw std::runtime_error("the shader writes no colour");
  const Textures bound(program, textures);
  const shader::Code code = shader::assemble(program);
  std::vector<uint32_t> words(program.uniform_words);
  for (const auto& [word, bits] : uniforms) words[word] = bits;
  if (program.height_word != shader::kNoWord) words[program.height_word] = std::bit_cast<uint32_t>(float(height));
  shader::Instance instance(code, *shader::find_kernel(best_cpu_isa()), std::move(words));
  instance.bind(bound.tables, bound.slots);

  std::array<std::vector<uint32_t>, 3> corners;
  for (std::vector<uint32_t>& corner : corners) corner.assign(program.input_words, 0);
  for (const shader::Input& input : program.inputs) {
    for (uint32_t i = 0; i < input.words; ++i) {
      for (uint32_t c = 0; c < 3; ++c) {
        const float value = i < 2 ? (c == i + 1 ? 2.0f : 0.0f) : 1.0f;  // 2: the corner lies outside
        corners[c][input.first + i] = std::bit_cast<uint32_t>(value);
      }
    }
  }
  const shader::TrianglePicture picture = shader::shade_triangle(program, instance, width, height, corners);
  Image image{width, height, {}, true};
  for (size_t i = 0; i < picture.kept.size(); ++i) {
    const float* const pixel = picture.outputs.data() + i * program.output_words + color->first;
    image.texels.push_back(picture.kept[i] != 0 ? pixel_of(pixel, color->words) : 0);
  }
  return image;
}

}  // namespace brokkr::app
