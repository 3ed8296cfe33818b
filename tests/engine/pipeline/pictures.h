// Pictures against pictures bit for bit, and the frames that tests are about.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/sanitizers.h"
#include "brokkr/renderer.h"

namespace brokkr::test {

// Every plane of every layer of every target. Planes of identifiers and overdraw where both have them.
void expect_same_pictures(const std::vector<TargetImage>& expected, const std::vector<TargetImage>& got);

// Renders a small frame to its end. A launch that makes no progress is ended, and the test fails with words: blocks
// that wait for each other burn processor time, of which `most_seconds` are more than any such frame needs (a sanitizer
// gets ten times as much). Time on a busy computer is not counted.
RenderResult render_to_end(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options,
                           double most_seconds = 30);

// The machines of this build that run here, the CPU first. CUDA is among them where there is a GPU, or what stands in
// for one (docs/research/ptx.md).
std::vector<MachineKind> machines();
bool is_there(MachineKind machine);

// A captured frame by its file name: in tests/frames or scenes/, or in the captures' folder. Empty: not there.
std::filesystem::path find_capture(const std::string& name);

// Sanitizers make code many times slower, and so does the PTX interpreter; bounds on time allow for that.
#if BROKKR_ADDRESS_SANITIZER || BROKKR_THREAD_SANITIZER || !defined(NDEBUG) || defined(BROKKR_TEST_INTERPRETED)
inline constexpr double kSlowBuild = 20;
#else
inline constexpr double kSlowBuild = 1;
#endif

}  // namespace brokkr::test
