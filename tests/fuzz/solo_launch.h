// Draws frames in the calling thread, as fast as a fuzzer needs: one block of one warp, no thread to wake, and memory
// that is reused from frame to frame.
//
// It is stricter than the CPU machine (pipeline/cpu_machine.h). There are gaps between the parts of a launch's memory,
// which the address sanitizer knows. Parts that a launch need not find zeroed hold data of earlier launches. After each
// launch, all blocks of the store must be free again, all queues empty, and all buffers of the distribution zero.
#pragma once

#include <vector>

#include "brokkr/renderer.h"

namespace brokkr::fuzz {

// Draws the pictures of `frame` with `options`, ignoring machine, workers and warps. Throws what Renderer::render
// throws, and std::runtime_error if the launch needs more memory than kSoloMemory. Ends the program if the launch
// leaves its memory in a wrong state.
std::vector<TargetImage> draw_solo(const PreparedFrame& frame, const RenderOptions& options);

inline constexpr size_t kSoloMemory = size_t(64) << 20;  // bytes

// Reports the problem, and ends the program so that the fuzzer keeps the input.
[[noreturn]] void fault(const std::string& what);

}  // namespace brokkr::fuzz
