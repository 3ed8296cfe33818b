// Reads buffers and pictures from GL; all state is restored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/state_guard.h"
#include "capture/targets.h"

namespace brokkr::capture {

// Plain packing until `restore` is destroyed: contiguous rows in client memory, values unchanged.
void pack_plainly(const Context& context, Restore& restore);

// `size` bytes from `offset` of the buffer bound to `target`; fewer if the buffer ends.
std::vector<std::byte> read_buffer(const Context& context, GLenum target, uint64_t offset, uint64_t size);

// Window depth, rows bottom to top; empty if the driver does not provide it.
std::vector<float> read_depth(const Context& context, const TargetInfo& target);
std::vector<uint8_t> read_stencil(const Context& context, const TargetInfo& target);

// RGBA, rows bottom to top: 8-bit integers, or 16-bit floats.
std::vector<std::byte> read_colors(const Context& context, const TargetInfo& target, Plane plane,
                                   const ReadFormat& format);

// The picture as PNG; empty if the driver does not provide it.
std::vector<uint8_t> read_picture(const Context& context, const TargetInfo& target);

}  // namespace brokkr::capture
