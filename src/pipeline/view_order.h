// Which rasterizers and which geometry come first, for the policies that have ranks (schedule_tables.h): tables for the
// kernel, behind LaunchLayout::first_own_region.
#pragma once

#include "pipeline/launch_layout.h"

namespace brokkr {

// Appends a rank for each rasterizer and, where tasks are reordered, the task of each turn. Does nothing for other
// policies. A rasterizer has the least rank of its regions; the rank of a region is
// - foveated: its squared distance from the fixation point, in pixels of the main target; 0 in other targets,
//   which feed it;
// - priority: 2^32 - 1 less the highest priority of the views drawn there;
// - edf: the next deadline of the views drawn there, in microseconds.
// Tasks within one order-free phase are sorted by the rank of their views: which comes first does not show in the
// picture. Throws std::invalid_argument for options out of range.
void add_view_order(const PreparedFrame::Impl& frame, const PhasePlan& plan, const RenderOptions& options,
                    LaunchLayout& layout);

}  // namespace brokkr
