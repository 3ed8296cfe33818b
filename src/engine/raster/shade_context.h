// What a warp keeps of shading from one portion of work to the next.
#pragma once

#include "brokkr/choices.h"
#include "geometry/features.h"
#include "raster/kept_primitives.h"
#include "raster/program_memory.h"

BROKKR_MACHINE_BEGIN

struct ShadeContext {
  const FrameTables* frame;
  Shading shading;
  Run run;  // the last one that was shaded, which is kept since opening a run multiplies matrices
  const ProgramTables* programs = nullptr;
  ProgramMemory* memory = nullptr;  // null: draws are not shown by their programs
  uint32_t program = kNoProgram;    // whose constants are in the memory
  PrimitiveMemory kept;

  BROKKR_FN bool shows_programs() const { return (kKernelFeatures & kFeaturePrograms) && memory != nullptr; }
};

BROKKR_MACHINE_END
