#include "shade/triangle.h"

#include <algorithm>
#include <bit>

namespace brokkr::shader {

namespace {

struct Samples {
  std::vector<int> x, y;  // per lane
  uint64_t inside = 0;    // bit i: lane i lies in the picture
};

// Places quads of a row side by side, starting with quad `first_quad`.
Samples samples_of(int lanes, int first_quad, int row, int width, int height) {
  Samples samples;
  for (int lane = 0; lane < lanes; ++lane) {
    samples.x.push_back(2 * (first_quad + lane / 4) + (lane & 1));
    samples.y.push_back(2 * row + (lane >> 1 & 1));
    if (samples.x.back() < width && samples.y.back() < height) samples.inside |= uint64_t(1) << lane;
  }
  return samples;
}

class Shader {
 public:
  Shader(const Program& program, Instance& instance, TrianglePicture& picture,
         std::span<const std::vector<uint32_t>, 3> corners)
      : program_(program), instance_(instance), picture_(picture), corners_(corners) {}

  void shade(const Samples& samples) {
    for (const Input& input : program_.inputs) {
      for (uint32_t i = 0; i < input.words; ++i) fill(input, i, samples);
    }
    const uint64_t kept = instance_.run(samples.inside);
    for (size_t lane = 0; lane < samples.x.size(); ++lane) {
      if ((kept >> lane & 1) == 0) continue;
      const size_t pixel = size_t(samples.y[lane]) * size_t(picture_.width) + size_t(samples.x[lane]);
      picture_.kept[pixel] = 1;
      for (uint32_t word = 0; word < program_.output_words; ++word)
        picture_.outputs[pixel * program_.output_words + word] = std::bit_cast<float>(instance_.output(word)[lane]);
    }
  }

 private:
  void fill(const Input& input, uint32_t i, const Samples& samples) {
    const uint32_t word = input.first + i;
    if (input.kind == InputKind::front_facing) return instance_.set_truths(word, ~uint64_t(0));
    uint32_t* const lanes = instance_.input(word);
    if (lanes == nullptr) return;
    for (size_t lane = 0; lane < samples.x.size(); ++lane) {
      const float x = float(samples.x[lane]) + 0.5f, y = float(samples.y[lane]) + 0.5f;
      const float position[] = {x, y, 0.5f, 1.0f};
      if (input.kind == InputKind::position) {
        lanes[lane] = std::bit_cast<uint32_t>(position[i]);
      } else if (input.kind == InputKind::sample) {
        lanes[lane] = word_of_one_sample(SampleWord(uint32_t(input.sample_word) + i));
      } else if (input.interpolation == Interpolation::flat) {
        lanes[lane] = corners_[2][word];
      } else {
        const float a = std::bit_cast<float>(corners_[0][word]);
        const float right = (std::bit_cast<float>(corners_[1][word]) - a) * (x / float(2 * picture_.width));
        const float up = (std::bit_cast<float>(corners_[2][word]) - a) * (y / float(2 * picture_.height));
        lanes[lane] = std::bit_cast<uint32_t>(a + right + up);
      }
    }
  }

  const Program& program_;
  Instance& instance_;
  TrianglePicture& picture_;
  std::span<const std::vector<uint32_t>, 3> corners_;
};

}  // namespace

TrianglePicture shade_triangle(const Program& program, Instance& instance, int width, int height,
                               std::span<const std::vector<uint32_t>, 3> corners) {
  TrianglePicture picture;
  picture.width = width;
  picture.height = height;
  const size_t pixels = size_t(width) * size_t(height);
  picture.outputs.assign(pixels * program.output_words, 0.0f);
  picture.kept.assign(pixels, 0);
  Shader shader(program, instance, picture, corners);
  const int quads = instance.lanes() / 4;
  for (int row = 0; 2 * row < height; ++row) {
    for (int quad = 0; 2 * quad < width; quad += quads)
      shader.shade(samples_of(instance.lanes(), quad, row, width, height));
  }
  return picture;
}

}  // namespace brokkr::shader
