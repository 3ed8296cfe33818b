// Run-time choices: machines, policies, shading modes. The names of an enumeration's values stand beside it. Kernels
// include this header, so it contains nothing else.
#pragma once

#include <cstdint>

namespace brokkr {

// A value of an enumeration, its user-visible name, and one line that describes it.
template <class E>
struct Choice {
  E value;
  const char* name;
  const char* meaning = "";
};

// Choices<E>::all lists every value of E, in the order of E.
template <class E>
struct Choices;

// The name of `value`; empty if E has no such value.
template <class E>
constexpr const char* name_of(E value) {
  for (const Choice<E>& choice : Choices<E>::all) {
    if (choice.value == value) return choice.name;
  }
  return "";
}

template <>
struct Choices<bool> {
  static constexpr Choice<bool> all[] = {{true, "on"}, {false, "off"}};
};

enum class MachineKind : uint8_t { automatic, cuda, cpu, emulated, simt };
template <>
struct Choices<MachineKind> {
  static constexpr Choice<MachineKind> all[] = {
      {MachineKind::automatic, "auto", "a GPU if there is one, otherwise the CPU"},
      {MachineKind::cuda, "cuda"},
      {MachineKind::cpu, "cpu"},
      {MachineKind::emulated, "emulated", "warps of 32 lanes on the CPU: slow, for tests"},
      {MachineKind::simt, "simt", "the CUDA kernels on a model of SIMT cores: very slow, for measuring"},
  };
};

// The blocks that may work for a rasterizer.
enum class Ownership : uint8_t { fixed, stealing };
template <>
struct Choices<Ownership> {
  static constexpr Choice<Ownership> all[] = {
      {Ownership::fixed, "static", "each rasterizer has a fixed block"},
      {Ownership::stealing, "stealing", "any idle block works for any rasterizer"},
  };
};

// The way that run-time shaders are executed.
enum class ShaderCode : uint8_t { automatic, interpreted, compiled };
template <>
struct Choices<ShaderCode> {
  static constexpr Choice<ShaderCode> all[] = {
      {ShaderCode::automatic, "auto", "interpreted until a compiler has translated them in the background"},
      {ShaderCode::interpreted, "interpreted"},
      {ShaderCode::compiled, "compiled", "waits for the compiler, and fails without one"},
  };
};

enum class OrderMode : uint8_t { automatic, strict };
template <>
struct Choices<OrderMode> {
  static constexpr Choice<OrderMode> all[] = {
      {OrderMode::automatic, "auto", "order-free phases are found and used"},
      {OrderMode::strict, "strict", "every draw goes through the ordered tile path"},
  };
};

// The path of an order-free phase's small triangles: through queues, or directly to their samples.
enum class SmallTriangles : uint8_t { automatic, queue, direct };
template <>
struct Choices<SmallTriangles> {
  static constexpr Choice<SmallTriangles> all[] = {
      {SmallTriangles::automatic, "auto", "direct on a GPU, otherwise queue"},
      {SmallTriangles::queue, "queue",
       "through the triangle store and the rasterizers' queues, like all other triangles"},
      {SmallTriangles::direct, "direct",
       "geometry writes the keys of their samples directly, in the largest order-free phase of the frame"},
  };
};

// The way that vertices are shared within a batch. The number of vertex shader runs equals the prediction of
// predict_batches (batch/predict.h) for the batch model of the same name.
enum class ReuseMode : uint8_t { automatic, none, warp, nvidia, nvidia_gl, amd, intel, precomputed, block };
template <>
struct Choices<ReuseMode> {
  static constexpr Choice<ReuseMode> all[] = {
      {ReuseMode::automatic, "auto", "warp on a GPU with long vertex shaders, otherwise none"},
      {ReuseMode::none, "none", "every index is shaded"},
      {ReuseMode::warp, "warp", "each distinct vertex of 32 triangles once, found while rendering"},
      {ReuseMode::nvidia, "nvidia", "like NVIDIA's hardware, found before rendering"},
      {ReuseMode::nvidia_gl, "nvidia-gl", "like NVIDIA's hardware under OpenGL, found before rendering"},
      {ReuseMode::amd, "amd", "like AMD's hardware, found before rendering"},
      {ReuseMode::intel, "intel", "like Intel's hardware, found before rendering"},
      {ReuseMode::precomputed, "precomputed", "32 distinct vertices or 32 triangles, found before rendering"},
      {ReuseMode::block, "block", "each distinct vertex of 128 triangles once, as a block of four warps finds them"},
  };
};

// The place where a frame's vertex programs run: on the host before the frame is prepared (brokkr/vertex_stage.h), or
// in the geometry stage of every launch, which shades the distinct vertices of its batches. Both give the same bits.
enum class VertexShading : uint8_t { prepare, pipeline };
template <>
struct Choices<VertexShading> {
  static constexpr Choice<VertexShading> all[] = {
      {VertexShading::prepare, "prepare", "once, when the frame is loaded or its uniforms change"},
      {VertexShading::pipeline, "pipeline", "in the geometry stage of each launch, batch by batch"},
  };
};

// The way that surfaces are shown. shadings.def lists the modes.
enum class Shading : uint8_t {
#define BROKKR_SHADING(value, ...) value,
#include "brokkr/shadings.def"
};
template <>
struct Choices<Shading> {
  static constexpr Choice<Shading> all[] = {
#define BROKKR_SHADING(value, name, shader, meaning) {Shading::value, name, meaning},
#include "brokkr/shadings.def"
  };
};

// Decides what a block does next if both geometry and rasterization are possible, and which rasterizer it works for.
// The policy never changes the picture, unless the frame is cut off before it is complete. edf and priority also
// process geometry in the order of their views, if the result does not depend on that order.
enum class Policy : uint8_t { fill_level, geometry_first, raster_first, round_robin, fair, edf, priority, foveated };
template <>
struct Choices<Policy> {
  static constexpr Choice<Policy> all[] = {
      {Policy::fill_level, "fill-level",
       "geometry while a quarter of the triangle store is free, then the longest queue near the last one"},
      {Policy::geometry_first, "geometry-first", "geometry until the store is full"},
      {Policy::raster_first, "raster-first", "geometry only if no rasterizer can continue"},
      {Policy::round_robin, "round-robin", "geometry and rasterization in turn"},
      {Policy::fair, "fair", "each has its quota of the time"},
      {Policy::edf, "edf", "geometry first; then rasterizers of the view whose deadline is next; late views come last"},
      {Policy::priority, "priority", "geometry first; then rasterizers of the view with the highest priority"},
      {Policy::foveated, "foveated", "geometry first; then the rasterizer next to the fixation point"},
  };
};

// Returns true if rasterizers have ranks: edf's deadlines, 2^32 - 1 - priority, or squared distances.
constexpr bool has_ranks(Policy p) { return p >= Policy::edf; }

}  // namespace brokkr
