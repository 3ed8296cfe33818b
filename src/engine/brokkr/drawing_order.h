// The drawing order of transparent draws.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// A bit of DrawCommand::flags, in addition to those of DrawFlag, for VertexKind::transform. Neighbours in
// Frame::commands that have this bit and the same first view are drawn from back to front, by the distance of their
// centres from that view's camera. Loaders set it for transparent surfaces.
inline constexpr uint32_t kBackToFront = 1u << 9;

// The centres of draws that have kBackToFront, in world space, one per command. A centre is that of the box around the
// vertices of the draw's first instance. It is zero for other commands. The list is empty if no draw has the bit.
std::vector<glm::vec3> draw_middles(const Frame& frame);

// The numbers of the frame's commands in drawing order: the order of the list, except that draws with kBackToFront are
// sorted by distance. Draws at equal distance keep the order of the list. `middles` are the frame's draw_middles; if it
// is empty, the order is that of the list. PreparedFrame::update_views sorts again.
std::vector<uint32_t> drawing_order(const Frame& frame, std::span<const glm::vec3> middles);
std::vector<uint32_t> drawing_order(const Frame& frame);

}  // namespace brokkr
#pragma GCC visibility pop
