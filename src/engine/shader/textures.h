// Prepares captured textures for run-time shaders. Every format becomes one of the few encodings that lanes read
// (frame/texture_tables.h). Every (texture, sampler) pair that a draw binds becomes a record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "frame/texture_tables.h"
#include "shader/program.h"

namespace brokkr {
class Loading;
}

namespace brokkr::shader {

// A layer of a level that is copied from a target's plane, at the commands in CapturedTexture::images. It has width x
// height texels from `first_word` of SampledTextures::texels on, row by row, in `encoding`.
struct PublishedImage {
  uint32_t texture, level, layer;
  uint32_t target;  // index into Frame::targets
  TargetPlane plane;
  uint32_t first_word, width, height;
  TexelEncoding encoding;
  uint8_t sample = 0;  // PhaseRecord::sample
};

struct SampledTextures {
  std::vector<SampledRecord> records;
  std::vector<uint32_t> texels;
  std::vector<PublishedImage> images;   // the images of textures that draws bind
  std::vector<TextureTexels> textures;  // by the captured texture's number; no levels: no draw binds it
  std::map<std::pair<int32_t, int32_t>, int32_t> numbers;  // record numbers, by texture and sampler

  // SamplerSlot::record for a binding. It is -1 without a texture, or if the frame does not hold the texture.
  int32_t record_of(const BoundTexture& bound) const;
};

// Prepares everything that the frame's draws bind; the frame must be valid. Levels and layers that are rendered to are
// 0 until they are copied. Asks `loading` for memory first; throws std::runtime_error if there is too little.
SampledTextures make_sampled_textures(const Frame& frame, Loading& loading);

// Returns true if the frame holds the texture or renders all of it.
bool is_held(const CapturedTexture& texture);

// Says why a shader's sampler cannot read the bound texture and returns (0, 0, 0, 1) instead; empty if it can.
std::string misfit(const SamplerInput& sampler, const SampledRecord& texture);

}  // namespace brokkr::shader
