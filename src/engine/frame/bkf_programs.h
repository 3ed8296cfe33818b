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

void visit_fields(auto& v, Is<ProgramVarying> auto& varying) {
  v.required("name", varying.name);
  v.required("type", varying.type);
  v.sparse("count", varying.count, 1u, kElements);
  v.required("offset", varying.offset, Limits{0, kMaxElements, "keep varyings together"});
  v.sparse("interpolation", varying.interpolation, Interpolation::smooth);
  v.sparse("centroid", varying.centroid, false);
  v.sparse("sample", varying.sample, false);
}

void visit_fields(auto& v, Is<ProgramUniform> auto& uniform) {
  v.required("name", uniform.name);
  v.required("type", uniform.type);
  v.sparse("count", uniform.count, 1u, kElements);
  v.sparse("block", uniform.block, -1);
  v.required("offset", uniform.offset, kBytes);
  v.sparse("arrayStride", uniform.array_stride, 0u, kBytes);
  v.sparse("matrixStride", uniform.matrix_stride, 0u, kBytes);
  v.sparse("rowMajor", uniform.row_major, false);
}

void visit_fields(auto& v, Is<ProgramBlock> auto& block) {
  v.required("name", block.name);
  v.required("size", block.size, kBytes);
}

void visit_fields(auto& v, Is<ProgramSampler> auto& sampler) {
  v.required("name", sampler.name);
  v.required("kind", sampler.kind);
  v.sparse("type", sampler.type, SampledType::real);
  v.sparse("shadow", sampler.shadow, false);
  v.sparse("count", sampler.count, 1u, kElements);
}

void visit_fields(auto& v, Is<ProgramOutput> auto& output) {
  v.required("name", output.name);
  v.required("type", output.type);
  v.sparse("count", output.count, 1u, kElements);
  v.required("location", output.location);
  v.sparse("index", output.index, 0u);
}

void visit_fields(auto& v, Is<CombineTerm> auto& term) {
  v.required("op", term.op);
  v.required("sources", term.sources);
  v.required("operands", term.operands);
  v.sparse("scale", term.scale, 1.0f);
}

void visit_fields(auto& v, Is<TextureUnit> auto& unit) {
  v.required("unit", unit.unit);
  v.required("mode", unit.mode);
  v.sparse("color", unit.color, glm::vec4(0.0f));
  v.sparse("rgb", unit.rgb, CombineTerm{});
  v.sparse("alpha", unit.alpha, CombineTerm{});
}

void visit_fields(auto& v, Is<Fog> auto& fog) {
  v.required("mode", fog.mode);
  v.required("color", fog.color);
  v.sparse("density", fog.density, 1.0f);
  v.sparse("start", fog.start, 0.0f);
  v.sparse("end", fog.end, 1.0f);
}

void visit_fields(auto& v, Is<FixedFunction> auto& fixed) {
  v.many("units", fixed.units);
  v.sparse("separateSpecular", fixed.separate_specular, false);
  v.sparse("fog", fixed.fog, std::nullopt);
}

void visit_fields(auto& v, Is<FragmentProgram> auto& program) {
  v.many("fragment", program.texts);
  v.sparse("version", program.version, 110);
  v.many("varyings", program.varyings);
  v.many("uniforms", program.uniforms);
  v.many("blocks", program.blocks);
  v.many("samplers", program.samplers);
  v.many("outputs", program.outputs);
  v.sparse("fixedFunction", program.fixed, std::nullopt);
}

void visit_fields(auto& v, Is<VertexAttribute> auto& attribute) {
  v.required("name", attribute.name);
  v.required("type", attribute.type);
}

void visit_fields(auto& v, Is<VertexProgram> auto& program) {
  v.many("vertex", program.texts);
  v.sparse("version", program.version, 110);
  v.many("attributes", program.attributes);
  v.many("uniforms", program.uniforms);
  v.many("blocks", program.blocks);
  v.many("samplers", program.samplers);
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
void visit_fields(V& v, File& file) {
  visit_fields(v, file.program);
  if constexpr (V::kReads) file.has_module = v.has("spirv");
  if (file.has_module) visit_part(v, "spirv", "u32", file.module);
}

void visit_fields(auto& v, Is<TextureImage> auto& image) {
  v.required("level", image.level);
  v.required("layer", image.layer);
  v.target("target", image.target);
  v.required("plane", image.plane);
}

// A texture as it is stored in the file, with its texels in the blob.
struct FileTexture {
  CapturedTexture texture;
  Part data;  // bytes
};

void visit_fields(auto& v, Is<CapturedTexture> auto& texture) {
  v.sparse("label", texture.label, "");
  v.required("kind", texture.kind);
  v.required("format", texture.format);
  v.sparse("base", texture.base, TexelBase::rgba);
  v.required("size", list("an array of 3 integers", texture.width, texture.height, texture.depth),
             Limits{1, 1 << 27, "give each side at least one texel"});
  v.sparse("levels", texture.levels, 1, Limits{1, 28, "a texture has 1 to 28 levels"});
  v.many("images", texture.images);
}

template <typename V>
void visit_fields(V& v, Is<FileTexture> auto& file) {
  visit_fields(v, file.texture);
  if constexpr (V::kReads) file.texture.stored = v.has("data");
  if (file.texture.stored) visit_part(v, "data", "u8", file.data, "size");
}

void visit_fields(auto& v, Is<CapturedSampler> auto& sampler) {
  v.sparse("magnifyLinear", sampler.magnify_linear, true);
  v.sparse("minifyLinear", sampler.minify_linear, true);
  v.sparse("mip", sampler.mip, MipFilter::linear);
  v.field("wrap", sampler.wrap);
  v.sparse("minLod", sampler.lod_min, -1000.0f);
  v.sparse("maxLod", sampler.lod_max, 1000.0f);
  v.sparse("lodBias", sampler.lod_bias, 0.0f);
  v.sparse("anisotropy", sampler.anisotropy, 1.0f);
  v.sparse("border", sampler.border, glm::vec4(0.0f));
  v.sparse("compare", sampler.compare, std::nullopt);
  v.sparse("srgbDecode", sampler.srgb_decode, true);
  v.sparse("seamless", sampler.seamless, false);
  v.sparse("baseLevel", sampler.base_level, 0, Limits{0, 1000, "name a level"});
  v.sparse("maxLevel", sampler.max_level, 1000, Limits{0, 1000, "name a level"});
  v.field("swizzle", sampler.swizzle);
  v.sparse("depthMode", sampler.depth_mode, DepthMode::red);
}

}  // namespace brokkr::bkf
