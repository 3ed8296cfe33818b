// The frame file's constants: magic, limits, and the names of its enumerators (frame file format, version 1). Shared by
// bkf_reader.cpp and bkf_writer.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "brokkr/frame.h"

namespace brokkr::bkf {

inline constexpr std::string_view kMagic = "BRKF";
inline constexpr uint32_t kVersion = 1;
inline constexpr size_t kHeaderSize = 32;  // magic, version, three u64 lengths
inline constexpr size_t kAlignment = 16;   // of every offset into the blob

// Names in the order of the enumerators.
inline constexpr std::array<std::string_view, 8> kCompareFuncs = {"never",   "less",     "equal",  "lequal",
                                                                  "greater", "notequal", "gequal", "always"};
inline constexpr std::array<std::string_view, 4> kCullModes = {"none", "front", "back", "front_and_back"};
inline constexpr std::array<std::string_view, 2> kFrontFaces = {"ccw", "cw"};
inline constexpr std::array<std::string_view, 3> kPolygonModes = {"fill", "line", "point"};
inline constexpr std::array<std::string_view, 7> kTopologies = {"triangles", "triangle_strip", "triangle_fan", "points",
                                                                "lines",     "line_strip",     "line_loop"};
inline constexpr std::array<std::string_view, 3> kColorFormats = {"rgba8", "rgba8_srgb", "rgba16f"};
inline constexpr std::array<std::string_view, 15> kBlendFactors = {"zero",
                                                                   "one",
                                                                   "src_color",
                                                                   "one_minus_src_color",
                                                                   "dst_color",
                                                                   "one_minus_dst_color",
                                                                   "src_alpha",
                                                                   "one_minus_src_alpha",
                                                                   "dst_alpha",
                                                                   "one_minus_dst_alpha",
                                                                   "constant_color",
                                                                   "one_minus_constant_color",
                                                                   "constant_alpha",
                                                                   "one_minus_constant_alpha",
                                                                   "src_alpha_saturate"};
inline constexpr std::array<std::string_view, 5> kBlendEquations = {"add", "subtract", "reverse_subtract", "min",
                                                                    "max"};
inline constexpr std::array<std::string_view, 8> kStencilOps = {
    "keep", "zero", "replace", "increment", "decrement", "invert", "increment_wrap", "decrement_wrap"};
// Bit i of DrawCommand::flags.
inline constexpr std::array<std::string_view, 9> kDrawFlags = {
    "fragment-discard", "fragment-depth", "condition",         "clip-distance",  "multisample",
    "depth-clamp",      "z-zero-to-one",  "origin-upper-left", "provoking-first"};

template <typename Enum, size_t N>
constexpr std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) {
  return names[size_t(value)];
}

template <size_t N>
constexpr std::optional<size_t> find_name(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; i++) {
    if (names[i] == name) return i;
  }
  return std::nullopt;
}

}  // namespace brokkr::bkf
