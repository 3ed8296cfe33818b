// Shaders belong to a machine. The host reads their traits from the emulated machine's copy and runs none of its code.
#define BROKKR_ISA emulated
#define BROKKR_ISA_EMULATED 1
#include "raster/shading_traits.h"

#include "raster/shade.h"

namespace brokkr {
namespace {

constexpr ShadingTraits kTraits[] = {
// `shader` is the name of a template. NOLINTBEGIN(bugprone-macro-parentheses)
#define BROKKR_SHADING(value, name, shader, meaning) \
  {shader<Warp>::kMaterial, shader<Warp>::kDerivatives, shader<Warp>::kNormalMaps, shader<Warp>::kOverdraw},
#include "brokkr/shadings.def"
    // NOLINTEND(bugprone-macro-parentheses)
};

}  // namespace

const ShadingTraits& shading_traits(Shading shading) { return kTraits[size_t(shading)]; }

}  // namespace brokkr
