#include "plan/user_shader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/loading.h"
#include "brokkr/renderer.h"

namespace brokkr {
namespace {

constexpr int kFirstId = 1 << 20;  // first id of targets, beyond those of captured frames
constexpr uint64_t kTexelBytes = 4 * sizeof(float);

std::string label_of(int buffer, bool is_of_this_picture) {
  return fmt::format("Buffer {}{}", char('A' + buffer), is_of_this_picture ? "" : ", picture before");
}

uint32_t target_of(const Frame& frame, int buffer) {
  const auto found = std::ranges::find(frame.targets, kFirstId + buffer, &Target::id);
  if (found == frame.targets.end()) throw std::logic_error("user_buffers: the frame has no such buffer");
  return uint32_t(found - frame.targets.begin());
}

// Returns true if a pass reads the last picture of its own buffer or of a buffer that is drawn after it.
bool reads_earlier(const FragmentShader& shader, int pass) {
  const FragmentShader one = pass_of(shader, pass);
  for (int i = 0; i < kBuffers; ++i) {
    const std::string name = fmt::format("iChannel{}", i);
    if (one.textures.contains(name) || one.text.find(name) == std::string::npos) continue;
    const std::optional<ShaderChannel> channel = channel_of(one, name);
    if (channel && channel->source == ShaderChannel::Source::buffer && channel->buffer >= pass) return true;
  }
  return false;
}

}  // namespace

FragmentShader pass_of(const FragmentShader& shader, int pass) {
  FragmentShader one;
  one.time = shader.time;
  one.mouse = shader.mouse;
  one.keys = shader.keys;
  one.pressed = shader.pressed;
  one.toggled = shader.toggled;
  // A pass needs to know which buffers exist; it does not need their texts.
  for (size_t i = 0; i < shader.buffers.size(); ++i) one.buffers[i].text = shader.buffers[i].text;
  if (pass == kPicturePass) {
    one.text = shader.text;
    one.name = shader.name;
    one.uniforms = shader.uniforms;
    one.textures = shader.textures;
    one.channels = shader.channels;
    one.vertex = shader.vertex;
  } else {
    const ShaderBuffer& buffer = shader.buffers[size_t(pass)];
    one.text = buffer.text;
    one.name = buffer.name.empty() ? label_of(pass, true) : buffer.name;
    one.textures = buffer.textures;
    one.channels = buffer.channels;
  }
  if (!shader.common.empty()) one.text = shader.common + "\n#line 1\n" + one.text;
  return one;
}

std::optional<ShaderChannel> channel_of(const FragmentShader& pass, const std::string& sampler) {
  const auto given = pass.channels.find(sampler);
  const bool is_buffer = given != pass.channels.end() && given->second.source == ShaderChannel::Source::buffer;
  if (given != pass.channels.end() && !is_buffer) return given->second;
  const bool is_channel =
      sampler.size() == 9 && sampler.starts_with("iChannel") && sampler[8] >= '0' && sampler[8] <= '3';
  if (!is_buffer && !is_channel) return std::nullopt;
  ShaderChannel channel;
  if (is_buffer)
    channel = given->second;
  else
    channel = {.source = ShaderChannel::Source::buffer, .buffer = sampler[8] - '0'};
  const bool is_there =
      channel.buffer >= 0 && channel.buffer < kBuffers && !pass.buffers[size_t(channel.buffer)].text.empty();
  return is_there ? channel : ShaderChannel{};
}

void add_buffers(Frame& frame, const FragmentShader& shader, Loading& loading) {
  const Target& main = frame.targets[main_target(frame)];
  const int width = main.width, height = main.height;
  for (int buffer = 0; buffer < kBuffers; ++buffer) {
    if (shader.buffers[size_t(buffer)].text.empty()) continue;
    const auto target = uint32_t(frame.targets.size());
    Target made{.id = kFirstId + buffer,
                .width = width,
                .height = height,
                .format = ColorFormat::rgba16f,
                .colors = {{TexelFormat::rgba32f, TexelBase::rgba}},
                .depth = {},
                .stencil = {}};
    frame.targets.push_back(std::move(made));
    frame.views.push_back({.target = target});
    CapturedTexture texture{.label = label_of(buffer, true),
                            .format = TexelFormat::rgba32f,
                            .width = width,
                            .height = height,
                            .images = {}};
    texture.images = {{.target = target}};
    frame.captured_textures.push_back(texture);
    texture.label = label_of(buffer, false);
    texture.images.clear();
    texture.stored = true;
    texture.first_byte = frame.texture_data.size();
    loading.need(texture_bytes(texture) * 3, texture.label);
    frame.texture_data.resize(size_t(texture.first_byte + texture_bytes(texture)));
    frame.captured_textures.push_back(std::move(texture));
  }
}

size_t buffer_texture(const Frame& frame, int buffer, bool is_of_this_picture) {
  const std::string label = label_of(buffer, is_of_this_picture);
  const auto found = std::ranges::find(frame.captured_textures, label, &CapturedTexture::label);
  if (found == frame.captured_textures.end()) throw std::logic_error("user_buffers: the frame has no such texture");
  return size_t(found - frame.captured_textures.begin());
}

std::vector<size_t> add_buffer_draw(Frame& frame, int buffer) {
  const uint32_t target = target_of(frame, buffer);
  State state;
  state.viewport = {0, 0, frame.targets[target].width, frame.targets[target].height};
  state.depth = {.test = false, .write = false};
  frame.states.push_back(state);
  DrawCommand draw;
  draw.first_view = uint32_t(std::ranges::find(frame.views, target, &View::target) - frame.views.begin());
  draw.state = uint32_t(frame.states.size() - 1);
  draw.element_count = draw.vertex_count = 3;
  draw.first_vertex = frame.positions.size();
  draw.label = label_of(buffer, true);
  for (const auto& [x, y] : {std::pair{-1.0f, -1.0f}, {3.0f, -1.0f}, {-1.0f, 3.0f}})
    frame.positions.emplace_back(x, y, 0, 1);
  const size_t vertices = frame.positions.size();
  if (!frame.normals.empty()) frame.normals.resize(vertices, glm::vec3(0, 0, 1));
  if (!frame.texcoords.empty()) frame.texcoords.resize(vertices);
  if (!frame.second_texcoords.empty()) frame.second_texcoords.resize(vertices);
  if (!frame.colors.empty()) frame.colors.resize(vertices, glm::vec4(1));
  if (frame.materials.empty()) frame.materials.emplace_back();
  // Insert the draw after the draws of earlier buffers, which begin the frame.
  size_t place = 0;
  while (place < frame.commands.size() && std::holds_alternative<DrawCommand>(frame.commands[place]) &&
         frame.targets[frame.views[std::get<DrawCommand>(frame.commands[place]).first_view].target].id >= kFirstId)
    ++place;
  frame.commands.insert(frame.commands.begin() + std::ptrdiff_t(place), std::move(draw));
  return {place};
}

std::vector<uint32_t> keyboard_texels(const FragmentShader& shader) {
  std::vector<uint32_t> texels(size_t(kKeyboardWidth) * 3, 0xff000000u);
  size_t row = 0;
  for (const auto* keys : {&shader.keys, &shader.pressed, &shader.toggled}) {
    for (const uint8_t key : *keys) texels[row * size_t(kKeyboardWidth) + key] = 0xff0000ffu;
    ++row;
  }
  return texels;
}

void update_keyboard(Frame& frame, const FragmentShader& shader) {
  const auto found = std::ranges::find(frame.captured_textures, "keyboard", &CapturedTexture::label);
  if (found == frame.captured_textures.end() || found->width != kKeyboardWidth || !found->stored) return;
  const std::vector<uint32_t> texels = keyboard_texels(shader);
  const uint64_t bytes = texels.size() * sizeof(uint32_t);
  if (found->first_byte > frame.texture_data.size() || bytes > frame.texture_data.size() - found->first_byte) return;
  std::memcpy(frame.texture_data.data() + found->first_byte, texels.data(), size_t(bytes));
}

bool reads_earlier_buffers(const FragmentShader& shader) {
  for (int pass = 0; pass < kBuffers; ++pass) {
    if (!shader.buffers[size_t(pass)].text.empty() && reads_earlier(shader, pass)) return true;
  }
  return false;
}

void keep_buffers(Frame& frame, const FragmentShader& shader, const RenderResult& result) {
  for (int buffer = 0; buffer < kBuffers; ++buffer) {
    if (shader.buffers[size_t(buffer)].text.empty()) continue;
    const uint32_t target = target_of(frame, buffer);
    const CapturedTexture& texture = frame.captured_textures[buffer_texture(frame, buffer, false)];
    if (target >= result.targets.size() || result.targets[target].layers.empty())
      throw std::invalid_argument("keep_buffers: the result has no pictures of the buffers; render with read_back");
    const Layer& layer = result.targets[target].layers[0];
    const std::vector<float>& values = layer.more_colors.empty() ? layer.color_float : layer.more_colors[0];
    const uint64_t bytes = uint64_t(texture.width) * uint64_t(texture.height) * kTexelBytes;
    if (values.size() * sizeof(float) != bytes)
      throw std::invalid_argument("keep_buffers: the result is of another frame; pass the one of this frame");
    std::memcpy(frame.texture_data.data() + texture.first_byte, values.data(), size_t(bytes));
  }
}

}  // namespace brokkr
