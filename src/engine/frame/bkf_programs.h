// Programs and textures in a frame file of version 2 or 3. bkf_fields.h explains the lists.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/programs.h"
#include "frame/bkf_fields.h"

namespace brokkr {

// The amount of data that each draw must provide for its program. It is computed once per program, because a file of a
// kilobyte can have a million uniforms that a hundred thousand draws use.
struct ProgramNeeds {
  uint64_t varying_components = 0;  // per vertex
  uint64_t uniform_words = 0;       // in the default block
  uint64_t textures = 0;
};

inline std::vector<ProgramNeeds> program_sizes(const Frame& frame) {
  std::vector<ProgramNeeds> sizes;
  for (const FragmentProgram& program : frame.programs)
    sizes.push_back({varying_components(program), uniform_words(program), bound_textures(program)});
  return sizes;
}

// The sizes of vertex programs, which have no varyings.
inline std::vector<ProgramNeeds> vertex_program_sizes(const Frame& frame) {
  std::vector<ProgramNeeds> sizes;
  for (const VertexProgram& program : frame.vertex_programs)
    sizes.push_back({0, uniform_words(program), bound_textures(program)});
  return sizes;
}

}  // namespace brokkr

namespace brokkr::bkf {

inline constexpr int64_t kMaxElements = 1 << 20;  // limit of an array in a shader
inline constexpr Limits kElements{1, kMaxElements, "use an array of 1 to 1048576 elements"};
inline constexpr int64_t kMaxBytes = 1 << 26;  // limit of a uniform block or of the default block
inline constexpr Limits kBytes{0, kMaxBytes, "keep blocks of uniforms below 64 MiB"};

auto as_list(Is<std::array<CombineSource, 3>> auto& a) { return list("an array of 3 sources", a[0], a[1], a[2]); }
auto as_list(Is<std::array<CombineOperand, 3>> auto& a) { return list("an array of 3 operands", a[0], a[1], a[2]); }
auto as_list(Is<std::array<TextureWrap, 3>> auto& a) { return list("an array of 3 wraps", a[0], a[1], a[2]); }
auto as_list(Is<std::array<Swizzle, 4>> auto& a) { return list("an array of 4 channels", a[0], a[1], a[2], a[3]); }

void visit_fields(auto& visitor, Is<ProgramVarying> auto& varying) {
  visitor.required("name", varying.name);
  visitor.required("type", varying.type);
  visitor.sparse("count", varying.count, 1u, kElements);
  visitor.required("offset", varying.offset, Limits{0, kMaxElements, "keep varyings together"});
  visitor.sparse("interpolation", varying.interpolation, Interpolation::smooth);
  visitor.sparse("centroid", varying.centroid, false);
  visitor.sparse("sample", varying.sample, false);
}

void visit_fields(auto& visitor, Is<ProgramUniform> auto& uniform) {
  visitor.required("name", uniform.name);
  visitor.required("type", uniform.type);
  visitor.sparse("count", uniform.count, 1u, kElements);
  visitor.sparse("block", uniform.block, -1);
  visitor.required("offset", uniform.offset, kBytes);
  visitor.sparse("arrayStride", uniform.array_stride, 0u, kBytes);
  visitor.sparse("matrixStride", uniform.matrix_stride, 0u, kBytes);
  visitor.sparse("rowMajor", uniform.row_major, false);
}

void visit_fields(auto& visitor, Is<ProgramBlock> auto& block) {
  visitor.required("name", block.name);
  visitor.required("size", block.size, kBytes);
}

void visit_fields(auto& visitor, Is<ProgramSampler> auto& sampler) {
  visitor.required("name", sampler.name);
  visitor.required("kind", sampler.kind);
  visitor.sparse("type", sampler.type, SampledType::real);
  visitor.sparse("shadow", sampler.shadow, false);
  visitor.sparse("count", sampler.count, 1u, kElements);
}

void visit_fields(auto& visitor, Is<ProgramOutput> auto& output) {
  visitor.required("name", output.name);
  visitor.required("type", output.type);
  visitor.sparse("count", output.count, 1u, kElements);
  visitor.required("location", output.location);
  visitor.sparse("index", output.index, 0u);
}

void visit_fields(auto& visitor, Is<CombineTerm> auto& term) {
  visitor.required("op", term.op);
  visitor.required("sources", term.sources);
  visitor.required("operands", term.operands);
  visitor.sparse("scale", term.scale, 1.0f);
}

void visit_fields(auto& visitor, Is<TextureUnit> auto& unit) {
  visitor.required("unit", unit.unit);
  visitor.required("mode", unit.mode);
  visitor.sparse("color", unit.color, glm::vec4(0.0f));
  visitor.sparse("rgb", unit.rgb, CombineTerm{});
  visitor.sparse("alpha", unit.alpha, CombineTerm{});
}

void visit_fields(auto& visitor, Is<Fog> auto& fog) {
  visitor.required("mode", fog.mode);
  visitor.required("color", fog.color);
  visitor.sparse("density", fog.density, 1.0f);
  visitor.sparse("start", fog.start, 0.0f);
  visitor.sparse("end", fog.end, 1.0f);
}

void visit_fields(auto& visitor, Is<FixedFunction> auto& fixed) {
  visitor.many("units", fixed.units);
  visitor.sparse("separateSpecular", fixed.separate_specular, false);
  visitor.sparse("fog", fixed.fog, std::nullopt);
}

void visit_fields(auto& visitor, Is<FragmentProgram> auto& program) {
  visitor.many("fragment", program.texts);
  visitor.sparse("version", program.version, 110);
  visitor.many("varyings", program.varyings);
  visitor.many("uniforms", program.uniforms);
  visitor.many("blocks", program.blocks);
  visitor.many("samplers", program.samplers);
  visitor.many("outputs", program.outputs);
  visitor.sparse("fixedFunction", program.fixed, std::nullopt);
}

void visit_fields(auto& visitor, Is<VertexAttribute> auto& attribute) {
  visitor.required("name", attribute.name);
  visitor.required("type", attribute.type);
}

void visit_fields(auto& visitor, Is<VertexProgram> auto& program) {
  visitor.many("vertex", program.texts);
  visitor.sparse("version", program.version, 110);
  visitor.many("attributes", program.attributes);
  visitor.many("uniforms", program.uniforms);
  visitor.many("blocks", program.blocks);
  visitor.many("samplers", program.samplers);
}

// A program as it is stored in the file. A SPIR-V module, which is the only text of its program, is in the blob.
template <class Program>
struct FileProgram {
  Program program;
  bool has_module = false;
  Part module;  // words
};

inline constexpr uint32_t kModuleMagic = 0x07230203;  // the first word of a SPIR-V module

template <class Program>
bool is_module(const Program& program) {
  uint32_t word = 0;
  if (program.texts.size() != 1 || program.texts[0].size() < sizeof(word)) return false;
  std::memcpy(&word, program.texts[0].data(), sizeof(word));
  return word == kModuleMagic;
}

template <typename V, typename File>
requires Is<File, FileProgram<FragmentProgram>> || Is<File, FileProgram<VertexProgram>>
void visit_fields(V& visitor, File& file) {
  visit_fields(visitor, file.program);
  if constexpr (V::kReads) file.has_module = visitor.has("spirv");
  if (file.has_module) visit_part(visitor, "spirv", "u32", file.module);
}

void visit_fields(auto& visitor, Is<TextureImage> auto& image) {
  visitor.required("level", image.level);
  visitor.required("layer", image.layer);
  visitor.target("target", image.target);
  visitor.required("plane", image.plane);
}

// A texture as it is stored in the file, with its texels in the blob.
struct FileTexture {
  CapturedTexture texture;
  Part data;  // bytes
};

void visit_fields(auto& visitor, Is<CapturedTexture> auto& texture) {
  visitor.sparse("label", texture.label, "");
  visitor.required("kind", texture.kind);
  visitor.required("format", texture.format);
  visitor.sparse("base", texture.base, TexelBase::rgba);
  visitor.required("size", list("an array of 3 integers", texture.width, texture.height, texture.depth),
                   Limits{1, 1 << 27, "give each side at least one texel"});
  visitor.sparse("levels", texture.levels, 1, Limits{1, 28, "a texture has 1 to 28 levels"});
  visitor.many("images", texture.images);
}

template <typename V>
void visit_fields(V& visitor, Is<FileTexture> auto& file) {
  visit_fields(visitor, file.texture);
  if constexpr (V::kReads) file.texture.stored = visitor.has("data");
  if (file.texture.stored) visit_part(visitor, "data", "u8", file.data, "size");
}

void visit_fields(auto& visitor, Is<CapturedSampler> auto& sampler) {
  visitor.sparse("magnifyLinear", sampler.magnify_linear, true);
  visitor.sparse("minifyLinear", sampler.minify_linear, true);
  visitor.sparse("mip", sampler.mip, MipFilter::linear);
  visitor.field("wrap", sampler.wrap);
  visitor.sparse("minLod", sampler.lod_min, -1000.0f);
  visitor.sparse("maxLod", sampler.lod_max, 1000.0f);
  visitor.sparse("lodBias", sampler.lod_bias, 0.0f);
  visitor.sparse("anisotropy", sampler.anisotropy, 1.0f);
  visitor.sparse("border", sampler.border, glm::vec4(0.0f));
  visitor.sparse("compare", sampler.compare, std::nullopt);
  visitor.sparse("srgbDecode", sampler.srgb_decode, true);
  visitor.sparse("seamless", sampler.seamless, false);
  visitor.sparse("baseLevel", sampler.base_level, 0, Limits{0, 1000, "name a level"});
  visitor.sparse("maxLevel", sampler.max_level, 1000, Limits{0, 1000, "name a level"});
  visitor.field("swizzle", sampler.swizzle);
  visitor.sparse("depthMode", sampler.depth_mode, DepthMode::red);
}

}  // namespace brokkr::bkf
