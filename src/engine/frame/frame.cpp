#include <algorithm>
#include <numeric>

#include "brokkr/frame.h"
#include "brokkr/programs.h"
#include "frame/primitive_counts.h"

namespace brokkr {
namespace {

// Calls f(draw, triangles per view) for each draw of triangles.
template <typename F>
void each_surface(const Frame& frame, F&& f) {
  PrimitiveCounts counts(frame);
  for (const Command& command : frame.commands) {
    const auto* draw = std::get_if<DrawCommand>(&command);
    if (draw != nullptr && draw->topology <= Topology::triangle_fan) {
      f(*draw, counts.count(*draw) * draw->instances);
    }
  }
}

}  // namespace

uint64_t primitive_count(Topology topology, uint64_t elements) {
  switch (topology) {
    case Topology::triangles: return elements / 3;
    case Topology::triangle_strip:
    case Topology::triangle_fan: return elements < 3 ? 0 : elements - 2;
    case Topology::points: return elements;
    case Topology::lines: return elements / 2;
    case Topology::line_strip: return elements < 2 ? 0 : elements - 1;
    case Topology::line_loop: return elements < 2 ? 0 : elements;
  }
  return 0;
}

uint64_t primitive_count(const Frame& frame, const DrawCommand& draw) {
  if (!draw.indexed || !draw.restart) return primitive_count(draw.topology, draw.element_count);
  uint64_t total = 0, run = 0;
  for (uint64_t i = 0; i < draw.element_count; i++) {
    if (frame.indices.at(draw.first_index + i) == kRestartIndex) {
      total += primitive_count(draw.topology, run);
      run = 0;
    } else {
      run++;
    }
  }
  return total + primitive_count(draw.topology, run);
}

uint64_t triangle_count(const Frame& frame) {
  uint64_t total = 0;
  each_surface(frame, [&](const DrawCommand& draw, uint64_t triangles) { total += triangles * draw.view_count; });
  return total;
}

uint32_t main_target(const Frame& frame) {
  // Changes of the number from one view to the next, because draws may have many views.
  std::vector<uint64_t> changes(frame.views.size() + 1, 0);
  each_surface(frame, [&](const DrawCommand& draw, uint64_t triangles) {
    changes.at(draw.first_view) += triangles;
    changes.at(uint64_t(draw.first_view) + draw.view_count) -= triangles;
  });
  std::vector<uint64_t> triangles_of(frame.targets.size(), 0);
  uint64_t of_view = 0;
  for (size_t view = 0; view < frame.views.size(); view++) {
    of_view += changes[view];
    triangles_of.at(frame.views[view].target) += of_view;
  }
  return uint32_t(std::max_element(triangles_of.begin(), triangles_of.end()) - triangles_of.begin());
}

uint64_t varying_components(const FragmentProgram& program) {
  uint64_t end = 0;
  for (const ProgramVarying& v : program.varyings) {
    end = std::max(end, v.offset + uint64_t(v.count) * shape_of(v.type).components());
  }
  return end;
}

namespace {

uint64_t words_of(const std::vector<ProgramUniform>& uniforms) {
  uint64_t end = 0;
  for (const ProgramUniform& u : uniforms) {
    if (u.block >= 0) continue;
    end = std::max(end, u.offset / 4 + uint64_t(u.count) * shape_of(u.type).components());
  }
  return end;
}

uint64_t textures_of(const std::vector<ProgramSampler>& samplers) {
  return std::accumulate(samplers.begin(), samplers.end(), uint64_t(0),
                         [](uint64_t sum, const ProgramSampler& sampler) { return sum + sampler.count; });
}

}  // namespace

uint64_t uniform_words(const FragmentProgram& program) { return words_of(program.uniforms); }
uint64_t uniform_words(const VertexProgram& program) { return words_of(program.uniforms); }
uint64_t bound_textures(const FragmentProgram& program) { return textures_of(program.samplers); }
uint64_t bound_textures(const VertexProgram& program) { return textures_of(program.samplers); }

TexelBlock texel_block(TexelFormat format) {
  switch (format) {
    case TexelFormat::r8:
    case TexelFormat::r8_snorm:
    case TexelFormat::r8i:
    case TexelFormat::r8ui:
    case TexelFormat::stencil8: return {1, 1};
    case TexelFormat::rg8:
    case TexelFormat::rg8_snorm:
    case TexelFormat::rg8i:
    case TexelFormat::rg8ui:
    case TexelFormat::r16:
    case TexelFormat::r16_snorm:
    case TexelFormat::r16f:
    case TexelFormat::r16i:
    case TexelFormat::r16ui:
    case TexelFormat::rgb565:
    case TexelFormat::rgb5_a1:
    case TexelFormat::rgba4:
    case TexelFormat::depth16: return {1, 2};
    case TexelFormat::rgba16:
    case TexelFormat::rgba16_snorm:
    case TexelFormat::rgba16f:
    case TexelFormat::rgba16i:
    case TexelFormat::rgba16ui:
    case TexelFormat::rg32f:
    case TexelFormat::rg32i:
    case TexelFormat::rg32ui: return {1, 8};
    case TexelFormat::rgba32f:
    case TexelFormat::rgba32i:
    case TexelFormat::rgba32ui: return {1, 16};
    case TexelFormat::bc1:
    case TexelFormat::bc1_srgb:
    case TexelFormat::bc4:
    case TexelFormat::bc4_snorm: return {4, 8};
    case TexelFormat::bc2:
    case TexelFormat::bc2_srgb:
    case TexelFormat::bc3:
    case TexelFormat::bc3_srgb:
    case TexelFormat::bc5:
    case TexelFormat::bc5_snorm:
    case TexelFormat::bc6h:
    case TexelFormat::bc6h_signed:
    case TexelFormat::bc7:
    case TexelFormat::bc7_srgb: return {4, 16};
    default: return {1, 4};
  }
}

TexelExtent level_extent(const CapturedTexture& texture, int level) {
  const auto halved = [&](int size) { return std::max(size >> std::min(level, 30), 1); };
  const bool flat = texture.kind == TextureKind::one || texture.kind == TextureKind::one_array;
  return {halved(texture.width), flat ? texture.height : halved(texture.height),
          texture.kind == TextureKind::three ? halved(texture.depth) : texture.depth};
}

uint64_t level_bytes(const CapturedTexture& texture, int level) {
  const TexelBlock block = texel_block(texture.format);
  const TexelExtent extent = level_extent(texture, level);
  const auto blocks = [&](int size) { return (uint64_t(size) + block.edge - 1) / block.edge; };
  return blocks(extent.width) * blocks(extent.height) * uint64_t(extent.depth) * block.bytes;
}

uint64_t texture_bytes(const CapturedTexture& texture) {
  uint64_t sum = 0;
  for (int level = 0; level < texture.levels; level++) sum += level_bytes(texture, level);
  return sum;
}

}  // namespace brokkr
