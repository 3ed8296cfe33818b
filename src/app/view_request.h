// The words that `brokkr view` passes to brokkr-view, the window's own program: files and --name=value, as a user
// writes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "app/pipeline_options.h"

namespace brokkr::app {

std::vector<Option> view_options();

// The words for brokkr-view.
std::vector<std::string> view_words(const Arguments& arguments);

// Checks the words as the command line is checked. Throws UsageError.
Arguments parse_view_words(const std::vector<std::string>& words);

// brokkr-view beside this program: in its build tree, or where `cmake --install` puts it. Nothing where it was not
// built.
std::optional<std::filesystem::path> find_viewer();

// Whether a window could be opened: an X display is named.
bool has_display();

}  // namespace brokkr::app
