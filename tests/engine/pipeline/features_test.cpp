// The pipeline features that a frame uses, by which CUDA chooses a kernel.
#include "plan/launch_plan.h"

#include <gtest/gtest.h>

#include "brokkr/load.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

uint32_t features(const char* scene, const RenderOptions& options) {
  LoadOptions load;
  load.width = 64;
  load.height = 48;
  const Frame frame = load_frame(scene, load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  PreparedFrame::Impl& impl = PreparedFrame::Impl::of(prepared);
  return features_of(*impl.plans.get(impl, plan_key(impl, options, {})), options);
}

RenderOptions flat() {
  RenderOptions options;
  options.shading = Shading::flat;
  return options;
}

constexpr const char* kOpaque = "generated:overlap-10k?triangles=20";

TEST(Features, OpaqueDrawsNeedNone) {
  EXPECT_EQ(features(kOpaque, flat()), 0u);
  RenderOptions material;
  material.shading = Shading::material;
  EXPECT_EQ(features(kOpaque, material), 0u);
}

TEST(Features, EachIsFoundByItself) {
  RenderOptions ordered = flat(), planned = flat(), shared = flat(), worked = flat(), policy = flat(), shading = flat();
  ordered.order = OrderMode::strict;
  planned.reuse = ReuseMode::precomputed;
  shared.reuse = ReuseMode::warp;
  worked.vertex_work = 1;
  policy.policy = Policy::geometry_first;
  shading.shading = Shading::normal;
  EXPECT_EQ(features(kOpaque, ordered), kFeatureOrdered);
  EXPECT_EQ(features(kOpaque, planned), kFeaturePlanned);
  EXPECT_EQ(features(kOpaque, shared), kFeatureReuse);
  EXPECT_EQ(features(kOpaque, worked), kFeatureReuse);
  EXPECT_EQ(features(kOpaque, policy), kFeaturePolicies);
  EXPECT_EQ(features(kOpaque, shading), kFeatureShadings);
  RenderOptions program = flat();
  program.shading = Shading::program;
  EXPECT_EQ(features(kOpaque, program), kFeaturePrograms);
  RenderOptions samples = flat();
  samples.samples = 4;
  EXPECT_EQ(features(kOpaque, samples), kFeatureSamples);
}

TEST(Features, BlitsAreFound) {
  LoadOptions load;
  load.width = 64;
  load.height = 48;
  Frame frame = load_frame(kOpaque, load);
  frame.commands.emplace_back(BlitCommand{.source = {0, 0, 8, 8}, .destination = {8, 8, 8, 8}});
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  PreparedFrame::Impl& impl = PreparedFrame::Impl::of(prepared);
  EXPECT_EQ(features_of(*impl.plans.get(impl, plan_key(impl, flat(), {})), flat()), kFeatureBlits);
}

}  // namespace
}  // namespace brokkr
