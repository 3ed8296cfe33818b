// The layers of captured textures with several samples a pixel (TextureKind::multisampled). A texture without layers of
// its own has one layer for each sample, at most 8. A layer of an array takes 8 layers, and the first ones are its
// samples. So sample `s` of layer `l` is layer 8 l + s in both.
#pragma once

#include <cstdint>

#include "brokkr/programs.h"

namespace brokkr {

inline constexpr uint32_t kSampleLayers = 8;

inline uint32_t sample_of_layer(uint32_t layer) { return layer % kSampleLayers; }

}  // namespace brokkr
