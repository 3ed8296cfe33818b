// Whether load_frame knows a kind of file, before it is read.
#pragma once

#include <string>

namespace brokkr {

// Throws std::runtime_error, as load_frame does, that says what can be loaded, or what becomes of an apitrace
// recording.
[[noreturn]] void refuse_kind(const std::string& path);

// refuse_kind where the name's ending is unknown, or a generated scene has another name. Reads no file.
void require_known_kind(const std::string& path);

}  // namespace brokkr
