// The commands as text: a usage line for help, all options as Markdown for docs/command-line.md.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace brokkr::cli {

std::string usage(const Command& command);  // "brokkr render FILE… [options]"

std::string to_markdown(const std::vector<Command>& commands);

}  // namespace brokkr::cli
