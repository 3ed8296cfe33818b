// Trims frames to fewer commands and bytes: selects draws, and removes data that the pictures do not need.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "brokkr/renderer.h"

namespace brokkr {

// Selects draws of a frame: hidden, alone, or up to one of them.

// Indices of the draws in Frame::commands, ascending.
std::vector<uint32_t> draw_commands(const Frame& frame);

// Draws that must be hidden so that only `command` is drawn: all other draws, ascending. Clears and blits stay.
std::vector<uint32_t> all_but(const Frame& frame, uint32_t command);

// The first draw after `command`, or the last draw before it; empty if there is none.
std::optional<uint32_t> next_draw(const Frame& frame, uint32_t command);
std::optional<uint32_t> previous_draw(const Frame& frame, uint32_t command);

// Makes draws draw nothing; they stay in Frame::commands, so every command keeps its number. Numbers that are not draws
// are ignored.
void hide_draws(Frame& frame, std::span<const uint32_t> commands);

// Removes from a frame what its commands do not need: the same pictures from fewer bytes.
struct TrimRequest {
  std::vector<bool> commands;    // by number: true if the command stays; commands beyond the list are removed
  std::vector<bool> references;  // by number: true if the reference stays
};

struct TrimmedFrame {
  Frame frame;
  std::vector<uint32_t> targets;        // by target of `frame`: its number in the original frame
  std::vector<uint32_t> vertex_inputs;  // by Frame::vertex_inputs of `frame`: their number in the original frame
};

// Keeps the selected commands and references, and what these refer to: targets, states, programs, textures, samplers,
// and vertices that an index refers to; draws with vertex programs keep all vertices. Duplicates are stored once.
// Names, labels and the targets' identifiers stay. `frame` must be a valid captured frame without VertexKind::transform
// draws.
TrimmedFrame trim_frame(const Frame& frame, const TrimRequest& request);

// The sizes of a frame's parts in bytes, by name.
std::vector<std::pair<const char*, uint64_t>> bytes_by_kind(const Frame& frame);

// Finds the commands that contribute to a target's picture.

// By number, whether each of the first `end` commands may affect the planes of `target`, either after the last of them
// or at the frame's references of the target. Planes are tracked as a whole; a plane's content before a full clear does
// not count. The frame must be valid, and `end` at most the number of its commands.
std::vector<bool> contributing_commands(const Frame& frame, uint32_t target, uint32_t end);

// Finds which texels of a captured frame's textures are read while it is drawn.

// Watches the memory that lookups read on a CPU. It sees the reads of any kernel or shader, without cost when not in
// use: between `begin` and `end` the memory's blocks of 4 KiB or more are unreadable, and the first access to each
// raises a signal (SIGSEGV), whose handler records the block and opens it. Only one watch at a time may be between
// these two calls.
class TexelWatch {
 public:
  // Watches the textures in `prepared`, which must outlive the watch.
  explicit TexelWatch(const PreparedFrame& prepared);
  ~TexelWatch();
  TexelWatch(const TexelWatch&) = delete;
  TexelWatch& operator=(const TexelWatch&) = delete;

  // Throws std::system_error if the system cannot watch memory; nothing is watched then.
  void begin();
  void end();

  // Returns true if one of `count` words from the word `first` of SampledTextures::texels on may have been read or
  // written since the watch was created. Pages that also hold other data are never watched and always return true.
  bool was_used(uint64_t first, uint64_t count) const;

  // For the signal's handler: opens the block at this address. Returns false if the address is not watched.
  bool open(const void* address) noexcept;

 private:
  const std::byte* texels_ = nullptr;
  std::byte* start_ = nullptr;  // of the first block
  size_t block_bytes_ = 0, blocks_ = 0;
  std::unique_ptr<std::atomic<bool>[]> used_;  // by block
  bool watching_ = false;
};

// Removes texels that no lookup of a frame reads.

// Replaces stored texels (for compressed textures, blocks) that `watch` has not seen used by copies of others, so that
// they compress to nothing in a file. Textures keep their sizes and levels, and no texel gets a value that its level
// did not have. Textures that share bytes, or that planes are loaded from, stay unchanged. `prepared` must be made from
// `frame`. Returns the bytes of the remaining texels.
uint64_t forget_unread_texels(Frame& frame, const PreparedFrame& prepared, const TexelWatch& watch);

}  // namespace brokkr
