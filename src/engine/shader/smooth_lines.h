// Smooth lines: a copy of a program whose colours fade towards the edges of a line.
#pragma once

#include "shader/captured.h"

namespace brokkr::shader {

// The copy has four more inputs (InputKind::line): how far the sample is from the line's middle across, half of the
// line's width, and the same two along it, in pixels, with a half more each. The alpha of its colours is multiplied by
// what of the sample is covered, as Mesa's software drivers have it.
CapturedProgram with_smooth_lines(const CapturedProgram& program);

}  // namespace brokkr::shader
