#include "viewer/draw_parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <variant>

#include "app/text.h"
#include "brokkr/image.h"
#include "frame/bkf_fields.h"
#include "shader/texels.h"

namespace brokkr::viewer {
namespace {

std::string size_text(int width, int height, int depth = 1) {
  std::string text = std::to_string(width) + " x " + std::to_string(height);
  return depth > 1 ? text + " x " + std::to_string(depth) : text;
}

// The first (or only) sampler that reads the bound texture `number`.
std::string sampler_name(const FragmentProgram& program, size_t number) {
  for (const ProgramSampler& sampler : program.samplers) {
    if (number < sampler.count) return sampler.name + (sampler.count > 1 ? "[" + std::to_string(number) + "]" : "");
    number -= sampler.count;
  }
  return {};
}

// Indices of the triangles of one instance, three per triangle; empty for lines and points.
std::vector<uint32_t> triangles_of(const Frame& frame, const DrawCommand& draw, size_t max_triangles) {
  const auto vertex = [&](uint32_t element) {
    return draw.indexed ? frame.indices[draw.first_index + element] : element;
  };
  const bool strip = draw.topology == Topology::triangle_strip, fan = draw.topology == Topology::triangle_fan;
  if (draw.topology != Topology::triangles && !strip && !fan) return {};
  std::vector<uint32_t> triangles;
  uint32_t first = 0;  // start of the current strip or fan
  for (uint32_t i = 0; i < draw.element_count && triangles.size() < 3 * max_triangles; ++i) {
    if (draw.restart && vertex(i) == ~0u) {
      first = i + 1;
      continue;
    }
    if (i - first < 2 || (!strip && !fan && (i - first) % 3 != 2)) continue;
    for (const uint32_t element : {fan ? first : i - 2, i - 1, i}) triangles.push_back(vertex(element));
  }
  return triangles;
}

}  // namespace

std::vector<DrawTexture> textures_of(const Frame& frame, const DrawCommand& draw) {
  std::vector<DrawTexture> found;
  if (draw.inputs >= 0) {
    const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
    for (size_t i = 0; i < inputs.textures.size(); ++i) {
      if (inputs.textures[i].texture < 0) continue;
      const auto index = size_t(inputs.textures[i].texture);
      const CapturedTexture& t = frame.captured_textures[index];
      const std::string sampler = sampler_name(frame.programs[inputs.program], i);
      found.push_back({"texture " + std::to_string(index) + (sampler.empty() ? "" : ", " + app::printable(sampler)),
                       size_text(t.width, t.height, t.depth) + ", " + std::string(bkf::name_of(t.format)) + ", " +
                           counted(uint64_t(t.levels), "level"),
                       true, index});
    }
    return found;
  }
  const Material& m = frame.materials[draw.material];
  for (const auto& [use, index] : {std::pair{"colour", m.diffuse_texture},
                                   {"alpha", m.alpha_texture},
                                   {"metallic and roughness", m.metallic_roughness_texture},
                                   {"normal", m.normal_texture},
                                   {"emission", m.emission_texture},
                                   {"occlusion", m.occlusion_texture}}) {
    if (index < 0) continue;
    const Texture& t = frame.textures[size_t(index)];
    found.push_back({std::string(use) + ": " + app::printable(t.name),
                     size_text(t.width, t.height) + (t.srgb ? ", sRGB" : ", linear"), false, size_t(index)});
  }
  return found;
}

Picture texture_picture(const Frame& frame, const DrawTexture& texture, std::string& problem) {
  problem.clear();
  if (!texture.captured) {
    const Texture& t = frame.textures[texture.index];
    return {t.width, t.height, t.texels};
  }
  const CapturedTexture& t = frame.captured_textures[texture.index];
  const TexelEncoding encoding = shader::encoding_of(t.format, true);
  if (!t.stored) {
    problem = t.images.empty() ? "The file does not have its texels." : "The frame itself draws it: see its target.";
  } else if (encoding != TexelEncoding::rgba8 && encoding != TexelEncoding::srgb8) {
    problem = "Its texels are not 8-bit colours.";
  }
  if (!problem.empty()) return {};
  Picture picture{t.width, t.height, std::vector<uint32_t>(size_t(t.width) * size_t(t.height))};
  shader::decode_texels(t.format, frame.texture_data.data() + t.first_byte, t.width, t.height, 1,
                        picture.pixels.data());
  const bool grey = t.base == TexelBase::luminance || t.base == TexelBase::luminance_alpha ||
                    t.base == TexelBase::intensity || t.base == TexelBase::alpha;
  for (uint32_t& pixel : picture.pixels) {
    if (grey) pixel = (pixel & 255) * 0x010101u;
    pixel |= 0xff000000u;
  }
  return picture;
}

std::vector<std::array<glm::vec2, 2>> mesh_edges(const Frame& frame, const DrawCommand& draw, size_t max_edges) {
  const std::vector<uint32_t> triangles = triangles_of(frame, draw, max_edges / 3);
  glm::mat4 matrix(1.0f);
  if (draw.vertex_kind == VertexKind::transform)
    matrix = frame.views[draw.first_view].view_projection * frame.models[draw.first_instance];
  std::vector<std::array<glm::vec2, 2>> edges;
  for (size_t i = 0; i + 2 < triangles.size(); i += 3) {
    std::array<glm::vec2, 3> corners;
    bool behind = false;
    for (size_t c = 0; c < 3; ++c) {
      const glm::vec4 p = matrix * frame.positions[draw.first_vertex + triangles[i + c]];
      behind = behind || !(p.w > 0);
      corners[c] = glm::vec2(p) / p.w;
    }
    if (behind) continue;
    for (size_t c = 0; c < 3; ++c) edges.push_back({corners[c], corners[(c + 1) % 3]});
  }
  return edges;
}

namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& one : texts) all += one + "\n";
  return all;
}

}  // namespace

std::string program_text(const Frame& frame, const DrawCommand& draw) {
  if (draw.inputs < 0) {
    const Material& m = frame.materials[draw.material];
    return m.kind == MaterialKind::none
               ? "The file holds no program for this draw."
               : "Material " + app::printable(m.name) + ", shaded by " +
                     (m.kind == MaterialKind::blinn_phong ? "Blinn-Phong (shaders/blinn_phong.h)"
                                                          : "metallic and roughness "
                                                            "(shaders/metallic_roughness.h)");
  }
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  const FragmentProgram& program = frame.programs[inputs.program];
  const std::string text = "// program " + std::to_string(inputs.program);
  if (program.fixed) {
    const size_t units = program.fixed->units.size();
    return text + ": fixed function, " + (units == 0 ? "no texture" : counted(units, "texture"));
  }
  return text + ", GLSL " + std::to_string(program.version) + "\n" + joined(program.texts);
}

std::string vertex_text(const Frame& frame, const DrawCommand& draw) {
  if (draw.vertices < 0) {
    return draw.vertex_kind == VertexKind::transform
               ? "The pipeline multiplies the vertices of this scene by its camera's matrix."
               : "The file holds only the computed vertices of this draw, and no vertex program.";
  }
  const VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
  const VertexProgram& program = frame.vertex_programs[inputs.program];
  return "// vertex program " + std::to_string(inputs.program) + ", GLSL " + std::to_string(program.version) + "\n" +
         joined(program.texts);
}

std::string VertexColumn::value(const Frame& frame, uint64_t vertex) const {
  const uint64_t element = per_vertex ? std::min(vertex, count - 1) : 0;
  const uint32_t word = frame.attributes[size_t(first + element * stride)];
  if (kind == ShaderType::f32) return app::fixed(double(std::bit_cast<float>(word)), 4);
  return kind == ShaderType::i32 ? std::to_string(int32_t(word)) : std::to_string(word);
}

std::vector<VertexColumn> attribute_columns(const Frame& frame, const DrawCommand& draw) {
  std::vector<VertexColumn> columns;
  if (draw.vertices < 0) return columns;
  const VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
  const VertexProgram& program = frame.vertex_programs[inputs.program];
  for (size_t i = 0; i < program.attributes.size(); ++i) {
    const VertexAttribute& attribute = program.attributes[i];
    const VertexStream& stream = inputs.attributes[i];
    const ShaderShape shape = shape_of(attribute.type);
    const ShaderType kind =
        attribute.type >= ShaderType::mat2 ? ShaderType::f32 : ShaderType(uint32_t(attribute.type) / 4 * 4);
    for (uint32_t c = 0; c < shape.components(); ++c) {
      std::string name = app::printable(attribute.name);
      if (shape.columns > 1) name += "[" + std::to_string(c / shape.rows) + "]";
      if (shape.rows > 1) name += std::string(".") + "xyzw"[c % shape.rows];
      columns.push_back({name, stream.first + c, shape.components(), stream.count, stream.divisor == 0, kind});
    }
  }
  return columns;
}

namespace {

constexpr int kMaxSide = 320;

// Marks the pixels that hold the identifier of a primitive of `command`.
void mark(const PreparedFrame& prepared, uint32_t command, std::span<const uint32_t> ids, std::span<uint8_t> touched) {
  uint32_t last = ~0u;  // neighbouring pixels mostly share a primitive
  bool last_is = false;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == ~0u) continue;
    if (ids[i] != last) {
      last = ids[i];
      last_is = prepared.origin(last).command == command;
    }
    touched[i] |= uint8_t(last_is);
  }
}

}  // namespace

DrawThumbnail highlight(int width, int height, std::span<const uint32_t> colors, std::span<const uint8_t> touched,
                        int max_side) {
  const int step = std::max(1, (std::max(width, height) + max_side - 1) / max_side);
  DrawThumbnail result;
  result.touched = uint64_t(std::count(touched.begin(), touched.end(), 1));
  Picture& picture = result.picture;
  picture.width = (width + step - 1) / step;
  picture.height = (height + step - 1) / step;
  for (int top = 0; top < height; top += step) {
    for (int left = 0; left < width; left += step) {
      // Sums of red, green, blue and the number of pixels: first for untouched pixels, then for touched ones.
      std::array<std::array<uint32_t, 4>, 2> sums{};
      for (int y = top; y < std::min(top + step, height); ++y) {
        for (int x = left; x < std::min(left + step, width); ++x) {
          const size_t i = size_t(y) * size_t(width) + size_t(x);
          auto& sum = sums[touched[i]];
          for (size_t c = 0; c < 3; ++c) sum[c] += colors[i] >> (8 * c) & 255;
          sum[3]++;
        }
      }
      const bool bright = sums[1][3] > 0;
      const auto& sum = sums[bright];
      if (bright) {
        // Touched pixels are brighter than all others, whatever colour the draw has.
        const auto part = [&](size_t c) { return 64 + sum[c] / sum[3] * 191 / 255; };
        picture.pixels.push_back(0xff000000u | part(2) << 16 | part(1) << 8 | part(0));
      } else {
        picture.pixels.push_back(0xff000000u | (sum[0] + sum[1] + sum[2]) / sum[3] / 3 * 60 / 255 * 0x010101u);
      }
    }
  }
  return result;
}

std::optional<DrawThumbnail> draw_thumbnail(RenderContext& context, uint32_t command) {
  const auto* const draw = std::get_if<DrawCommand>(&context.frame.commands.at(command));
  if (draw == nullptr) return std::nullopt;
  RenderOptions options = context.settings.options;
  options.trace = false;
  options.keep_ids = true;
  options.command_limit = command + 1;
  const RenderResult result = context.renderer.render(context.prepared, options);
  if (result.aborted) return std::nullopt;
  const View& view = context.frame.views[draw->first_view];
  const Layer& layer = result.targets[view.target].layers[view.layer];
  std::vector<uint8_t> touched(size_t(layer.width) * size_t(layer.height), 0);
  mark(context.prepared, command, layer.visible_id, touched);
  mark(context.prepared, command, layer.depth_id, touched);
  return highlight(layer.width, layer.height, screen_pixels(layer), touched, kMaxSide);
}

}  // namespace brokkr::viewer
