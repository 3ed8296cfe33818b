// The options for rendering a frame. Only shading, command limit and budget change the picture. A memory limit or a
// GPU's time limit makes rendering fail instead. options.def declares the fields with their limits and meanings.
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

using Quotas = std::array<uint32_t, 2>;  // for geometry and for rasterization
using Point = std::array<float, 2>;      // x and y

struct RenderOptions {
#define BROKKR_OPTION(type, field, standard, ...) type field = standard;
#define BROKKR_FIELD(type, field, standard) type field = standard;
#include "brokkr/options.def"
  bool operator==(const RenderOptions&) const = default;
};

}  // namespace brokkr
#pragma GCC visibility pop
