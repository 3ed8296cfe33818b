// How a frame is rendered. No option changes the picture but shading, command limit and budget; a memory limit and a
// GPU's time limit refuse it. The fields are declared in options.def, with their limits and meanings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/pattern.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

using Quotas = std::array<uint32_t, 2>;  // of geometry and of rasterization
using Point = std::array<float, 2>;      // x and y

struct RenderOptions {
#define BROKKR_OPTION(type, field, standard, ...) type field = standard;
#define BROKKR_FIELD(type, field, standard) type field = standard;
#include "brokkr/options.def"
  bool operator==(const RenderOptions&) const = default;
};

}  // namespace brokkr
#pragma GCC visibility pop
