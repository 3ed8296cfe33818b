// Loads the inputs of commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/module.h"
#include "app/shader_option.h"
#include "app/text.h"
#include "brokkr/choices.h"
#include "brokkr/fragment_shader.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "brokkr/statistics.h"

namespace brokkr::app {

// --size, --camera and other options of loading.
std::vector<Option> input_options();

// --memory-limit, for commands that do not take the pipeline's options, which include it.
Option memory_option();

// --target and --layer; chosen_target and chosen_layer read them.
std::vector<Option> target_options();

// `brokkr view` passes its arguments to brokkr-view, which reads them with the same options. `parts`: the view parts of
// the program's modules.
Command view_command(const std::vector<ViewPart>& parts, std::function<int(const Arguments&)> run);

// The scenes of `brokkr view`, under the names that loaders know.
std::vector<std::string> viewed_files(const std::vector<ViewPart>& parts, const Arguments& arguments);

// Returns true if this process opens the window.
bool has_window(const std::vector<ViewPart>& parts, const Arguments& arguments);

// The options for loading, without a progress callback.
LoadOptions load_options(const Arguments& arguments);

// Checks that every file can be opened and is of a known kind, and that every folder holds scenes. Throws
// std::runtime_error that names the first bad one. Built-in names of modules are not checked, because only the window's
// program knows them all.
void require_scenes(const std::vector<ViewPart>& parts, const std::vector<std::string>& files);

// Replaces each folder in `files` by the loadable files in it, sorted by name. Throws std::runtime_error if a folder
// has none.
std::vector<std::string> without_folders(const std::vector<std::string>& files);

// Throws std::runtime_error if `file` is a folder.
void require_file(const std::string& file);

// Loads `file`. The camera of a captured frame with vertex programs moves, and uniforms of its programs get other
// values (inspect/game_camera.h). Throws std::runtime_error that names the file, and UsageError for uniforms of a
// scene.
Frame load_moved(const std::string& file, LoadOptions options, const UniformValues& uniforms);

// Loads `file` with the options in `arguments`, and attaches the shader that they name. Throws std::runtime_error that
// names the file, and Stopped if a signal comes that a StopSignals records.
Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress);
// As above, with a shader that the caller has read.
Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress,
                 const std::optional<FragmentShader>& shader);

// Warns that loops in programs were cut off (Statistics::loops_cut); empty if none were.
std::string line_of_loops(const Statistics& statistics);

// Warns that programs could not run, so that their draws have false colours: "3 draws in false colours: program 0: …";
// empty if all ran.
std::string line_of_programs(const Statistics& statistics);

// The target to look at: the window of a frame with programs, which compose the picture there; otherwise the main
// target.
uint32_t picture_target(const Frame& frame);

// Coverage samples of a pixel with which a scene is drawn where nobody chose a number: edges are smooth.
inline constexpr int kSceneSamples = 4;

// The samples for a picture of `frame`: kSceneSamples for a scene whose surfaces are shown; 1 for a captured frame,
// which says how many its targets have, and for false colours, whose values have no average.
int picture_samples(const Frame& frame, Shading shading);

// The target with the file's own number `--target`; without it the picture's, or with a --shading of its own colours
// the main one. Throws UsageError that lists them.
uint32_t chosen_target(const Frame& frame, const Arguments& arguments);

// `--layer` of that target. Throws UsageError.
uint32_t chosen_layer(const Frame& frame, uint32_t target, const Arguments& arguments);

}  // namespace brokkr::app
