// Frames of RenderDoc captures (.rdc).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/command.h"

namespace brokkr::app {

// Returns true if the file begins like a capture of RenderDoc.
bool is_renderdoc_capture(const std::filesystem::path& path);

// Imports the capture that the argument TRACE names and writes its frame. `unknown`: options that have no meaning for
// it. Returns the exit code. Throws UsageError, and std::runtime_error with one line if the capture cannot be imported.
int import_renderdoc(const Arguments& arguments, const std::vector<std::string>& unknown);

}  // namespace brokkr::app
