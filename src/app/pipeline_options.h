// The options of the pipeline on the command line: brokkr/options.def, as the commands that render take them.
#pragma once

#include <vector>

#include "app/command.h"
#include "brokkr/options.h"

namespace brokkr::app {

std::vector<Option> pipeline_options();

// Sets those that were given. Throws UsageError, and std::runtime_error for a pattern file that cannot be read.
void read_options(const Arguments& arguments, RenderOptions& options);

// The defaults, with what was given on top.
RenderOptions render_options(const Arguments& arguments);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

}  // namespace brokkr::app
