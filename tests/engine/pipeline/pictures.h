// Compares pictures bit for bit, and finds the frames of the tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/sanitizers.h"
#include "brokkr/renderer.h"

namespace brokkr::test {

// Compares every plane of every layer of every target. Planes of identifiers and overdraw are compared if both have
// them.
void expect_same_pictures(const std::vector<TargetImage>& expected, const std::vector<TargetImage>& got);

// Renders a small frame to its end. If a launch makes no progress, it is ended and the test fails with a message:
// blocks that wait for each other use processor time, and no such frame needs `max_seconds` of it (ten times as much
// under a sanitizer). Waiting on a busy computer does not count.
RenderResult render_to_end(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options,
                           double max_seconds = 30);

// The machines of this build that run here, the CPU first. CUDA is included if there is a GPU or the PTX interpreter
// (docs/research/ptx.md).
std::vector<MachineKind> machines();
bool is_there(MachineKind machine);

// Finds a captured frame by its file name in tests/frames, in scenes/ or in the captures' folder. Empty if there is
// none.
std::filesystem::path find_capture(const std::string& name);

// Sanitizers and the PTX interpreter make code many times slower; time limits allow for that. Otherwise 1.
double slowness();

}  // namespace brokkr::test
