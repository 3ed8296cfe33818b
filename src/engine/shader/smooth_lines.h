// Smooth lines: makes a copy of a program whose colours fade towards the edges of a line.
#pragma once

#include "shader/captured.h"

namespace brokkr::shader {

// The copy has four more inputs (InputKind::line), in pixels: the sample's distance from the line's middle across the
// line, half the line's width plus a half, and the same two along the line. The alpha of its colours is multiplied by
// the sample's coverage, like in Mesa's software drivers.
CapturedProgram with_smooth_lines(const CapturedProgram& program);

}  // namespace brokkr::shader
