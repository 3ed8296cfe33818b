// The options of the pipeline on the command line: brokkr/options.def in the form of the commands that render.
#pragma once

#include <vector>

#include "app/command.h"
#include "brokkr/options.h"

namespace brokkr::app {

std::vector<Option> pipeline_options();

// Sets the options that were given. Throws UsageError, and std::runtime_error for a pattern file that cannot be read.
void read_options(const Arguments& arguments, RenderOptions& options);

// The default options, changed by those that were given.
RenderOptions render_options(const Arguments& arguments);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

}  // namespace brokkr::app
