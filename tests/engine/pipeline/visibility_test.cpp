// The visible one of several triangles with equal depth, if whole tiles are hidden at once.
#include <gtest/gtest.h>

#include "oracle/frame_builder.h"
#include "pictures.h"

namespace brokkr {
namespace {

// Two triangles over the whole target at one depth: a comparison that passes equal depths shows the last one.
TEST(Visibility, TiesOfWholeTilesGoToTheLast) {
  for (const CompareFunc func : {CompareFunc::less, CompareFunc::lequal, CompareFunc::greater, CompareFunc::gequal}) {
    const bool greater = func == CompareFunc::greater || func == CompareFunc::gequal;
    oracle::FrameBuilder builder(64, 64);
    builder.clear(glm::vec4(0), greater ? 0.0f : 1.0f, uint8_t(0));
    State state = builder.default_state();
    state.depth.func = func;
    for (int draw = 0; draw < 2; ++draw) builder.draw(state, {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}});
    const bool last = func == CompareFunc::lequal || func == CompareFunc::gequal;
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(builder.frame);
    for (const MachineKind machine : test::machines()) {
      RenderOptions options;
      options.machine = machine;
      options.workers = 1;
      options.keep_ids = true;
      const RenderResult result = test::render_to_end(renderer, prepared, options);
      ASSERT_FALSE(result.aborted);
      for (const uint32_t id : result.targets[0].layers[0].visible_id) {
        ASSERT_NE(id, ~0u);
        ASSERT_EQ(prepared.origin(id).command, last ? 3u : 2u) << "function " << int(func);
      }
    }
  }
}

}  // namespace
}  // namespace brokkr
