// The frames that `brokkr bench` draws, and the shading of their surfaces.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr::app {

// flat: one colour. phong: Blinn-Phong per pixel. textured: the same with a 1024 x 1024 texture, trilinear. material:
// as the file says. program: a captured frame's own programs. phong and textured are for generated scenes.
enum class BenchShading : uint8_t { flat, phong, textured, material, program };
const char* shading_name(BenchShading shading);

struct Workload {
  std::string name;   // shown; with `shading` it identifies a row
  std::string file;   // as load_frame takes it
  std::string group;  // "captures", "scenes", "generated", or a curve's name
  BenchShading shading = BenchShading::flat;
  LoadOptions load;

  // Workloads with the same key draw the same frame.
  std::string frame_key() const;
  Shading brokkr_shading() const;
  const char* gl_shading() const;
};

// "flat,phong" in any order. Throws UsageError that lists the names.
std::vector<BenchShading> parse_shadings(const std::vector<std::string>& texts);

// `name` ("scenes", "assets") of an installation, of the checkout that the program was built in, or of the checkout in
// the current folder. Empty where there is none.
std::filesystem::path bundled_folder(const char* name);

// Workload of one file. Throws UsageError where the file has no such shading.
Workload make_workload(const std::string& file, BenchShading shading, const LoadOptions& load);

// The bundled frames and the .bkf of `captures` (empty: none) in one colour, the bundled scene as its materials say,
// the five generated scenes in each of `shadings`; where `program` is one of those, frames that have programs with them
// as well. Throws std::runtime_error where `captures` holds none.
std::vector<Workload> suite_workloads(const std::string& captures, const std::vector<BenchShading>& shadings);

// Calls load_frame, and scales captured frames to `options.width` x `options.height` where these are given.
Frame load_workload(const std::string& file, const LoadOptions& options);

// Returns true if a turn of `frames` frames that has drawn `drawn` in `spent_ms` draws another one. A turn of short
// frames goes on until it took 100 ms, with at most twenty times as many frames, so that one interruption does not fill
// the turn. A turn ends after `most_ms` once three frames are drawn.
bool turn_goes_on(size_t drawn, double spent_ms, int frames, double most_ms);

}  // namespace brokkr::app
