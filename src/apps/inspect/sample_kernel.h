// The pipeline's stages for single samples: geometry, coverage, tests, shading and blending are its own code
// (geometry_stage.h, tile.h), compiled for one machine. The header contains only plain data, so that nothing inline
// leaks from that build.
#pragma once

#include <cstdint>

#include "brokkr/choices.h"
#include "raster/raster_tables.h"

namespace brokkr {

// The content of a sample.
struct SampleState {
  uint32_t low = 0, high = 0;  // colour as stored; `high`: blue and alpha of RGBA16F
  float depth = 1;
  uint32_t stencil = 0;
  uint32_t visible_id = kNoPrimitive, depth_id = kNoPrimitive;
};

// A sample that is followed through the frame.
struct FollowedSample {
  uint32_t target = 0, layer = 0;
  int32_t x = 0, y = 0;  // pixels, origin at the bottom left
  bool active = true;
  SampleState state;
};

enum class FragmentFate : uint8_t { passed, discarded, stencil_failed, depth_failed };

// A triangle that covered a sample.
struct SampleFragment {
  uint32_t sample = 0;  // index of the followed sample
  uint32_t primitive = 0;
  float depth = 0;
  FragmentFate fate = FragmentFate::passed;
  uint32_t shader_low = 0, shader_high = 0;  // the shader's colour before blending, in the target's format
  SampleState before;                        // content of the sample before the triangle
};

using FragmentSink = void (*)(void* context, const SampleFragment& fragment);

// The frame and the samples that are followed through it; sink(context, fragment) receives their fragments.
struct SampleCall {
  const FrameTables& frame;
  const TargetRecord* targets;
  Shading shading;
  FollowedSample* samples;
  uint32_t count;
  FragmentSink sink;
  void* context;
};

struct SampleKernel {
  // Runs batches first .. end - 1 of one run for all active samples that they cover, in submission order.
  void (*draw)(const SampleCall& call, uint32_t first, uint32_t end);
  // Converts a stored colour to another format, as a blit does.
  void (*convert)(uint32_t from_format, uint32_t to_format, uint32_t& low, uint32_t& high);
};

}  // namespace brokkr
