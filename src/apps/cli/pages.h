// What is made from the commands' tables besides the parser: pages and completions, which therefore never lag behind.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// All commands as docs/reference/command-line.md has them.
std::string markdown_page(const std::vector<Command>& commands);

// Manual page, section 1, in man's macros of groff: "brokkr", or "brokkr-render" for a command. Throws UsageError for
// any other name.
std::string manual_page(const std::vector<Command>& commands, const std::string& name);

// Completion script of a shell: "bash", "zsh" or "fish". Throws UsageError for any other.
std::string completion(const std::vector<Command>& commands, const std::string& shell);

}  // namespace brokkr::app
