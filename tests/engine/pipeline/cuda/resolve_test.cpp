// A layer in a surface of the device has the same bits as the picture after read-back.
#include <gtest/gtest.h>

#include <vector>

#include "brokkr/image.h"
#include "brokkr/renderer.h"
#include "machine/cuda_memory.h"
#include "oracle/soup.h"

namespace brokkr {
namespace {

using cuda_test::require;

// RGBA8 texels that a kernel may write to.
class DeviceImage {
 public:
  DeviceImage(int width, int height) : width_(size_t(width)), height_(size_t(height)) {
    const cudaChannelFormatDesc format{8, 8, 8, 8, cudaChannelFormatKindUnsigned};
    require(cudaMallocArray(&array_, &format, width_, height_, cudaArraySurfaceLoadStore), "array");
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    description.res.array.array = array_;
    require(cudaCreateSurfaceObject(&surface_, &description), "surface");
  }
  ~DeviceImage() {
    cudaDestroySurfaceObject(surface_);
    cudaFreeArray(array_);
  }
  DeviceImage(const DeviceImage&) = delete;
  DeviceImage& operator=(const DeviceImage&) = delete;

  cudaSurfaceObject_t surface() const { return surface_; }
  std::vector<uint32_t> texels() const {
    std::vector<uint32_t> result(width_ * height_);
    require(cudaMemcpy2DFromArray(result.data(), width_ * 4, array_, 0, 0, width_ * 4, height_, cudaMemcpyDeviceToHost),
            "texels");
    return result;
  }

 private:
  size_t width_, height_;
  cudaArray_t array_ = nullptr;
  cudaSurfaceObject_t surface_ = 0;
};

// Larger than a region, and no multiple of a tile.
oracle::SoupOptions soup(ColorFormat format) {
  oracle::SoupOptions o;
  o.width = 131;
  o.height = 70;
  o.layers = 2;
  o.format = format;
  o.draws = 5;
  o.triangles = 20;
  return o;
}

TEST(CudaResolve, GivesThePictureThatIsReadBack) {
  for (const ColorFormat format : {ColorFormat::rgba8, ColorFormat::rgba8_srgb, ColorFormat::rgba16f}) {
    SCOPED_TRACE(int(format));
    const Frame frame = oracle::make_soup(1, soup(format));
    Renderer renderer;
    PreparedFrame prepared = renderer.prepare(frame);
    RenderOptions options;
    options.machine = MachineKind::cuda;
    options.shading = Shading::draw;
    const RenderResult result = renderer.render(prepared, options);
    for (uint32_t i = 0; i < 2; ++i) {
      const Layer& layer = result.targets[0].layers[i];
      const DeviceImage image(layer.width, layer.height);
      ASSERT_TRUE(renderer.resolve_to_surface(0, i, image.surface()));
      std::vector<uint32_t> expected = screen_pixels(layer);
      for (uint32_t& texel : expected) texel |= 0xff000000u;
      EXPECT_EQ(image.texels(), expected) << "layer " << i;
    }
  }
}

TEST(CudaResolve, AnswersWhereThereIsNothing) {
  const Frame frame = oracle::make_soup(2, soup(ColorFormat::rgba8));
  const DeviceImage image(131, 70);
  Renderer renderer;
  EXPECT_FALSE(renderer.resolve_to_surface(0, 0, image.surface())) << "nothing was drawn";
  RenderOptions options;
  options.machine = MachineKind::cuda;
  renderer.render(frame, options);
  EXPECT_FALSE(renderer.resolve_to_surface(1, 0, image.surface())) << "the frame has one target";
}

}  // namespace
}  // namespace brokkr
