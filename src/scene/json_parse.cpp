#include "scene/json_parse.h"

#include "scene/failure.h"

namespace brokkr {

void check_json_depth(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (quoted && c == '\\') {
      i++;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
      if (depth > kMaxJsonDepth) fail("it nests arrays or objects more than {} deep", kMaxJsonDepth);
    }
  }
}

}  // namespace brokkr
