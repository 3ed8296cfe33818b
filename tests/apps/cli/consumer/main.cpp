// Draws one triangle over the lower left half of a small target with the installed library: in eight-bit and in
// floating-point colours, to memory and to a PNG file.
#include <brokkr/fragment_shader.h>
#include <brokkr/frame.h>
#include <brokkr/image.h>
#include <brokkr/load.h>
#include <brokkr/options.h>
#include <brokkr/pattern.h>
#include <brokkr/renderer.h>
#include <brokkr/version.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

constexpr int kSize = 64;

brokkr::Frame half_covered(brokkr::ColorFormat format) {
  brokkr::Frame frame;
  frame.targets.push_back({.id = 0, .width = kSize, .height = kSize, .format = format});
  frame.views.push_back({});
  brokkr::State state;
  state.viewport = {0, 0, kSize, kSize};
  frame.states.push_back(state);
  frame.materials.push_back({});
  frame.positions = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
  frame.commands.emplace_back(brokkr::ClearCommand{.color = glm::vec4(0.25f, 0, 1, 1), .depth = 1.0f});
  frame.commands.emplace_back(brokkr::DrawCommand{.element_count = 3, .vertex_count = 3});
  return frame;
}

// The colour of Shading::flat covers the lower left half, the clear colour covers the rest; `clear` is its value in the
// PNG.
void check(brokkr::ColorFormat format, uint32_t clear) {
  const brokkr::Frame frame = half_covered(format);
  brokkr::Renderer renderer;
  const brokkr::RenderResult result = renderer.render(frame, {.shading = brokkr::Shading::flat});
  const brokkr::Layer& layer = result.targets.at(brokkr::main_target(frame)).layers.at(0);
  // The bottom-left rule decides about samples on the diagonal, which is not a bottom or left edge.
  expect(std::count(layer.depth.begin(), layer.depth.end(), 0.5f) == kSize * (kSize - 1) / 2, "covered samples");
  expect(layer.color.empty() == (format == brokkr::ColorFormat::rgba16f), "colour is held in the target's format");

  brokkr::write_png("picture.png", layer);
  const brokkr::Image picture = brokkr::read_image("picture.png");
  expect(picture.width == kSize && picture.height == kSize && !picture.has_alpha, "size of the picture");
  expect(picture.texels == brokkr::screen_pixels(layer), "the file holds what the screen shows");
  expect(std::count(picture.texels.begin(), picture.texels.end(), clear) == kSize * (kSize + 1) / 2,
         "colour of the clear");
  expect(picture.texels[0] != clear && picture.texels[kSize * kSize - 1] == clear, "rows run from bottom to top");
}

// Compiles a shader's text and draws a scene with it; a library built without run-time shaders reports that.
void check_fragment_shader() {
  brokkr::Frame frame = brokkr::load_frame("generated:screen", {.width = kSize, .height = kSize});
  brokkr::FragmentShader shader{.text = "uniform vec3 tint; out vec4 color; void main() { color = vec4(tint, 1.0); }"};
  shader.uniforms["tint"] = {1, 0, 0.2};
  try {
    brokkr::set_fragment_shader(frame, shader);
    const brokkr::RenderResult result = brokkr::Renderer().render(frame, {});
    expect(result.targets.at(0).layers.at(0).color.at(0) == 0xff3300ff, "colour of the shader");
    shader.text = "out vec4 color;\nvoid main() { color = speed; }";
    frame = brokkr::load_frame("generated:screen", {.width = kSize, .height = kSize});
    brokkr::set_fragment_shader(frame, shader);
    expect(false, "a fault of a shader is an error");
  } catch (const std::runtime_error& e) {
    const bool is_known = std::strstr(e.what(), "shader:2: 'speed'") != nullptr;
    expect(is_known || std::strstr(e.what(), "BROKKR_SHADERS=ON") != nullptr, e.what());
  }
}

}  // namespace

int main() {
  check(brokkr::ColorFormat::rgba8, 0xffff0040);
  check(brokkr::ColorFormat::rgba16f, 0xffff0089);  // sRGB-encoded: 0.25 is 137
  check_fragment_shader();
  expect(std::strcmp(brokkr::library_version(), BROKKR_VERSION) == 0, "library and headers are of one version");
  expect(!brokkr::find_machines().empty(), "machines");
  expect(brokkr::make_pattern(brokkr::PatternKind::diagonal, 4, 4, 4).at(1, 1) == 2, "pattern");
  // Exceptions of the library can be caught outside it.
  try {
    brokkr::load_frame("generated:nothing", {});
    expect(false, "an unknown scene is an error");
  } catch (const std::runtime_error& e) {
    expect(std::strstr(e.what(), "nothing") != nullptr, "the error names the scene");
  }
  std::printf("%s with brokkr %s: %d failures\n", brokkr::find_machines().back().name.c_str(),
              brokkr::library_version(), failures);
  return failures == 0 ? 0 : 1;
}
