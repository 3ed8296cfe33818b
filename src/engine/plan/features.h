// The pipeline features that a frame uses.
#pragma once

#include "brokkr/options.h"
#include "geometry/features.h"
#include "plan/launch_plan.h"

namespace brokkr {

// Returns the features (Feature) that a kernel needs to draw a frame with this plan and these options.
uint32_t features_of(const LaunchPlan& plan, const RenderOptions& options);

}  // namespace brokkr
