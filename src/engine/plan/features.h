// What of the pipeline a frame uses.
#pragma once

#include "brokkr/options.h"
#include "geometry/features.h"
#include "plan/launch_plan.h"

namespace brokkr {

// The features (Feature) that a kernel must have to draw a frame of this plan with these options.
uint32_t features_of(const LaunchPlan& plan, const RenderOptions& options);

}  // namespace brokkr
