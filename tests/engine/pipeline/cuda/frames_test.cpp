// Frames on the CUDA machine, one after another with one Renderer: the same bits as on the CPU machine, whether frames
// grow, shrink, are aborted or run without a CUDA graph in between.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <tuple>
#include <vector>

#include "brokkr/load.h"
#include "brokkr/renderer.h"
#include "oracle/soup.h"
#include "pipeline/launch_data.h"

namespace brokkr {
namespace {

Frame scene(const char* name, int width, int height) {
  LoadOptions load;
  load.width = width;
  load.height = height;
  return load_frame(name, load);
}

RenderOptions on(MachineKind machine) {
  RenderOptions o;
  o.machine = machine;
  o.shading = Shading::flat;
  o.keep_ids = true;
  return o;
}

void expect_same(const RenderResult& cuda, const RenderResult& cpu) {
  ASSERT_FALSE(cuda.aborted);
  ASSERT_EQ(cuda.targets.size(), cpu.targets.size());
  EXPECT_EQ(cuda.statistics.triangles_out, cpu.statistics.triangles_out);
  for (size_t t = 0; t < cpu.targets.size(); ++t) {
    ASSERT_EQ(cuda.targets[t].layers.size(), cpu.targets[t].layers.size());
    for (size_t i = 0; i < cpu.targets[t].layers.size(); ++i) {
      const Layer &a = cuda.targets[t].layers[i], &b = cpu.targets[t].layers[i];
      EXPECT_TRUE(a.depth == b.depth) << "target " << t << ", layer " << i;
      EXPECT_TRUE(a.visible_id == b.visible_id) << "target " << t << ", layer " << i;
      EXPECT_TRUE(a.color == b.color) << "target " << t << ", layer " << i;
    }
  }
}

void expect_frames(Renderer& renderer, OrderMode order) {
  for (const auto& [name, width, height] :
       {std::tuple("generated:city", 320, 180), std::tuple("generated:sphere-100k", 1280, 720),
        std::tuple("generated:overlap-10k?triangles=500", 200, 120), std::tuple("generated:city", 320, 180)}) {
    SCOPED_TRACE(name);
    const Frame frame = scene(name, width, height);
    RenderOptions cuda = on(MachineKind::cuda), cpu = on(MachineKind::cpu);
    cuda.order = cpu.order = order;
    PreparedFrame prepared = renderer.prepare(frame);
    const RenderResult expected = Renderer().render(frame, cpu);
    for (int again = 0; again < 3; ++again) expect_same(renderer.render(prepared, cuda), expected);
  }
}

TEST(CudaFrames, GrowAndShrinkAndStayTheSame) {
  Renderer renderer;
  expect_frames(renderer, OrderMode::automatic);
  expect_frames(renderer, OrderMode::strict);
}

TEST(CudaFrames, WithoutAGraph) {
  setenv("BROKKR_CUDA_GRAPH", "0", 1);
  Renderer renderer;
  expect_frames(renderer, OrderMode::automatic);
  unsetenv("BROKKR_CUDA_GRAPH");
}

// The kernel with the fewest sufficient features draws a frame, and every other sufficient kernel draws it the same. A
// renderer changes between kernels.
TEST(CudaFrames, EachKernelDrawsTheSame) {
  const Frame frame = scene("generated:city", 160, 90);
  const RenderResult expected = Renderer().render(frame, on(MachineKind::cpu));
  const RenderOptions opaque = on(MachineKind::cuda);
  RenderOptions other = opaque;
  other.policy = Policy::geometry_first;
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  for (const auto& [options, kernel] : {std::pair(opaque, "opaque"), {other, "built-in"}, {opaque, "opaque"}}) {
    const RenderResult result = renderer.render(prepared, options);
    EXPECT_EQ(result.statistics.kernel, kernel);
    expect_same(result, expected);
  }
  setenv("BROKKR_CUDA_KERNEL", "all", 1);
  const RenderResult result = Renderer().render(frame, opaque);
  unsetenv("BROKKR_CUDA_KERNEL");
  EXPECT_EQ(result.statistics.kernel, "all");
  expect_same(result, expected);
}

TEST(CudaFrames, FewBlocksAndASmallStore) {
  const Frame frame = scene("generated:city", 640, 360);
  RenderOptions options = on(MachineKind::cuda);
  options.workers = 2;
  options.store_blocks = 256;
  expect_same(Renderer().render(frame, options), Renderer().render(frame, on(MachineKind::cpu)));
}

TEST(CudaFrames, OneThatIsCutOffLeavesNothingBehind) {
  Renderer renderer;
  const Frame frame = scene("generated:overlap-10k?triangles=200000&depth=200", 1920, 1080);
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions budget = on(MachineKind::cuda);
  budget.order = OrderMode::strict;
  budget.workers = 1;
  budget.frame_budget_ms = 1;
  const RenderResult cut = renderer.render(prepared, budget);
  EXPECT_TRUE(cut.aborted);
  EXPECT_LT(cut.statistics.launch_ms, 200);
  expect_frames(renderer, OrderMode::automatic);
}

// The colours of a layer as a window gets them, without read-back to the host. Empty if the frame is not there.
std::vector<uint32_t> colors_on_device(Renderer& renderer, int width, int height) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  EXPECT_EQ(cudaMallocArray(&array, &format, size_t(width), size_t(height), cudaArraySurfaceLoadStore), cudaSuccess);
  cudaResourceDesc description{};
  description.resType = cudaResourceTypeArray;
  description.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &description), cudaSuccess);
  std::vector<uint32_t> pixels;
  if (renderer.resolve_to_surface(0, 0, surface)) {
    pixels.resize(size_t(width) * size_t(height));
    EXPECT_EQ(cudaMemcpy2DFromArray(pixels.data(), size_t(width) * 4, array, 0, 0, size_t(width) * 4, size_t(height),
                                    cudaMemcpyDeviceToHost),
              cudaSuccess);
  }
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  return pixels;
}

std::vector<uint32_t> opaque(std::vector<uint32_t> pixels) {
  for (uint32_t& pixel : pixels) pixel |= 0xff000000u;
  return pixels;
}

TEST(CudaFrames, OneThatIsCutOffKeepsItsPlanes) {
  Renderer renderer;
  const Frame frame = scene("generated:overlap-10k?triangles=200000&depth=200", 640, 360);
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions budget = on(MachineKind::cuda);
  budget.order = OrderMode::strict;
  budget.workers = 1;
  budget.frame_budget_ms = 1;
  for (int again = 0; again < 2; ++again) {
    const RenderResult cut = renderer.render(prepared, budget);
    ASSERT_TRUE(cut.aborted);
    EXPECT_EQ(colors_on_device(renderer, 640, 360), opaque(cut.targets[0].layers[0].color));
  }
}

TEST(CudaFrames, OneThatFailedHasNoPlanes) {
  Renderer renderer;
  EXPECT_TRUE(colors_on_device(renderer, 64, 64).empty());
}

// A blit reads the results of other rasterizers, which then draw over its source: it waits for them at one gate, and
// they wait for it at another. On the PTX interpreter with race detection, both memory orders of both gates are needed.
TEST(CudaGates, BlitsReadWhatOthersHaveDrawn) {
  oracle::SoupOptions soup;
  soup.width = 70;
  soup.height = 50;
  soup.draws = 8;
  soup.triangles = 6;
  soup.blits = true;
  for (const uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    const Frame frame = oracle::make_soup(seed, soup);
    RenderOptions cuda = on(MachineKind::cuda), cpu = on(MachineKind::cpu);
    cuda.bin = cpu.bin = 16;
    cuda.rasterizers = 5;
    expect_same(Renderer().render(frame, cuda), Renderer().render(frame, cpu));
  }
}

// Only changed data crosses the bus, in either direction.
TEST(CudaFrames, ACameraThatMovesUploadsItsViewsOnly) {
  Renderer renderer;
  Frame frame = scene("generated:city", 160, 90);
  PreparedFrame prepared = renderer.prepare(frame);
  const RenderOptions options = on(MachineKind::cuda);
  const Statistics first = renderer.render(prepared, options).statistics;
  EXPECT_GT(first.upload_bytes, frame.positions.size() * sizeof(glm::vec4));
  EXPECT_EQ(renderer.render(prepared, options).statistics.upload_bytes, 0u);
  frame.views[0].eye.x += 1;
  prepared.update_views();
  const Statistics moved = renderer.render(prepared, options).statistics;
  EXPECT_EQ(moved.upload_bytes, frame.views.size() * sizeof(ViewRecord));
  EXPECT_GT(moved.update_ms, 0);
  EXPECT_EQ(renderer.render(prepared, options).statistics.update_ms, 0);
}

TEST(CudaFrames, ATraceDownloadsWhatWasWritten) {
  Renderer renderer;
  const Frame frame = scene("generated:city", 160, 90);
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options = on(MachineKind::cuda);
  const Statistics plain = renderer.render(prepared, options).statistics;
  options.trace = true;
  const Statistics traced = renderer.render(prepared, options).statistics;
  ASSERT_FALSE(traced.trace.empty());
  EXPECT_EQ(traced.download_bytes, plain.download_bytes + traced.trace.size() * sizeof(TraceRecord));
  for (const TraceEvent& event : traced.trace) {
    EXPECT_LT(event.block, uint32_t(traced.workers));
    EXPECT_LE(event.begin_us, event.end_us);
  }
}

// Every fragment has its own rank, and with fixed owners one block draws all fragments of a bin; the picture stays the
// same.
TEST(CudaFrames, StampsSayWhenAndWhere) {
  const Frame frame = scene("generated:screen", 160, 96);
  RenderOptions o = on(MachineKind::cuda);
  o.ownership = Ownership::fixed;
  o.rasterizers = 3;
  o.bin = 32;
  const RenderResult plain = Renderer().render(frame, o);
  o.keep_stamps = true;
  const RenderResult result = Renderer().render(frame, o);
  expect_same(result, plain);
  EXPECT_EQ(result.statistics.kernel, "all");
  EXPECT_NE(plain.statistics.kernel, "all");
  const Layer& layer = result.targets[main_target(frame)].layers[0];
  ASSERT_EQ(layer.stamps.size(), 160u * 96u);
  std::vector<bool> seen(layer.stamps.size(), false);
  for (size_t i = 0; i < layer.stamps.size(); ++i) {
    const FragmentStamp& stamp = layer.stamps[i];
    ASSERT_LT(stamp.order, seen.size());
    EXPECT_FALSE(seen[stamp.order]);
    seen[stamp.order] = true;
    EXPECT_LT(stamp.block, uint32_t(result.statistics.workers));
    EXPECT_LT(stamp.warp, uint32_t(result.statistics.warps_per_block));
    const size_t x = i % 160 / 32 * 32, y = i / 160 / 32 * 32;
    EXPECT_EQ(stamp.block, layer.stamps[y * 160 + x].block);
  }
}

}  // namespace
}  // namespace brokkr
