// A part of a frame, as one of several ranks draws it (src/ranks): the pixels that it owns, the commands that come
// next, what the targets hold when they begin, and the primitives that it was given.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "brokkr/pattern.h"
#include "brokkr/renderer.h"
#include "frame/frame_tables.h"

namespace brokkr {

// The squares of pixels that a rank owns, in all layers of a target.
struct OwnedBins {
  Pattern pattern;  // of as many owners as there are ranks
  int bin = 32;     // edge of a square, in pixels
  uint32_t rank = 0;

  uint32_t owner(uint32_t target, int x, int y) const {
    return (uint32_t(pattern.at(x / bin, y / bin)) + target) % uint32_t(pattern.rasterizers);
  }
  bool owns(uint32_t target, int x, int y) const { return owner(target, x, y) == rank; }
};

struct FramePart {
  std::shared_ptr<const OwnedBins> owned;  // null: all
  uint32_t first_command = 0;
  const std::vector<TargetImage>* content = nullptr;  // null: as at the beginning of a frame
  // The targets are in the machine's memory as its last launch, and TargetSquares, have left them; without content.
  bool stays = false;
};

// The draws of a prepared frame, which is left with some of their primitives. All are back when this ends.
class [[gnu::visibility("hidden")]] GivenDraws {
 public:
  // `named`: the frame's tables know each primitive's id in the whole frame, PreparedFrame::Impl::whole_ids.
  explicit GivenDraws(PreparedFrame & frame, bool named = false);
  ~GivenDraws();
  GivenDraws(const GivenDraws&) = delete;
  GivenDraws& operator=(const GivenDraws&) = delete;

  // Leaves these primitives, by their ids in the whole frame, in ascending order. They keep their order, their vertices
  // and the numbers of their draws, and with them every bit of the picture; they get other ids. Several instances of a
  // draw are left with what any of them was given.
  void give(std::span<const uint32_t> primitives);
  // Leaves the draws of commands first .. end - 1 as they are.
  void give_commands(uint32_t first, uint32_t end);

  // The draws of the whole frame.
  const std::vector<DrawRecord>& draws() const { return draws_; }
  const std::vector<RunRecord>& runs() const { return runs_; }
  const uint32_t* indices() const { return indices_; }

 private:
  void clear();
  void make_list(DrawRecord & draw, const DrawRecord& whole, const std::vector<uint32_t>& triangles,
                 std::vector<uint32_t>& indices) const;
  // `triangles`: of the whole draw, those that the run is left with; null: all.
  void add_run(PreparedFrame::Impl & p, size_t draw, uint32_t number, const std::vector<uint32_t>* triangles) const;

  PreparedFrame& frame_;
  bool named_;
  std::vector<DrawRecord> draws_;
  std::vector<uint32_t> draw_end_;
  std::vector<RunRecord> runs_;
  std::vector<uint32_t> batch_run_, own_indices_;
  const uint32_t* indices_ = nullptr;
};

// A launch numbers what it was given anew. Identifiers that it has written become those of the whole frame: of a frame
// whose GivenDraws are named. Those that targets held before must have been marked by mark_earlier.
void name_whole(std::vector<TargetImage>& targets, const PreparedFrame& frame);
void mark_earlier(std::vector<TargetImage>& targets);

}  // namespace brokkr
