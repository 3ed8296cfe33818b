// Takes the place of plan/vertex_stage.cpp in the library that tests of readers link. load_frame calls it for frames
// with vertex programs; these tests have none.
#include "brokkr/vertex_stage.h"

#include <stdexcept>

namespace brokkr {

std::vector<std::string> shade_vertices(Frame&, const LoadOptions&) {
  throw std::logic_error("this program reads frames without the stage that runs vertex programs");
}

}  // namespace brokkr
