// Finds facts in a shader's text that no GL query gives: whether code that can run discards fragments, writes depth,
// reads gl_DrawID, or stores to buffers or images. Preprocessor conditions are evaluated and functions that main does
// not reach are left out, so that an übershader's unused branches do not count.
#pragma once

#include <string>
#include <string_view>

namespace brokkr::capture {

struct ShaderUse {
  bool discard = false;
  bool fragment_depth = false;
  bool draw_id = false;
  bool stores = false;  // has a buffer block that is not readonly, or stores to images or atomic counters
};

ShaderUse scan_shader(std::string_view source);

}  // namespace brokkr::capture
