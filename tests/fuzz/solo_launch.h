// Draws frames in the calling thread, as fast as a fuzzer wants it: one block of one warp, no thread to wake, and
// memory that is kept from frame to frame.
//
// It is stricter than the CPU machine (pipeline/cpu_machine.h). The parts of a launch's memory have gaps between them
// that the address sanitizer knows, parts that a launch need not find zeroed hold what earlier launches left there, and
// after each launch all blocks of the store must be free again, all queues empty and all buffers of the distribution
// zero.
#pragma once

#include <vector>

#include "brokkr/renderer.h"

namespace brokkr::fuzz {

// The pictures of `frame` under `options`, of which machine, workers and warps do not count. Throws what
// Renderer::render throws, and std::runtime_error where the launch needs more memory than kSoloMemory. Ends the program
// where the launch left its memory in another state than it should.
std::vector<TargetImage> draw_solo(const PreparedFrame& frame, const RenderOptions& options);

inline constexpr size_t kSoloMemory = size_t(64) << 20;  // bytes

// Says what is wrong, and ends the program so that the fuzzer keeps the input.
[[noreturn]] void fault(const std::string& what);

}  // namespace brokkr::fuzz
