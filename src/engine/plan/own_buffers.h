// Shadertoy's buffers: targets that a frame's draws write before the picture, and the textures that passes read of
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/fragment_shader.h"

namespace brokkr {

class Loading;

inline constexpr int kBuffers = 4, kPicturePass = kBuffers;  // passes 0 .. 3 draw buffers A .. D
inline constexpr int kKeyboardWidth = 256, kSilenceWidth = 512;

// The shader of one pass: its own text behind the common one, with its own textures and channels.
FragmentShader pass_of(const FragmentShader& shader, int pass);

// What the sampler reads in a pass; nothing for a sampler that is no channel.
std::optional<ShaderChannel> channel_of(const FragmentShader& pass, const std::string& sampler);

// The texels of the keyboard's texture, and what gives them to a frame that has it.
std::vector<uint32_t> keyboard_texels(const FragmentShader& shader);
void update_keyboard(Frame& frame, const FragmentShader& shader);

// iFrame.
int64_t frame_number(const FragmentShader& shader);

// Adds a target, a view and two textures for each buffer of the shader: of this picture and, 0 so far, of the one
// before. They are as large as the frame's main target. Throws what `loading` throws.
void add_buffers(Frame& frame, const FragmentShader& shader, Loading& loading);

// The number of a buffer's texture: of this picture, or of the one before.
size_t buffer_texture(const Frame& frame, int buffer, bool is_of_this_picture);

// Inserts a draw over the whole buffer before the draws of the passes behind it. Returns its command's number.
std::vector<size_t> add_buffer_draw(Frame& frame, int buffer);

}  // namespace brokkr
