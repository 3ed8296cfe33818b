// The options of every command as Markdown, for docs/command-line.md.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace brokkr::cli {

std::string to_markdown(const std::vector<Command>& commands);

}  // namespace brokkr::cli
