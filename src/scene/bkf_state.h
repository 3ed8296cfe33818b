// Pipeline states as the frame file writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "brokkr/frame.h"
#include "scene/bkf_json.h"

namespace brokkr::bkf {

// Keys that are missing have OpenGL's initial values.
State read_state(const JsonObject& object);
nlohmann::json write_state(const State& state);

// A rectangle; scissors that reach beyond anything drawable are cut, as OpenGL does.
Rect read_rect(const JsonObject& object, const char* key);
Rect read_scissor(const JsonObject& object, const char* key);
nlohmann::json write_rect(const Rect& rect);

}  // namespace brokkr::bkf
