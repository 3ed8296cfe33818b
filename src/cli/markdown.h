// The commands as text: a usage line for help, all options as Markdown for docs/command-line.md.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

std::string usage(const Command& command);  // "brokkr render FILE… [options]"

std::string to_markdown(const std::vector<Command>& commands);

}  // namespace brokkr::app
