// Shading state that a warp keeps from one piece of work to the next.
#pragma once

#include "brokkr/choices.h"
#include "geometry/features.h"
#include "raster/kept_primitives.h"
#include "raster/program_memory.h"

BROKKR_MACHINE_BEGIN

struct ShadeContext {
  const FrameTables* frame;
  Shading shading;
  Run run;  // the last shaded run, kept because opening a run multiplies matrices
  const ProgramTables* programs = nullptr;
  ProgramMemory* memory = nullptr;  // null: draws do not run programs
  uint32_t program = kNoProgram;    // the program whose constants are in the memory
  PrimitiveMemory kept;
  SurfaceMemory surfaces;

  BROKKR_FN bool shows_programs() const { return (kKernelFeatures & kFeaturePrograms) && memory != nullptr; }
};

BROKKR_MACHINE_END
