// Constants of rasterization, each with its consequence. They change times, but never a picture. To see the effect of
// one, change it here, build, and compare two results of `brokkr bench --curve triangles --json FILE` with `brokkr
// bench --compare BEFORE.json AFTER.json`.
#pragma once

#include "machine/machine.h"

BROKKR_MACHINE_BEGIN

// Triangles up to this many pixels wide and high take the path with one lane per triangle. All lanes step over the
// samples of the group's largest box, and lanes with smaller triangles wait: a limit of 8 takes at most 9 * 9 steps, 12
// takes 13 * 13, and 16 takes 17 * 17. Larger triangles use one lane per sample, and each makes a pass over the
// region's tiles.
//
// With limits of 8, 12 and 16, one frame of 640x360 on v3 takes these instructions of rasterize_block, in millions:
// generated:city 75.8, 66.0 and 61.1; generated:sphere-100k, whose triangles are all smaller, 7.8 with each. On 32
// lanes, more lanes wait for the largest triangle than on the eight of v3.
//   valgrind --tool=callgrind --callgrind-out-file=cost brokkr render generated:city --machine cpu --isa v3
//     --workers 1 --size 640x360 --no-output; callgrind_annotate cost
BROKKR_CONSTANT int kSmallBox = 12;
// This path computes edge functions in 32 bits: two products of a difference of corners and a difference of samples.
static_assert(2ll * (kSmallBox * 256) * ((kSmallBox + 1) * 256) < (1ll << 31));

// On CPUs, triangles that are not tiny take a path with one lane per sample up to kMiddleBox pixels. It visits the
// blocks of 4 x 4 samples that meet their boxes, without a pass over the region's tiles, and computes in 32 bits. A
// tiny triangle, whose box has at most kTinyBox samples a side, covers few samples of a block. With a limit of 4, one
// frame of generated:sphere-100k at 640x360 takes 1.04 times as long on v4 as without this path, and the same time on
// v3.
BROKKR_CONSTANT int kTinyBox = 6, kMiddleBox = 24;
// Tiny triangles of a group take this path as well if the steps over their largest box, which they share in lanes, are
// more than this for each of them. A smaller limit takes more of them off the lanes: each then costs as much as some
// steps of all lanes.
BROKKR_CONSTANT int kStepsPerTiny = 4;
BROKKR_CONSTANT bool kHasMiddle = Warp::takes_turns && kWidth <= 16;
static_assert(2ll * (kMiddleBox * 256) * ((kMiddleBox + 4) * 256) < (1ll << 31));

// The number of triangles that pass through one region's tiles together, in order. The list shares storage with the
// keys of order-free phases and must not enlarge a block's shared memory (raster/raster_shared.h). With half as many,
// tiles are loaded and stored more often; twice as many do not fit.
BROKKR_CONSTANT int kListCapacity = 256;

BROKKR_MACHINE_END
