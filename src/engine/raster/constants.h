// Constants of rasterization, each with its consequence. None changes a picture; all change its time. To see what one
// does, change it here, build, and compare two results of `brokkr bench --curve triangles --json FILE` with `brokkr
// bench --compare BEFORE.json AFTER.json`.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// Triangles up to this many pixels wide and high go through the path with one lane per triangle. All lanes step over
// the samples of the group's largest box: at 8 that are at most 9 * 9 steps, at 12 13 * 13 and at 16 17 * 17, in which
// lanes with smaller triangles wait. What is larger takes a lane per sample, and a pass over the region's tiles each.
//
// Instructions of rasterize_block in one frame of 640x360 on v3, in millions, with 8, 12 and 16: generated:city 75.8,
// 66.0 and 61.1; generated:sphere-100k, whose triangles are all smaller, 7.8 with each. With 32 lanes instead of v3's
// eight, more of them wait for the largest.
//   valgrind --tool=callgrind --callgrind-out-file=cost brokkr render generated:city --machine cpu --isa v3
//     --workers 1 --size 640x360 --no-output; callgrind_annotate cost
BROKKR_CONSTANT int kSmallBox = 12;
// That path computes edge functions in 32 bits: two products of a difference of corners and one of samples.
static_assert(2ll * (kSmallBox * 256) * ((kSmallBox + 1) * 256) < (1ll << 31));

// Triangles on their way through one region's tiles, in order. A list lies where order-free phases have their keys, and
// must not make a block's shared memory larger (raster/raster_shared.h): half as many load and store a tile more often,
// twice as many do not fit.
BROKKR_CONSTANT int kListCapacity = 256;

BROKKR_MACHINE_END
