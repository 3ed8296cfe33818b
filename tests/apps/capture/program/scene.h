// The scene of the program under capture, shared with the test that knows the correct result. Frame N of the program is
// case N. All coordinates are sums of few powers of two, so that every driver computes the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace scene {

enum Case : int {
  kArrays = 1,  // frame 0 is for setup
  kElements,
  kInstanced,
  kMulti,
  kIndirect,
  kDrawId,
  kRestart,
  kGeometry,
  kTessellation,
  kStates,
  kClears,
  kFramebuffers,
  kPipelines,
  kConditions,
  kFeedback,
  kShaders,
  kErrors,
  kThreads,
  kSideEffects,
  kWindows,
  kPrograms,
  kSeveralColors,
  kSecondSource,
  kAttributes,
  kLayers,
  kStores,
  kParts,
  kImmediate,
  kLists,
  kClientArrays,
  kFixedFunction,
  kAssembly,
  kEvaluators,
  kSkippedLists,
  kFixedPrograms,
  kPoints,
  kBackFaces,
  kQuads,
  kTies,
  kDetails,
  kMaterials,
  kPrimitives,
  kPositions,
  kColors,
  kPointSizes,
  kDeletedShaders,
  kLetters,
  kSamples,
  kLogic,
  kStipples,
  kPatterns,
  kWhole,
  kSampleLayers,
  kPointPlaces,
  kOutlines,
  kWritten,
  kNarrow,
  kListOutlines,
  kSubroutines,  // the last one, because apitrace does not replay subroutines
  kCaseCount,
};

// The frames of --es.
enum CaseEs : int { kOldEs = 1, kBlocksEs, kPointsEs, kWideEs, kPartsEs, kCaseCountEs };

inline constexpr int kSize = 128;       // of the window, pixels
inline constexpr int kSecondSize = 64;  // of the second window
inline constexpr int kVertices = 64;

struct Vertex {
  float x, y, z, w;
};

// An 8 x 8 grid over the window, with every second vertex raised by a step of depth; w is 1 or 2.
inline Vertex vertex(int i) {
  const float w = i % 3 == 0 ? 2.0f : 1.0f;
  return {(-0.875f + 0.25f * float(i % 8)) * w, (-0.875f + 0.25f * float(i / 8) + 0.1875f * float(i % 2)) * w,
          (-0.5f + 0.125f * float(i % 7)) * w, w};
}

inline std::vector<Vertex> vertices() {
  std::vector<Vertex> all;
  for (int i = 0; i < kVertices; i++) all.push_back(vertex(i));
  return all;
}

// Added to each instance's vertices.
inline Vertex instance_offset(int i) { return {0.0625f * float(i), 0.03125f * float(i), 0.125f * float(i), 0}; }
inline constexpr int kInstances = 4;

// Values for the programs of draw_programs.
inline constexpr std::array<float, 4> kTint = {0.25f, 0.5f, 0.75f, 1.0f};
inline constexpr std::array<float, 3> kWeights = {1, -2, 4};
inline constexpr int kTextureSize = 4;
inline uint8_t texel(int i) { return static_cast<uint8_t>(i * 5 + 3); }  // byte number i of level 0

// Of draw_attributes: vertices in use, and the base vertex.
inline constexpr int kAttributeVertices = 4, kAttributeBase = 8;

// An index list with reuse and gaps, in no particular order.
inline constexpr std::array<uint32_t, 12> kIndices = {3, 12, 4, 4, 12, 13, 40, 49, 41, 63, 3, 12};

}  // namespace scene
