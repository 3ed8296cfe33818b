// Frames of RenderDoc captures (.rdc).
#pragma once

#include <filesystem>

#include "app/command.h"

namespace brokkr::app {

// Returns true if the file begins like a capture of RenderDoc.
bool is_renderdoc_capture(const std::filesystem::path& path);

// Imports the capture that the argument TRACE names and writes its frame. Returns the exit code. Throws UsageError for
// options that have no meaning for it, and std::runtime_error with one line if it cannot be imported.
int import_renderdoc(const Arguments& arguments);

}  // namespace brokkr::app
