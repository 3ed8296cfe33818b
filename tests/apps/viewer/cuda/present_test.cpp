// Shows frames of the CUDA machine in an OpenGL texture, without a window.
#include <glad/gl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "brokkr/image.h"
#include "oracle/soup.h"
#include "reference/egl_context.h"
#include "viewer/present.h"

namespace brokkr::viewer {
namespace {

class CudaPresenter : public testing::Test {
 protected:
  void SetUp() override {
    options.machine = MachineKind::cuda;
    options.shading = Shading::draw;
    try {
      context = std::make_unique<EglContext>();
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
    presenter = make_cuda_presenter([] {});
    if (!presenter->takes_device_frames(options)) GTEST_SKIP() << presenter->description();
  }

  // The first layer of the frame, as read from the texture.
  std::vector<uint32_t> shown(uint64_t number, Renderer& renderer, int width, int height) {
    std::atomic<bool> done = false;
    bool taken = false;
    std::thread writer([&] {
      taken = presenter->write_device(number, renderer, 0, 0, width, height);
      done = true;
    });
    while (!done) presenter->update();
    writer.join();
    const ShownImage image = presenter->update();
    EXPECT_TRUE(taken) << presenter->description();
    EXPECT_EQ(image.number, number);
    EXPECT_EQ(image.width, width);
    EXPECT_EQ(image.height, height);
    std::vector<uint32_t> texels(size_t(width) * size_t(height));
    glBindTexture(GL_TEXTURE_2D, image.texture);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    return texels;
  }

  std::unique_ptr<EglContext> context;
  std::unique_ptr<Presenter> presenter;
  RenderOptions options;
};

TEST_F(CudaPresenter, ShowsThePictureThatIsReadBack) {
  oracle::SoupOptions soup;
  soup.draws = 5;
  soup.triangles = 20;
  uint64_t number = 0;
  Renderer renderer;
  // The window changes its size, and the frame changes its content.
  for (const int width : {100, 131, 131}) {
    soup.width = width;
    soup.height = 70;
    const Frame frame = oracle::make_soup(uint32_t(++number), soup);
    PreparedFrame prepared = renderer.prepare(frame);
    std::vector<uint32_t> expected = screen_pixels(renderer.render(prepared, options).targets[0].layers[0]);
    for (uint32_t& texel : expected) texel |= 0xff000000u;
    EXPECT_EQ(shown(number, renderer, width, 70), expected) << "frame " << number;
  }
  EXPECT_EQ(presenter->description(), "shared texture");
}

// Only pictures that CUDA did not draw go through the host: the next frame is shown as before.
TEST_F(CudaPresenter, LeavesOnlyTheFrameThatItCannotTakeToTheHost) {
  Renderer renderer;
  RenderOptions cpu = options;
  cpu.machine = MachineKind::cpu;
  const Frame frame = oracle::make_soup(1, {});
  renderer.render(frame, cpu);
  std::atomic<bool> done = false;
  bool taken = true;
  std::thread writer([&] {
    taken = presenter->write_device(1, renderer, 0, 0, 200, 150);
    done = true;
  });
  while (!done) presenter->update();
  writer.join();
  EXPECT_FALSE(taken);
  EXPECT_EQ(presenter->description(), "shared texture");
  EXPECT_TRUE(presenter->takes_device_frames(options));
  std::vector<uint32_t> expected = screen_pixels(renderer.render(frame, options).targets[0].layers[0]);
  for (uint32_t& texel : expected) texel |= 0xff000000u;
  EXPECT_EQ(shown(2, renderer, 200, 150), expected);
}

}  // namespace
}  // namespace brokkr::viewer
