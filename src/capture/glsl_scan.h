// What a shader's text says of it that no GL query does: whether code that can run discards fragments, writes
// depth, or reads gl_DrawID. Preprocessor conditions are evaluated and functions that main does not reach are
// left out, so that an übershader's unused branches do not count.
#pragma once

#include <string>
#include <string_view>

namespace brokkr::capture {

struct ShaderUse {
  bool discard = false;
  bool fragment_depth = false;
  bool draw_id = false;
};

ShaderUse scan_shader(std::string_view source);

}  // namespace brokkr::capture
