// All stages, called by number.
#pragma once

#include "diff/antialias.h"
#include "diff/edges.h"
#include "diff/interpolate.h"
#include "diff/rasterize.h"
#include "diff/sample.h"

BROKKR_MACHINE_BEGIN

#define X(name, data)                                                    \
  struct Stage_##name {                                                  \
    using Data = data;                                                   \
    BROKKR_FN static void run(const Data& d, DiffPart p) { name(d, p); } \
  };
BROKKR_DIFF_STAGES(X)
#undef X

BROKKR_MACHINE_END
