#include "plan/features.h"

#include <algorithm>

namespace brokkr {

uint32_t features_of(const LaunchPlan& plan, const RenderOptions& options) {
  const DrawPlan& draws = *plan.draws;
  uint32_t features = 0;
  if (draws.ordered_phases > 0) features |= kFeatureOrdered;
  if (draws.blits > 0) features |= kFeatureBlits;
  if (draws.reuse != nullptr) features |= kFeaturePlanned;
  if (options.reuse == ReuseMode::warp || options.vertex_work != 0) features |= kFeatureReuse;
  if (options.policy != Policy::fill_level) features |= kFeaturePolicies;
  if (options.keep_stamps) features |= kFeatureStamps;
  switch (options.shading) {
    case Shading::flat:
    case Shading::material: break;
    case Shading::program: features |= kFeaturePrograms; break;
    default: features |= kFeatureShadings;
  }
  const auto of_programs = [](const PhaseRecord& phase) {
    return phase.kind == PhaseKind::load || phase.kind == PhaseKind::publish || phase.kind == PhaseKind::mips;
  };
  if (std::any_of(draws.phases.begin(), draws.phases.end(), of_programs)) features |= kFeaturePrograms;
  return features;
}

}  // namespace brokkr
