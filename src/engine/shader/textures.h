// Captured textures made ready for run-time shaders: every format becomes one of the few encodings that lanes read
// (frame/texture_tables.h), and every pair of a texture and a sampler that a draw binds becomes a record.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/loading.h"
#include "brokkr/frame.h"
#include "frame/texture_tables.h"
#include "shader/program.h"

namespace brokkr::shader {

// A level's layer that a plane of a target is copied into, at the commands that CapturedTexture::images belong to:
// width x height texels from `first_word` of SampledTextures::texels on, row after row, in `encoding`.
struct PublishedImage {
  uint32_t texture, level, layer;
  uint32_t target;  // index into Frame::targets
  TargetPlane plane;
  uint32_t first_word, width, height;
  TexelEncoding encoding;
};

struct SampledTextures {
  std::vector<SampledRecord> records;
  std::vector<uint32_t> texels;
  std::vector<PublishedImage> images;   // of the textures that draws bind
  std::vector<TextureTexels> textures;  // by number of the captured texture; without levels: no draw binds it
  std::map<std::pair<int32_t, int32_t>, int32_t> numbers;  // of records, by texture and sampler

  // SamplerSlot::record of what a draw binds: -1 for nothing, and for a texture that the frame does not hold.
  int32_t record_of(const BoundTexture& bound) const;
};

// Of all that draws of a frame bind, which must be valid. Levels and layers that are drawn are 0 until they are copied.
// Memory is asked of `loading` first; throws std::runtime_error where it is too little.
SampledTextures make_sampled_textures(const Frame& frame, Loading& loading);

// Whether the frame holds the texture, or draws all of it.
bool is_held(const CapturedTexture& texture);

// Why a sampler of a shader cannot read what a draw binds to it, and reads (0, 0, 0, 1) in its place; empty: it can.
std::string misfit(const SamplerInput& sampler, const SampledRecord& texture);

}  // namespace brokkr::shader
