// The pipeline itself under the probe, on any of its machines: its fragments have stamps.
#pragma once

#include <memory>

#include "brokkr/renderer.h"
#include "probe/subject.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

class BrokkrSubject : public Subject {
 public:
  // Every block works for its own rasterizers alone (Ownership::fixed), as processors do whose tiles are theirs.
  explicit BrokkrSubject(RenderOptions options);
  ~BrokkrSubject() override;

  std::string name() const override { return name_; }
  const char* unit() const override { return "ms"; }
  // Interpreted shaders take some 50 ns for an addition.
  Costs costs() const override { return {20000, 20}; }
  // Every fragment is drawn, in the order of the primitives: depths are not tested. The cost is the time of the block
  // that worked longest, in processor time on the CPU: what the frame would take on a machine that has a core for each
  // block.
  Film draw(const Drawing& drawing) override;

 private:
  struct Prepared;
  RenderOptions options_;
  std::string name_;
  Renderer renderer_;
  std::unique_ptr<Prepared> prepared_;
};

// The stamps of a layer (RenderOptions::keep_stamps); units are blocks.
Film film_of(const Layer& layer);

// The map of a pattern as the stamps of a frame show it: a triangle over two periods of it, as far as 4096 pixels go,
// with a block for each rasterizer. Throws std::runtime_error where the machine runs fewer blocks than that.
TileMap map_of_pipeline(RenderOptions options);

}  // namespace brokkr::probe
