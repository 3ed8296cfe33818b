// What a frame file holds (version 1), described once: bkf_reader.cpp reads by these lists, bkf_writer.cpp writes by
// them, and validate.cpp checks targets, states, clears and blits by them.
//
// A list calls its visitor for each key with the member that the key stands for:
//   required(key, member, limits)          the key must be there
//   field(key, member, limits)             a member whose key is missing or null keeps its default; always written
//   sparse(key, member, missing, limits)   the same, but not written where it equals `missing`
//   clamped(key, member)                   a number of which only 0 .. 255 is kept, the nearest one
//   bits(key, member, names)               an array of the names of those bits that are set
//   constant(key, name)                    must be there as it is
//   target(key, member)                    a target: by its id in the file, by its number in a Frame
//   object(key, list)                      an object of its own, which must be there and whose keys `list` visits
//   has(key)                               whether there is such a key; writers have all of them
// How a member stands in the file follows from its type: a std::optional may be missing, an enumerator stands by its
// name, a type with `as_list` as an array, and one with `visit_fields` as an object.
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

inline constexpr std::string_view kMagic = "BRKF";
inline constexpr uint32_t kVersion = 1;
inline constexpr size_t kHeaderSize = 32;  // magic, version, three u64 lengths
inline constexpr size_t kAlignment = 16;   // of every offset into the blob

// The names of an enumeration's values, in their order.
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
         "one_minus_constant_alpha, src_alpha_saturate";
}
constexpr std::string_view names_of(BlendEquation) { return "add, subtract, reverse_subtract, min, max"; }
constexpr std::string_view names_of(StencilOp) {
  return "keep, zero, replace, increment, decrement, invert, increment_wrap, decrement_wrap";
}
enum class CommandType : uint8_t { draw, clear, blit };
constexpr std::string_view names_of(CommandType) { return "draw, clear, blit"; }
// Of the bits of DrawCommand::flags.
inline constexpr std::string_view kDrawFlags =
    "fragment-discard, fragment-depth, condition, clip-distance, multisample, depth-clamp, z-zero-to-one, "
    "origin-upper-left, provoking-first";

// Name number `index` of `names`; empty beyond the last.
constexpr std::string_view name_at(std::string_view names, size_t index) {
  for (; index > 0; index--) names.remove_prefix(std::min(names.size(), names.substr(0, names.find(',')).size() + 2));
  return names.substr(0, names.find(','));
}

template <typename E>
constexpr std::string_view name_of(E value) {
  return name_at(names_of(value), size_t(value));
}

// Limits of a number, and what to do about one beyond them.
struct Limits {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  const char* remedy = nullptr;
};

// Members that make up one array of the file, and what messages call such an array.
template <typename... T>
struct List {
  const char* meaning;
  std::tuple<T&...> members;
};
template <typename... T>
List<T...> list(const char* meaning, T&... members) {
  return {meaning, {members...}};
}

// T or const T: readers change what they visit, writers do not.
template <typename T, typename Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

auto as_list(Is<Rect> auto& r) { return list("an array of 4 integers", r.x, r.y, r.width, r.height); }
auto as_list(Is<glm::vec4> auto& v) { return list("an array of 4 numbers", v.x, v.y, v.z, v.w); }
auto as_list(Is<std::array<bool, 4>> auto& a) { return list("an array of 4 booleans", a[0], a[1], a[2], a[3]); }
auto as_list(Is<BlendTerm> auto& t) { return list("[source, destination, equation]", t.src, t.dst, t.equation); }
auto as_list(Is<PolygonOffset> auto& o) { return list("an array of 2 numbers", o.factor, o.units); }

void visit_fields(auto& v, Is<DepthState> auto& depth) {
  v.field("test", depth.test);
  v.field("write", depth.write);
  v.field("func", depth.func);
}

template <typename V>
void visit_fields(V& v, Is<BlendState> auto& blend) {
  v.required("color", blend.color);
  if constexpr (V::kReads) blend.alpha = blend.color;
  v.field("alpha", blend.alpha);
  v.sparse("constant", blend.constant, glm::vec4(0.0f));
}

void visit_fields(auto& v, Is<AlphaTest> auto& test) {
  v.required("func", test.func);
  v.required("ref", test.ref);
}

template <typename V>
void visit_fields(V& v, Is<StencilState> auto& stencil) {
  v.field("func", stencil.func);
  v.clamped("ref", stencil.ref);
  v.field("mask", stencil.mask);
  v.field("writeMask", stencil.write_mask);
  // The first captured frames do not say what a draw did to the stencil buffer: they are drawn as if the test passed
  // and nothing were written.
  if constexpr (V::kReads) {
    if (!v.has("ops")) stencil.func = CompareFunc::always;
  }
  v.field("ops", list("[fail, depth fail, pass]", stencil.stencil_fail, stencil.depth_fail, stencil.pass));
}

void visit_fields(auto& v, Is<State> auto& state) {
  v.required("viewport", state.viewport);
  v.field("depthRange", list("an array of 2 numbers", state.depth_near, state.depth_far));
  v.field("scissor", state.scissor);
  v.field("depth", state.depth);
  v.field("cull", state.cull);
  v.field("frontFace", state.front_face);
  v.field("polygonMode", state.polygon_mode);
  v.field("polygonOffset", state.polygon_offset);
  v.field("blend", state.blend);
  v.field("colorMask", state.color_mask);
  v.field("alphaTest", state.alpha_test);
  v.field("stencil", state.stencil);
}

void visit_fields(auto& v, Is<Target> auto& target) {
  v.required("id", target.id);
  v.required("size", list("a size in pixels", target.width, target.height), Limits{1, kMaxTargetSize});
  v.sparse("layers", target.layers, 1, Limits{1, kMaxTargetLayers});
  v.sparse("format", target.format, ColorFormat::rgba8);
}

void visit_fields(auto& v, Is<ClearCommand> auto& clear) {
  v.target("target", clear.target);
  v.sparse("color", clear.color, std::nullopt);
  v.sparse("depth", clear.depth, std::nullopt, Limits{0, 1, "clamp the depth"});
  v.sparse("stencil", clear.stencil, std::nullopt);
  v.sparse("scissor", clear.scissor, std::nullopt);
}

template <typename V>
void visit_fields(V& v, Is<BlitCommand> auto& blit) {
  // Sums and differences of such coordinates fit an int, and products of two of them 32 bits.
  constexpr Limits kNear{-2 * kMaxTargetSize, 2 * kMaxTargetSize, "keep the rectangle near its target"};
  v.target("from", blit.from);
  v.target("to", blit.to);
  v.required("source", blit.source, kNear);
  v.required("destination", blit.destination, kNear);
  uint32_t planes = uint32_t(blit.color) | uint32_t(blit.depth) << 1 | uint32_t(blit.stencil) << 2;
  v.bits("planes", planes, "color, depth, stencil");
  if constexpr (V::kReads) {
    blit.color = planes & 1;
    blit.depth = planes & 2;
    blit.stencil = planes & 4;
  }
}

// A part of the blob: `count` elements from byte `offset` on.
struct Part {
  uint64_t offset = 0, count = 0;
};

void visit_part(auto& v, const char* key, const char* type, Is<Part> auto& part, const char* count_key = "count") {
  v.object(key, [&](auto& object) {
    object.constant("type", type);
    object.required("offset", part.offset);
    object.required(count_key, part.count, Limits{0, std::numeric_limits<uint32_t>::max()});
  });
}

// A draw as the file has it: into one view, with its vertices and indices in the blob.
struct FileDraw {
  DrawCommand command;
  uint32_t target = 0, layer = 0;
  Part positions, indices;
};

template <typename V>
void visit_fields(V& v, Is<FileDraw> auto& draw) {
  auto& command = draw.command;
  v.target("target", draw.target);
  v.sparse("layer", draw.layer, 0u, Limits{0, kMaxTargetLayers - 1});
  v.required("state", command.state);
  v.required("mode", command.topology);
  v.sparse("restart", command.restart, false);
  v.sparse("instances", command.instances, 1u, Limits{1, std::numeric_limits<uint32_t>::max()});
  v.field("label", command.label);
  if (V::kReads || command.flags != 0) v.bits("flags", command.flags, kDrawFlags);
  visit_part(v, "position", "f32x4", draw.positions);
  if constexpr (V::kReads) command.indexed = v.has("indices");
  if (command.indexed) visit_part(v, "indices", "u32", draw.indices);
}

// A reference as the file has it, with its pictures in the blob.
struct FileReference {
  uint32_t target = 0, before = 0;
  bool has_color = false, has_depth = false;
  Part color;
  uint64_t depth_offset = 0;
  int depth_width = 0, depth_height = 0;
};

template <typename V>
void visit_fields(V& v, Is<FileReference> auto& reference) {
  v.target("target", reference.target);
  v.required("before", reference.before);
  if constexpr (V::kReads) {
    reference.has_color = v.has("color");
    reference.has_depth = v.has("depth");
  }
  if (reference.has_color) visit_part(v, "color", "jpeg", reference.color, "size");
  if (!reference.has_depth) return;
  v.object("depth", [&](auto& depth) {
    depth.constant("type", "f32");
    if (depth.has("origin")) depth.constant("origin", "bottom-left");
    depth.required("size", list("a size in pixels", reference.depth_width, reference.depth_height),
                   Limits{1, kMaxTargetSize});
    depth.required("offset", reference.depth_offset);
  });
}

// What the file says about the frame as a whole.
void visit_fields(auto& v, Is<Frame> auto& frame) {
  if (v.has("asset")) {
    v.object("asset", [&](auto& asset) {
      asset.field("application", frame.application);
      asset.field("generator", frame.generator);
      asset.field("license", frame.license);
      asset.field("frame", frame.frame_number);
    });
  }
  v.field("window", list("a size in pixels", frame.window_width, frame.window_height), Limits{0, kMaxTargetSize});
  if (!v.has("skipped")) return;
  v.object("skipped", [&](auto& skipped) {
    skipped.field("draws", frame.skipped_draws);
    skipped.field("triangles", frame.skipped_triangles);
    skipped.field("reasons", frame.skipped_reasons);
  });
}

}  // namespace brokkr::bkf
