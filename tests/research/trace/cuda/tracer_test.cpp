// The path tracer on CUDA gives the same picture as on the CPU, bit for bit.
#include <gtest/gtest.h>

#include <utility>

#include "../scene.h"
#include "trace/tracer.h"

namespace brokkr::trace_test {
namespace {

TEST(TracerOnCuda, GivesThePictureOfTheCpu) {
  if (make_cuda_task_machine() == nullptr) GTEST_SKIP() << "no GPU";
  SceneMaker made(16, 16, {0.3f, 1.2f, 3.5f}, {0, 0, 0});
  made.soup(40, 3, made.material(glm::vec3(0.7f), glm::vec3(0), glm::vec3(0.2f), 60));
  const int leaves = made.material(glm::vec3(0.4f, 0.6f, 0.3f));
  made.quad({-3, -1.2f, -3}, {6, 0, 0}, {0, 0, 6}, leaves);
  made.quad({-0.5f, 2, -0.5f}, {1, 0, 0}, {0, 0, 1}, made.material(glm::vec3(0), glm::vec3(9, 8, 7)));
  Texture texture;
  texture.width = texture.height = 2;
  texture.texels = {0x00ffffff, 0xff80c0ff, 0xffffffff, 0xff2040ff};
  made.frame.textures.push_back(texture);
  made.frame.materials[size_t(leaves)].diffuse_texture = 0;
  made.frame.materials[size_t(leaves)].alpha_cutoff = 0.3f;
  using trace::StructureKind;
  for (const auto& [structure, children] : {std::pair(StructureKind::bvh, 2u),
                                            {StructureKind::bvh, 8u},
                                            {StructureKind::kd, 0u},
                                            {StructureKind::grug, 0u}}) {
    trace::TraceOptions o;
    o.structure = structure;
    o.bvh_children = children;
    o.grid = 8;
    o.samples = 4;
    o.bounces = 2;
    o.workers = 2;
    const trace::TracePicture cpu = picture_of(made.frame, "cpu", "", o);
    o.workers = 8;
    const trace::TracePicture cuda = picture_of(made.frame, "cuda", "", o);
    EXPECT_EQ(cpu.rgb, cuda.rgb) << "structure " << int(structure) << ", children " << children;
    EXPECT_EQ(cpu.samples, cuda.samples);
  }
}

}  // namespace
}  // namespace brokkr::trace_test
