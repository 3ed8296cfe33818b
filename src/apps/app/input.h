// Loads the inputs of commands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/module.h"
#include "app/text.h"
#include "brokkr/fragment_shader.h"
#include "brokkr/frame.h"
#include "brokkr/load.h"
#include "brokkr/statistics.h"

namespace brokkr::app {

// --size, --camera and other options of loading.
std::vector<Option> input_options();

// --memory-limit, for commands without the options of the pipeline, which it is one of.
Option memory_option();

// --target and --layer, as chosen_target and chosen_layer read them.
std::vector<Option> target_options();

// `brokkr view` starts brokkr-view with its own words; brokkr-view reads them with the same options. `parts`: of the
// program's modules.
Command view_command(const std::vector<ViewPart>& parts, std::function<int(const Arguments&)> run);

// The scenes of `brokkr view`, by the names that loaders know.
std::vector<std::string> viewed_files(const std::vector<ViewPart>& parts, const Arguments& arguments);

// Returns true if this process opens the window.
bool has_window(const std::vector<ViewPart>& parts, const Arguments& arguments);

// The options of loading, without progress.
LoadOptions load_options(const Arguments& arguments);

// Every file can be opened and is of a known kind; a folder holds scenes. Throws std::runtime_error that names the
// first one that is not so.
// Built-in names of modules are not checked: only the window's program knows them all.
void require_scenes(const std::vector<ViewPart>& parts, const std::vector<std::string>& files);

// `files` with each folder replaced by the files in it that can be loaded, by name. Throws std::runtime_error for a
// folder without any.
std::vector<std::string> without_folders(const std::vector<std::string>& files);

// Loads `file` with these options, and gives it the shader that they name. Throws std::runtime_error naming the file.
Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress);
// The same with a shader that is read already.
Frame load_input(const std::string& file, const Arguments& arguments, Progress& progress,
                 const std::optional<FragmentShader>& shader);

// The line about loops of programs that were ended (Statistics::loops_cut); empty where none was.
std::string line_of_loops(const Statistics& statistics);

// The target that people look at: the window of a frame with programs, which put the picture together there; else the
// main target.
uint32_t picture_target(const Frame& frame);

// The target with the file's own number `--target`; without it the picture's, or with a --shading of its own colours
// the main one. Throws UsageError that lists them.
uint32_t chosen_target(const Frame& frame, const Arguments& arguments);

// `--layer` of that target. Throws UsageError.
uint32_t chosen_layer(const Frame& frame, uint32_t target, const Arguments& arguments);

}  // namespace brokkr::app
