// The order of draws that let others shine through.
#pragma once

#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// A bit of DrawCommand::flags beside those of DrawFlag, for VertexKind::transform: the draw and its neighbours in
// Frame::commands that have the bit too and the same first view are drawn from back to front, as that view sees the
// middles of their vertices. Loaders set it for transparent surfaces.
inline constexpr uint32_t kBackToFront = 1u << 9;

// The middles of draws that have kBackToFront, in world space, one per command: of the box around the vertices of the
// draw's first instance. Zero for other commands; empty where no draw has the bit.
std::vector<glm::vec3> draw_middles(const Frame& frame);

// The numbers of the frame's commands in the order in which they are drawn: that of the list, but for draws that have
// kBackToFront. Those that are equally far stay in the order of the list. `middles` are the frame's draw_middles;
// without any, the order is that of the list. PreparedFrame::update_views finds the order anew.
std::vector<uint32_t> drawing_order(const Frame& frame, std::span<const glm::vec3> middles);
std::vector<uint32_t> drawing_order(const Frame& frame);

}  // namespace brokkr
#pragma GCC visibility pop
