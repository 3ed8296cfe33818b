// Captured textures for shaders of tests. Each added texture is bound to the next sampler.
#pragma once

#include <cstring>
#include <span>

#include "base/loading.h"
#include "shader/call.h"
#include "shader/textures.h"

namespace brokkr::shader::test {

struct BoundTextures {
  Frame frame;
  SampledTextures sampled;
  FrameTables tables{};
  std::vector<SamplerSlot> slots;

  BoundTextures() { frame.inputs.emplace_back(); }

  // All levels of `texture` begin at `texels`.
  void add(CapturedTexture texture, std::span<const std::byte> texels, const CapturedSampler& sampler) {
    texture.stored = true;
    texture.first_byte = frame.texture_data.size();
    frame.texture_data.insert(frame.texture_data.end(), texels.begin(), texels.end());
    frame.inputs[0].textures.push_back(
        {int32_t(frame.captured_textures.size()), int32_t(frame.captured_samplers.size())});
    frame.captured_textures.push_back(std::move(texture));
    frame.captured_samplers.push_back(sampler);
  }
  // Makes the tables of the added textures; `slots` has at least `most` entries.
  void prepare(size_t most = 0) {
    const LoadOptions options;
    Loading loading(options);
    sampled = make_sampled_textures(frame, loading);
    tables.sampled = sampled.records.data();
    tables.sampled_texels = sampled.texels.data();
    slots.assign(std::max(most, frame.inputs[0].textures.size()), {});
    for (size_t i = 0; i < frame.inputs[0].textures.size(); ++i)
      slots[i].record = sampled.record_of(frame.inputs[0].textures[i]);
  }
};

}  // namespace brokkr::shader::test
