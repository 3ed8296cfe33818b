// Reading, writing and making texels for one build of the CPU machine (BROKKR_ISA).
#include "shade/texel_store.h"
#include "shade/texture_mips.h"
#include "shader/texel_kernels.h"

BROKKR_MACHINE_BEGIN

// Lane 0 alone takes part.
static void store_one(uint32_t* words, TexelEncoding encoding, uint32_t texel, const std::array<float, 4>& color) {
  Warp w;
  store_texel(w, words, encoding, Int(int(texel * words_of(encoding))),
              Vec4<Warp>(color[0], color[1], color[2], color[3]), w.first_lanes(1));
}
static std::array<float, 4> load_one(const uint32_t* words, TexelEncoding encoding, uint32_t texel) {
  Warp w;
  const Vec4<Warp> v = load_texel(w, words, encoding, Int(int(texel * words_of(encoding))), w.first_lanes(1));
  return {w.broadcast(v.x, 0), w.broadcast(v.y, 0), w.broadcast(v.z, 0), w.broadcast(v.w, 0)};
}
static uint32_t make_level(uint32_t* words, const TextureTexels& texture, uint32_t level) {
  Warp w;
  const uint32_t count = texels_of_level(texture, level);
  for (uint32_t first = 0; first < count; first += uint32_t(kWidth)) {
    const Uint number = first + as_uint(w.lane());
    make_mip(w, words, texture, level, number, number < count);
  }
  return count;
}

extern const TexelKernels texel_kernels;
const TexelKernels texel_kernels = {&store_one, &load_one, &make_level};

BROKKR_MACHINE_END
