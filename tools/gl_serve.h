// brokkr-gl-bench as a peer of `brokkr bench` and `brokkr batches`: one process that keeps a frame and draws it when
// asked, so that both can take turns without loading again.
//
// One JSON object per line on standard input, one per line back on standard output. First it says who it is:
//   {"renderer", "version", "vendor", "device", "software"}
// Then it answers, with {"error": TEXT} where something failed:
//   {"do": "load", "file", "width", "height", "views", "view_size"}
//       -> {"width", "height", "layers", "triangles"}
//   {"do": "draw", "shading", "warm_up", "frames", "max_ms"}
//       -> {"samples_ms", "cpu_ms", "draw_calls", "rss_kib"}: how many samples says turn_goes_on
//          (app/workload.h); rss_kib is the most memory held since the load
//   {"do": "read", "layer", "file"}
//       -> {"width", "height", "channels"}: writes colour, four values per pixel, bytes ("u8") or
//          floats ("f32"), and then depth as floats; rows bottom to top
//   {"do": "count", "file", "indices", "first", "count", "attributes"}
//       -> {"vertex_runs"}: per range of the file's 32-bit `indices` how often the driver runs the vertex shader
//          (reference/gl_probe.h), which hands on so many "attributes" (0 where they are not given); needs no frame
//   {"do": "record", "file", "indices", "runs"}
//       -> {"runs", "waves"}: writes to the path "runs" which run of the vertex shader each of the file's 32-bit
//          `indices` uses, and where "waves" then each run's wave (reference/gl_probe.h); needs no frame
//   {"do": "probe", "work", "width", "height", "mode", "file", "vertices", "batches", "background", "waits", "stars",
//    "mask", "slow", "runs", "film"}
//       -> {"ms"}, and with a path as "film" {"units", "times"}: draws the file's vertices, two floats each
//          (reference/gl_probe.h). The film has order, then where "units" units and warps, then where "times" times
//   {"do": "drop"}
//       -> {}: forgets the frame
// It ends when standard input does.
#pragma once

#include <string>

#include "brokkr/frame.h"

namespace brokkr {

// Writes a captured frame's warnings to standard error, for example a vertex program that cannot run. The warnings of
// other files come from `brokkr` itself.
void print_warnings(const Frame& frame);

// `device` is an argument of EglContext. Returns the exit status; throws if OpenGL is not available.
int serve_gl(const std::string& device);

}  // namespace brokkr
