// The frames that `brokkr bench` draws, and the shading of their surfaces.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"

namespace brokkr::app {

// The shading of surfaces. flat: one colour. phong: Blinn-Phong per pixel. textured: phong with a 1024 x 1024 texture,
// trilinear. material: as the file says. program: the programs of a captured frame. phong and textured are for
// generated scenes.
enum class BenchShading : uint8_t { flat, phong, textured, material, program };
const char* shading_name(BenchShading shading);

struct Workload {
  std::string name;   // as shown; `name` and `shading` identify a row
  std::string file;   // in the form that load_frame takes
  std::string group;  // "captures", "scenes", "generated", or the name of a curve
  BenchShading shading = BenchShading::flat;
  LoadOptions load;

  // Workloads with equal keys draw the same frame.
  std::string frame_key() const;
  Shading brokkr_shading() const;
  const char* gl_shading() const;
};

// Parses "flat,phong" in any order. Throws UsageError that lists the names.
std::vector<BenchShading> parse_shadings(const std::vector<std::string>& texts);

// The folder `name` ("scenes", "assets") of an installation, of the checkout that the program was built from, or of a
// checkout in the current folder. Empty if there is none.
std::filesystem::path bundled_folder(const char* name);

// The workload of one file. Throws UsageError if the file does not support the shading.
Workload make_workload(const std::string& file, BenchShading shading, const LoadOptions& load);

// The workloads of the suite: the bundled frames and the .bkf files of `captures` (empty: none) in one colour, the
// bundled scene with its materials, and the five generated scenes in each of `shadings`. If `shadings` contains
// `program`, frames that have programs also run with them. Throws std::runtime_error if `captures` holds no frame.
std::vector<Workload> suite_workloads(const std::string& captures, const std::vector<BenchShading>& shadings);

// Calls load_moved, and scales captured frames to `options.width` x `options.height` if these are given.
Frame load_workload(const std::string& file, const LoadOptions& options);

// Returns true if a turn goes on: it plans `frames` frames and has drawn `drawn` of them in `spent_ms`. A turn of short
// frames continues until it took 100 ms, with at most twenty times as many frames, so that one interruption does not
// fill the turn. A turn ends after `max_ms` once three frames are drawn.
bool turn_goes_on(size_t drawn, double spent_ms, int frames, double max_ms);

}  // namespace brokkr::app
