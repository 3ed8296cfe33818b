#include "scene/bkf_state.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scene/bkf_format.h"

namespace brokkr::bkf {
namespace {

using nlohmann::json;

// OpenGL's masks and values have 32 bits, of which an 8-bit stencil buffer uses the low 8.
uint8_t read_stencil_bits(const JsonObject& object, const char* key, uint8_t missing) {
  return uint8_t(object.integer_or(key, INT32_MIN, UINT32_MAX, missing) & 0xff);
}

DepthState read_depth(const JsonObject& object) {
  DepthState depth;
  depth.test = object.boolean_or("test", depth.test);
  depth.write = object.boolean_or("write", depth.write);
  depth.func = object.name_or("func", kCompareFuncs, depth.func);
  return depth;
}

BlendTerm read_blend_term(const JsonObject& object, const char* key) {
  const json& list = object.array(key);
  if (list.size() != 3) object.fail(key, "it is not [source, destination, equation]", "capture the frame again");
  return {BlendFactor(object.find(key, list[0], kBlendFactors)), BlendFactor(object.find(key, list[1], kBlendFactors)),
          BlendEquation(object.find(key, list[2], kBlendEquations))};
}

json write_blend_term(const BlendTerm& term) {
  return {name_of(kBlendFactors, term.src), name_of(kBlendFactors, term.dst), name_of(kBlendEquations, term.equation)};
}

BlendState read_blend(const JsonObject& object) {
  BlendState blend;
  blend.color = read_blend_term(object, "color");
  blend.alpha = object.has("alpha") ? read_blend_term(object, "alpha") : blend.color;
  if (object.has("constant")) object.numbers("constant", std::span<float>(&blend.constant[0], 4));
  return blend;
}

StencilState read_stencil(const JsonObject& object) {
  StencilState stencil;
  stencil.func = object.name_or("func", kCompareFuncs, stencil.func);
  // OpenGL clamps the reference value; it masks the masks.
  stencil.ref = uint8_t(std::clamp<int64_t>(object.integer_or("ref", INT32_MIN, UINT32_MAX, 0), 0, 255));
  stencil.mask = read_stencil_bits(object, "mask", stencil.mask);
  stencil.write_mask = read_stencil_bits(object, "writeMask", stencil.write_mask);
  if (object.has("ops")) {
    const json& ops = object.array("ops");
    if (ops.size() != 3) object.fail("ops", "it is not [fail, depth fail, pass]", "capture the frame again");
    stencil.stencil_fail = StencilOp(object.find("ops", ops[0], kStencilOps));
    stencil.depth_fail = StencilOp(object.find("ops", ops[1], kStencilOps));
    stencil.pass = StencilOp(object.find("ops", ops[2], kStencilOps));
  } else {
    // The first captured frames do not say what a draw did to the stencil buffer: they are drawn as if the test passed
    // and nothing were written.
    stencil.func = CompareFunc::always;
  }
  return stencil;
}

std::array<bool, 4> read_color_mask(const JsonObject& object) {
  const json& list = object.array("colorMask");
  std::array<bool, 4> mask{};
  bool valid = list.size() == mask.size();
  for (size_t i = 0; valid && i < mask.size(); i++) {
    valid = list[i].is_boolean();
    mask[i] = valid && list[i].get<bool>();
  }
  if (!valid) object.fail("colorMask", "it is not an array of 4 booleans", "capture the frame again");
  return mask;
}

}  // namespace

State read_state(const JsonObject& object) {
  State state;
  object.numbers("viewport", std::span<float>(&state.viewport[0], 4));
  if (object.has("depthRange")) {
    std::array<float, 2> range;
    object.numbers("depthRange", range);
    state.depth_near = range[0];
    state.depth_far = range[1];
  }
  if (object.has("scissor")) state.scissor = read_scissor(object, "scissor");
  if (object.has("depth")) state.depth = read_depth(object.object("depth"));
  state.cull = object.name_or("cull", kCullModes, state.cull);
  state.front_face = object.name_or("frontFace", kFrontFaces, state.front_face);
  state.polygon_mode = object.name_or("polygonMode", kPolygonModes, state.polygon_mode);
  if (object.has("polygonOffset")) {
    std::array<float, 2> offset;
    object.numbers("polygonOffset", offset);
    state.polygon_offset = PolygonOffset{offset[0], offset[1]};
  }
  if (object.has("blend")) state.blend = read_blend(object.object("blend"));
  if (object.has("colorMask")) state.color_mask = read_color_mask(object);
  if (object.has("alphaTest")) {
    const JsonObject test = object.object("alphaTest");
    state.alpha_test = AlphaTest{test.name<CompareFunc>("func", kCompareFuncs), test.number("ref")};
  }
  if (object.has("stencil")) state.stencil = read_stencil(object.object("stencil"));
  return state;
}

json write_state(const State& state) {
  json result = {
      {"viewport", {state.viewport.x, state.viewport.y, state.viewport.z, state.viewport.w}},
      {"depthRange", {state.depth_near, state.depth_far}},
      {"scissor", nullptr},
      {"depth",
       {{"test", state.depth.test}, {"write", state.depth.write}, {"func", name_of(kCompareFuncs, state.depth.func)}}},
      {"cull", name_of(kCullModes, state.cull)},
      {"frontFace", name_of(kFrontFaces, state.front_face)},
      {"polygonMode", name_of(kPolygonModes, state.polygon_mode)},
      {"polygonOffset", nullptr},
      {"blend", nullptr},
      {"colorMask", state.color_mask},
      {"alphaTest", nullptr},
      {"stencil", nullptr},
  };
  if (state.scissor) result["scissor"] = write_rect(*state.scissor);
  if (state.polygon_offset) result["polygonOffset"] = {state.polygon_offset->factor, state.polygon_offset->units};
  if (state.blend) {
    const BlendState& blend = *state.blend;
    result["blend"] = {{"color", write_blend_term(blend.color)}, {"alpha", write_blend_term(blend.alpha)}};
    if (blend.constant != glm::vec4(0.0f)) {
      result["blend"]["constant"] = {blend.constant.x, blend.constant.y, blend.constant.z, blend.constant.w};
    }
  }
  if (state.alpha_test) {
    result["alphaTest"] = {{"func", name_of(kCompareFuncs, state.alpha_test->func)}, {"ref", state.alpha_test->ref}};
  }
  if (state.stencil) {
    const StencilState& stencil = *state.stencil;
    result["stencil"] = {{"func", name_of(kCompareFuncs, stencil.func)},
                         {"ref", stencil.ref},
                         {"mask", stencil.mask},
                         {"writeMask", stencil.write_mask},
                         {"ops",
                          {name_of(kStencilOps, stencil.stencil_fail), name_of(kStencilOps, stencil.depth_fail),
                           name_of(kStencilOps, stencil.pass)}}};
  }
  return result;
}

Rect read_rect(const JsonObject& object, const char* key) {
  const std::array<int64_t, 4> values = object.integers4(key);
  return {int(values[0]), int(values[1]), int(values[2]), int(values[3])};
}

Rect read_scissor(const JsonObject& object, const char* key) {
  constexpr int kFar = 1 << 29;  // beyond any target
  Rect rect = read_rect(object, key);
  if (rect.width < 0 || rect.height < 0) object.fail(key, "its size is negative", "capture the frame again");
  // Cut the left and lower side without moving the right and upper one.
  const int64_t right = std::min<int64_t>(int64_t(rect.x) + rect.width, kFar);
  const int64_t top = std::min<int64_t>(int64_t(rect.y) + rect.height, kFar);
  rect.x = std::clamp(rect.x, -kFar, kFar);
  rect.y = std::clamp(rect.y, -kFar, kFar);
  rect.width = int(std::max<int64_t>(right - rect.x, 0));
  rect.height = int(std::max<int64_t>(top - rect.y, 0));
  return rect;
}

json write_rect(const Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

}  // namespace brokkr::bkf
