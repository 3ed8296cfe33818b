// The options that choose how the pipeline runs, shared by the commands that render.
#pragma once

#include <vector>

#include "cli/command.h"
#include "pipeline/renderer.h"

namespace brokkr::cli {

std::vector<Option> pipeline_options();

RenderOptions render_options(const Arguments& arguments);

// `first` followed by `second`.
std::vector<Option> joined(std::vector<Option> first, const std::vector<Option>& second);

}  // namespace brokkr::cli
