// A part of a frame that one of several ranks draws (research/ranks): the pixels that the rank owns, the commands that
// it runs next, the initial content of its targets, and the primitives assigned to it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "brokkr/pattern.h"
#include "brokkr/renderer.h"
#include "frame/frame_tables.h"

namespace brokkr {

// The squares of pixels that each rank owns, in all layers of a target.
struct OwnedBins {
  Pattern pattern;  // its owners are the ranks
  int bin = 32;     // edge of a square, in pixels
  uint32_t rank = 0;

  uint32_t owner(uint32_t target, int x, int y) const {
    return (uint32_t(pattern.at(x / bin, y / bin)) + target) % uint32_t(pattern.rasterizers);
  }
  bool owns(uint32_t target, int x, int y) const { return owner(target, x, y) == rank; }
};

struct FramePart {
  std::shared_ptr<const OwnedBins> owned;  // null: all pixels
  uint32_t first_command = 0;
  const std::vector<TargetImage>* content = nullptr;  // null: the state at the beginning of the frame
  // Targets keep the content that the machine's last launch and TargetSquares left in its memory; `content` is null.
  bool stays = false;

  // Returns true if the part is less than the whole frame.
  bool is_some() const { return owned != nullptr || first_command != 0 || content != nullptr || stays; }
};

// Reduces the draws of a prepared frame to some of their primitives. The destructor restores all draws.
class [[gnu::visibility("hidden")]] GivenDraws {
 public:
  // `named`: the frame's tables hold each primitive's id in the whole frame (PreparedFrame::Impl::whole_ids).
  explicit GivenDraws(PreparedFrame & frame, bool named = false);
  ~GivenDraws();
  GivenDraws(const GivenDraws&) = delete;
  GivenDraws& operator=(const GivenDraws&) = delete;

  // Keeps only these primitives, given by their ids in the whole frame in ascending order. They keep their order, their
  // vertices and the numbers of their draws, so every bit of the picture stays the same; their ids change. Each
  // instance of an instanced draw keeps every primitive that any instance was given.
  void give(std::span<const uint32_t> primitives);
  // Keeps the draws of commands first .. end - 1 unchanged.
  void give_commands(uint32_t first, uint32_t end);

  // The draws of the whole frame.
  const std::vector<DrawRecord>& draws() const { return draws_; }
  const std::vector<RunRecord>& runs() const { return runs_; }
  const uint32_t* indices() const { return indices_; }

 private:
  void clear();
  void make_list(DrawRecord & draw, const DrawRecord& whole, const std::vector<uint32_t>& triangles,
                 std::vector<uint32_t>& indices) const;
  // `triangles`: the triangles of the whole draw that the run keeps; null: all.
  void add_run(PreparedFrame::Impl & p, size_t draw, uint32_t number, const std::vector<uint32_t>* triangles) const;

  PreparedFrame& frame_;
  bool named_;
  std::vector<DrawRecord> draws_;
  std::vector<uint32_t> draw_end_;
  std::vector<RunRecord> runs_;
  std::vector<uint32_t> batch_run_, expanded_indices_;
  const uint32_t* indices_ = nullptr;
};

// name_whole: a launch numbers its given primitives from 0. This function replaces the identifiers that the launch
// wrote by those of the whole frame. The frame's GivenDraws must be named, and mark_earlier must have marked the
// identifiers that targets held before the launch.
void name_whole(std::vector<TargetImage>& targets, const PreparedFrame& frame);
void mark_earlier(std::vector<TargetImage>& targets);

}  // namespace brokkr
