// The content of a frame file, described once: bkf_reader.cpp, bkf_writer.cpp and validate.cpp use these lists. Version
// 2 added the parts about programs here, and all of bkf_programs.h. Version 3 added vertex programs and SPIR-V.
//
// A list calls its visitor for each key with the member that the key stands for:
//   required(key, member, limits)          the key must be there
//   field(key, member, limits)             a member whose key is missing or null keeps its default; always written
//   sparse(key, member, missing, limits)   the same, but it is not written if it equals `missing`
//   many(key, member)                      an array, which is not written if it is empty
//   clamped(key, member)                   a number, which is clamped to 0 .. 255
//   bits(key, member, names)               an array of the names of the bits that are set
//   constant(key, name)                    the key must be there with this value
//   target(key, member)                    a target: an id in the file, a number in a Frame
//   object(key, list)                      a nested object, which must be there; `list` visits its keys
//   has(key)                               returns true if the key exists; writers have all keys
// A member's type determines its form in the file. A std::optional may be absent; an enumerator is written as its name;
// a std::vector and a type with `as_list` are written as an array, and a type with `visit_fields` as an object.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "brokkr/frame.h"

namespace brokkr::bkf {

// The names of enumerators and flags in frame files.

// The names of an enumeration's values, in the order of the values.
constexpr std::string_view names_of(CompareFunc) {
  return "never, less, equal, lequal, greater, notequal, gequal, always";
}
constexpr std::string_view names_of(CullMode) { return "none, front, back, front_and_back"; }
constexpr std::string_view names_of(FrontFace) { return "ccw, cw"; }
constexpr std::string_view names_of(PolygonMode) { return "fill, line, point"; }
constexpr std::string_view names_of(Topology) {
  return "triangles, triangle_strip, triangle_fan, points, lines, line_strip, line_loop";
}
constexpr std::string_view names_of(ColorFormat) { return "rgba8, rgba8_srgb, rgba16f"; }
constexpr std::string_view names_of(BlendFactor) {
  return "zero, one, src_color, one_minus_src_color, dst_color, one_minus_dst_color, src_alpha, one_minus_src_alpha, "
         "dst_alpha, one_minus_dst_alpha, constant_color, one_minus_constant_color, constant_alpha, "
         "one_minus_constant_alpha, src_alpha_saturate, src1_color, one_minus_src1_color, src1_alpha, "
         "one_minus_src1_alpha";
}
constexpr std::string_view names_of(BlendEquation) { return "add, subtract, reverse_subtract, min, max"; }
constexpr std::string_view names_of(StencilOp) {
  return "keep, zero, replace, increment, decrement, invert, increment_wrap, decrement_wrap";
}
constexpr std::string_view names_of(LogicOp) {
  return "clear, and, and_reverse, copy, and_inverted, noop, xor, or, nor, equiv, invert, or_reverse, copy_inverted, "
         "or_inverted, nand, set";
}
enum class CommandType : uint8_t { draw, clear, blit, load, generate_mips, copy };
constexpr std::string_view names_of(CommandType) { return "draw, clear, blit, load, generate_mips, copy"; }
enum class PictureType : uint8_t { jpeg, png };
constexpr std::string_view names_of(PictureType) { return "jpeg, png"; }
constexpr std::string_view names_of(ShaderType) {
  return "float, vec2, vec3, vec4, int, ivec2, ivec3, ivec4, uint, uvec2, uvec3, uvec4, bool, bvec2, bvec3, bvec4, "
         "mat2, mat2x3, mat2x4, mat3x2, mat3, mat3x4, mat4x2, mat4x3, mat4";
}
constexpr std::string_view names_of(Interpolation) { return "smooth, flat, noperspective"; }
constexpr std::string_view names_of(TextureKind) {
  return "1d, 2d, 3d, cube, rectangle, 1d_array, 2d_array, cube_array, buffer, 2d_multisample";
}
constexpr std::string_view names_of(SampledType) { return "float, int, uint"; }
constexpr std::string_view names_of(EnvironmentMode) { return "modulate, replace, decal, blend, add, combine"; }
constexpr std::string_view names_of(CombineOp) {
  return "replace, modulate, add, add_signed, interpolate, subtract, dot3_rgb, dot3_rgba";
}
constexpr std::string_view names_of(CombineSource) {
  return "texture, constant, primary, previous, texture0, texture1, texture2, texture3, texture4, texture5, texture6, "
         "texture7";
}
constexpr std::string_view names_of(CombineOperand) { return "color, one_minus_color, alpha, one_minus_alpha"; }
constexpr std::string_view names_of(FogMode) { return "linear, exp, exp2"; }
constexpr std::string_view names_of(TexelFormat) {
  return "r8, rg8, rgba8, rgba8_srgb, r8_snorm, rg8_snorm, rgba8_snorm, r16, rg16, rgba16, r16_snorm, rg16_snorm, "
         "rgba16_snorm, r16f, rg16f, rgba16f, r32f, rg32f, rgba32f, r8i, rg8i, rgba8i, r16i, rg16i, rgba16i, r32i, "
         "rg32i, rgba32i, r8ui, rg8ui, rgba8ui, r16ui, rg16ui, rgba16ui, r32ui, rg32ui, rgba32ui, rgb10_a2, "
         "rgb10_a2ui, r11g11b10f, rgb9_e5, rgb565, rgb5_a1, rgba4, depth16, depth24, depth32f, stencil8, bc1, "
         "bc1_srgb, bc2, bc2_srgb, bc3, bc3_srgb, bc4, bc4_snorm, bc5, bc5_snorm, bc6h, bc6h_signed, bc7, bc7_srgb";
}
constexpr std::string_view names_of(TexelBase) {
  return "red, rg, rgb, rgba, alpha, luminance, luminance_alpha, intensity, depth, stencil";
}
constexpr std::string_view names_of(TargetPlane) {
  return "color0, color1, color2, color3, color4, color5, color6, color7, depth, stencil";
}
constexpr std::string_view names_of(TextureWrap) {
  return "repeat, mirrored_repeat, clamp_to_edge, clamp_to_border, clamp, mirror_clamp_to_edge";
}
constexpr std::string_view names_of(MipFilter) { return "none, nearest, linear"; }
constexpr std::string_view names_of(Swizzle) { return "r, g, b, a, 0, 1"; }
constexpr std::string_view names_of(DepthMode) { return "luminance, intensity, alpha, red"; }
// Names of the bits of DrawCommand::flags.
inline constexpr std::string_view kDrawFlags =
    "fragment-discard, fragment-depth, condition, clip-distance, multisample, depth-clamp, z-zero-to-one, "
    "origin-upper-left, provoking-first";

// The stored numbers of an attribute. Each becomes a 32-bit word of the attribute's own type when it is read;
// normalized integers become 0 .. 1, or -1 .. 1 if they are signed.
enum class AttributeType : uint8_t { f32, f16, u32, i32, u16, i16, u8, i8 };
constexpr std::string_view names_of(AttributeType) { return "f32, f16, u32, i32, u16, i16, u8, i8"; }

// Reasons in `skipped` that begin with this one count draws whose vertices are stored as the driver computed them,
// although the frame has vertex programs.
inline constexpr std::string_view kExpandedReason = "vertices as the driver computed them: ";

// Name number `index` of `names`; empty beyond the last one.
constexpr std::string_view name_at(std::string_view names, size_t index) {
  for (; index > 0; index--) names.remove_prefix(std::min(names.size(), names.substr(0, names.find(',')).size() + 2));
  return names.substr(0, names.find(','));
}

template <typename E>
constexpr std::string_view name_of(E value) {
  return name_at(names_of(value), size_t(value));
}

inline constexpr std::string_view kMagic = "BRKF";
// A file has the lowest version that holds its frame, so that older programs can read it: the first without programs
// and textures, the second without vertex programs and SPIR-V, the third without filters (bkf_filters.h).
inline constexpr uint32_t kPlainVersion = 1, kProgramVersion = 2, kVertexVersion = 3, kFilterVersion = 4;
inline constexpr uint32_t kVersion = kFilterVersion;
inline constexpr size_t kHeaderSize = 32;  // magic, version, three u64 lengths
inline constexpr size_t kAlignment = 16;   // alignment of every offset into the blob

// The limits of a number, and the remedy for a value outside of them.
struct Limits {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  const char* remedy = nullptr;
};

// Members that form one array in the file, and the array's name in messages.
template <typename... T>
struct List {
  const char* meaning;
  std::tuple<T&...> members;
};
template <typename... T>
List<T...> list(const char* meaning, T&... members) {
  return {meaning, {members...}};
}

// T or const T: readers modify the objects that they visit, and writers do not.
template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

auto as_list(Is<Rect> auto& r) { return list("an array of 4 integers", r.x, r.y, r.width, r.height); }
auto as_list(Is<glm::vec4> auto& vector) {
  return list("an array of 4 numbers", vector.x, vector.y, vector.z, vector.w);
}
auto as_list(Is<std::array<bool, 4>> auto& a) { return list("an array of 4 booleans", a[0], a[1], a[2], a[3]); }
auto as_list(Is<BlendTerm> auto& t) { return list("[source, destination, equation]", t.src, t.dst, t.equation); }
auto as_list(Is<TargetColor> auto& c) { return list("[format, base]", c.format, c.base); }
auto as_list(Is<BoundTexture> auto& b) { return list("[texture, sampler]", b.texture, b.sampler); }
auto as_list(Is<PolygonOffset> auto& o) { return list("an array of 2 numbers", o.factor, o.units); }

void visit_fields(auto& visitor, Is<DepthState> auto& depth) {
  visitor.field("test", depth.test);
  visitor.field("write", depth.write);
  visitor.field("func", depth.func);
}

template <typename V>
void visit_fields(V& visitor, Is<BlendState> auto& blend) {
  visitor.required("color", blend.color);
  if constexpr (V::kReads) blend.alpha = blend.color;
  visitor.field("alpha", blend.alpha);
  visitor.sparse("constant", blend.constant, glm::vec4(0.0f));
}

void visit_fields(auto& visitor, Is<AlphaTest> auto& test) {
  visitor.required("func", test.func);
  visitor.required("ref", test.ref);
}

template <typename V>
void visit_fields(V& visitor, Is<StencilState> auto& stencil) {
  visitor.field("func", stencil.func);
  visitor.clamped("ref", stencil.ref);
  visitor.field("mask", stencil.mask);
  visitor.field("writeMask", stencil.write_mask);
  // Early captures do not record stencil operations. Their draws behave as if the test passed and wrote nothing.
  if constexpr (V::kReads) {
    if (!visitor.has("ops")) stencil.func = CompareFunc::always;
  }
  visitor.field("ops", list("[fail, depth fail, pass]", stencil.stencil_fail, stencil.depth_fail, stencil.pass));
}

void visit_fields(auto& visitor, Is<DrawBuffer> auto& buffer) {
  visitor.required("plane", buffer.plane,
                   Limits{-1, int64_t(kMaxColorPlanes) - 1, "name a colour of the target, or -1"});
  visitor.field("blend", buffer.blend);
  visitor.field("colorMask", buffer.color_mask);
}

void visit_fields(auto& visitor, Is<State> auto& state) {
  visitor.required("viewport", state.viewport);
  visitor.field("depthRange", list("an array of 2 numbers", state.depth_near, state.depth_far));
  visitor.field("scissor", state.scissor);
  visitor.field("depth", state.depth);
  visitor.field("cull", state.cull);
  visitor.field("frontFace", state.front_face);
  visitor.field("polygonMode", state.polygon_mode);
  visitor.field("polygonOffset", state.polygon_offset);
  visitor.field("blend", state.blend);
  visitor.sparse("logicOp", state.logic_op, std::nullopt);
  visitor.field("colorMask", state.color_mask);
  visitor.field("alphaTest", state.alpha_test);
  visitor.field("stencil", state.stencil);
  visitor.many("buffers", state.buffers);
  visitor.sparse("framebufferSrgb", state.framebuffer_srgb, false);
  visitor.sparse("flatShading", state.flat_shading, false);
  visitor.sparse("pointSprites", state.point_sprites, false);
  visitor.sparse("coordReplace", state.coord_replace, 0, Limits{0, 255, "give a bit for each of 8 texture units"});
  visitor.sparse("pointOriginLow", state.point_origin_low, false);
  visitor.sparse("smoothLines", state.smooth_lines, false);
  visitor.sparse("lineWidth", state.line_width, 1.0f);
  visitor.sparse("pointSize", state.point_size, 1.0f);
  visitor.sparse("oneSample", state.one_sample, false);
  visitor.sparse("sampleShading", state.sample_shading, false);
  visitor.sparse("alphaToCoverage", state.alpha_to_coverage, false);
  visitor.sparse("alphaToOne", state.alpha_to_one, false);
  visitor.sparse("sampleMask", state.sample_mask, 0xff, Limits{0, 255, "give a bit for each of 8 samples"});
}

void visit_fields(auto& visitor, Is<Target> auto& target) {
  visitor.required("id", target.id);
  visitor.required("size", list("a size in pixels", target.width, target.height), Limits{1, kMaxTargetSize});
  visitor.sparse("layers", target.layers, 1, Limits{1, kMaxTargetLayers});
  visitor.sparse("format", target.format, ColorFormat::rgba8);
  visitor.many("colors", target.colors);
  visitor.sparse("depth", target.depth, std::nullopt);
  visitor.sparse("stencil", target.stencil, std::nullopt);
  visitor.sparse("coverageSamples", target.samples, 1, Limits{1, 8, "a pixel has 1, 2, 4 or 8 samples"});
  visitor.sparse("mirroredSamples", target.mirrored_samples, false);
}

void visit_fields(auto& visitor, Is<PlaneColor> auto& clear) {
  visitor.required("plane", clear.plane);
  visitor.required("color", clear.color);
}

void visit_fields(auto& visitor, Is<ClearCommand> auto& clear) {
  visitor.target("target", clear.target);
  visitor.sparse("color", clear.color, std::nullopt);
  visitor.sparse("depth", clear.depth, std::nullopt, Limits{0, 1, "clamp the depth"});
  visitor.sparse("stencil", clear.stencil, std::nullopt);
  visitor.sparse("scissor", clear.scissor, std::nullopt);
  visitor.many("otherColors", clear.other_colors);
}

void visit_fields(auto& visitor, Is<LoadCommand> auto& load) {
  visitor.target("target", load.target);
  visitor.required("plane", load.plane);
  visitor.required("texture", load.texture);
}

void visit_fields(auto& visitor, Is<GenerateMipsCommand> auto& generate) {
  visitor.required("texture", generate.texture);
}

template <typename V>
void visit_fields(V& visitor, Is<BlitCommand> auto& blit) {
  // Sums and differences of such coordinates fit in an int, and products of two of them in 32 bits.
  constexpr Limits kNear{-2 * kMaxTargetSize, 2 * kMaxTargetSize, "keep the rectangle near its target"};
  visitor.target("from", blit.from);
  visitor.target("to", blit.to);
  visitor.required("source", blit.source, kNear);
  visitor.required("destination", blit.destination, kNear);
  uint32_t planes = uint32_t(blit.color) | uint32_t(blit.depth) << 1 | uint32_t(blit.stencil) << 2;
  visitor.bits("planes", planes, "color, depth, stencil");
  if constexpr (V::kReads) {
    blit.color = planes & 1;
    blit.depth = planes & 2;
    blit.stencil = planes & 4;
  }
}

void visit_fields(auto& visitor, Is<CopyCommand> auto& copy) {
  constexpr Limits kNear{-2 * kMaxTargetSize, 2 * kMaxTargetSize, "keep the rectangle near its target"};
  visitor.target("from", copy.from);
  visitor.target("to", copy.to);
  visitor.required("fromPlane", copy.from_plane);
  visitor.required("toPlane", copy.to_plane);
  visitor.required("source", copy.source, kNear);
  visitor.required("destination", list("an array of 2 integers", copy.x, copy.y), kNear);
}

// A range of the blob: `count` elements from byte `offset` on.
struct Part {
  uint64_t offset = 0, count = 0;
};

void visit_part(auto& visitor, const char* key, const char* type, Is<Part> auto& part,
                const char* count_key = "count") {
  visitor.object(key, [&](auto& object) {
    object.constant("type", type);
    object.required("offset", part.offset);
    object.required(count_key, part.count, Limits{0, std::numeric_limits<uint32_t>::max()});
  });
}

// An attribute of a draw: an array in the blob, whose `data` counts numbers and not vertices.
struct FileAttribute {
  Part data;
  AttributeType type = AttributeType::f32;
  bool normalized = false;
  uint32_t divisor = 0;
};

void visit_fields(auto& visitor, Is<FileAttribute> auto& attribute) {
  visitor.required("offset", attribute.data.offset);
  visitor.required("type", attribute.type);
  visitor.required("count", attribute.data.count, Limits{0, std::numeric_limits<uint32_t>::max()});
  visitor.sparse("normalized", attribute.normalized, false);
  visitor.sparse("divisor", attribute.divisor, 0u);
}

// A draw as it is stored in the file: for one view, with vertices and indices in the blob, and with the inputs of its
// programs. If it has a vertex program, its positions and varyings may be left out.
struct FileDraw {
  DrawCommand command;
  uint32_t target = 0, layer = 0;
  Part positions, indices;
  bool has_positions = true, has_program = false, has_vertex_program = false;
  DrawInputs inputs;  // `first_of_blocks` holds byte offsets into the blob
  Part varyings, uniforms;
  VertexInputs vertices;  // the same
  Part vertex_uniforms;
  std::vector<FileAttribute> attributes;
};

template <typename V>
void visit_vertices(V& visitor, Is<FileDraw> auto& draw) {
  auto& inputs = draw.vertices;
  visitor.required("vertexProgram", inputs.program);
  visit_part(visitor, "vertexUniforms", "u32", draw.vertex_uniforms);
  visitor.many("vertexBlocks", inputs.first_of_blocks);
  visitor.many("vertexTextures", inputs.textures);
  visitor.many("attributes", draw.attributes);
  visitor.sparse("baseVertex", inputs.base_vertex, 0);
  visitor.sparse("baseInstance", inputs.base_instance, 0);
  visitor.sparse("drawNumber", inputs.draw, 0);
}

template <typename V>
void visit_fields(V& visitor, Is<FileDraw> auto& draw) {
  auto& command = draw.command;
  visitor.target("target", draw.target);
  visitor.sparse("layer", draw.layer, 0u, Limits{0, kMaxTargetLayers - 1});
  visitor.required("state", command.state);
  visitor.required("mode", command.topology);
  visitor.sparse("restart", command.restart, false);
  visitor.sparse("instances", command.instances, 1u, Limits{1, std::numeric_limits<uint32_t>::max()});
  visitor.field("label", command.label);
  if (V::kReads || command.flags != 0) visitor.bits("flags", command.flags, kDrawFlags);
  if constexpr (V::kReads) {
    draw.has_vertex_program = visitor.has("vertexProgram");
    draw.has_positions = !draw.has_vertex_program || visitor.has("position");
  }
  if (draw.has_positions) {
    visit_part(visitor, "position", "f32x4", draw.positions);
  } else {
    visitor.required("vertexCount", draw.positions.count, Limits{0, std::numeric_limits<uint32_t>::max()});
  }
  if (draw.has_vertex_program) visit_vertices(visitor, draw);
  if constexpr (V::kReads) command.indexed = visitor.has("indices");
  if (command.indexed) visit_part(visitor, "indices", "u32", draw.indices);
  if constexpr (V::kReads) draw.has_program = visitor.has("program");
  if (!draw.has_program) return;
  visitor.required("program", draw.inputs.program);
  if (draw.has_positions) visit_part(visitor, "varyings", "f32", draw.varyings);
  visit_part(visitor, "uniforms", "u32", draw.uniforms);
  visitor.many("blocks", draw.inputs.first_of_blocks);
  visitor.many("textures", draw.inputs.textures);
}

// A reference as it is stored in the file, with its pictures in the blob.
struct FileReference {
  uint32_t target = 0, before = 0;
  bool has_color = false, has_depth = false;
  PictureType picture = PictureType::png;
  Part color;
  uint64_t depth_offset = 0;
  int depth_width = 0, depth_height = 0;
};

template <typename V>
void visit_fields(V& visitor, Is<FileReference> auto& reference) {
  visitor.target("target", reference.target);
  visitor.required("before", reference.before);
  if constexpr (V::kReads) {
    reference.has_color = visitor.has("color");
    reference.has_depth = visitor.has("depth");
  }
  if (reference.has_color) {
    visitor.object("color", [&](auto& color) {
      color.required("type", reference.picture);
      color.required("offset", reference.color.offset);
      color.required("size", reference.color.count, Limits{0, std::numeric_limits<uint32_t>::max()});
    });
  }
  if (!reference.has_depth) return;
  visitor.object("depth", [&](auto& depth) {
    depth.constant("type", "f32");
    if (depth.has("origin")) depth.constant("origin", "bottom-left");
    depth.required("size", list("a size in pixels", reference.depth_width, reference.depth_height),
                   Limits{1, kMaxTargetSize});
    depth.required("offset", reference.depth_offset);
  });
}

// The fields of the file that describe the frame as a whole.
void visit_fields(auto& visitor, Is<Frame> auto& frame) {
  if (visitor.has("asset")) {
    visitor.object("asset", [&](auto& asset) {
      asset.field("application", frame.application);
      asset.field("generator", frame.generator);
      asset.field("license", frame.license);
      asset.field("frame", frame.frame_number);
    });
  }
  visitor.field("window", list("a size in pixels", frame.window_width, frame.window_height), Limits{0, kMaxTargetSize});
  if (!visitor.has("skipped")) return;
  visitor.object("skipped", [&](auto& skipped) {
    skipped.field("draws", frame.skipped_draws);
    skipped.field("triangles", frame.skipped_triangles);
    skipped.field("reasons", frame.skipped_reasons);
  });
}

}  // namespace brokkr::bkf
