// The options that choose how the pipeline runs, shared by the commands that render.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/command.h"
#include "brokkr/renderer.h"

namespace brokkr::app {

std::vector<Option> pipeline_options();

RenderOptions render_options(const Arguments& arguments);

// The inverse: each pipeline option's value by its name ("bin": "64"). Left out: an isa that is not chosen.
std::map<std::string, std::string> option_texts(const RenderOptions& options);

// Names of all patterns, for options that take one.
std::vector<std::string> pattern_names();

// Sets the pattern that `text` names: one of pattern_names(), or else a file. Throws std::runtime_error for a file that
// holds none.
void choose_pattern(const std::string& text, RenderOptions& options);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

}  // namespace brokkr::app
