// Runs the vertex programs of a frame.
//
//   Frame frame = load_frame("game.bkf", {});    // has run them once
//   frame.uniforms[...] = ...;                   // another camera
//   shade_vertices(frame);
#pragma once

#include <string>
#include <vector>

#include "brokkr/errors.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Computes the positions of all draws with DrawCommand::vertices, and the varyings that their vertex programs write.
// Other varyings and positions keep their content. Returns a line for each program that cannot run; its draws keep
// their vertices. All machines give the same bits. Throws FileError if `validate` rejects the frame, and
// MemoryLimitError. Passes on what `progress` throws.
std::vector<std::string> shade_vertices(Frame& frame, const LoadOptions& load = {});

}  // namespace brokkr
#pragma GCC visibility pop
