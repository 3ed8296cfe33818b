// The pipeline as a subject of the probe, on any of its machines: its fragments have stamps.
#pragma once

#include <memory>

#include "brokkr/renderer.h"
#include "probe/subject.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

class BrokkrSubject : public Subject {
 public:
  // Every block works only for its own rasterizers (Ownership::fixed), like a processor with fixed tiles.
  explicit BrokkrSubject(RenderOptions options);
  ~BrokkrSubject() override;

  std::string name() const override { return name_; }
  const char* unit() const override { return "ms"; }
  // Interpreted shaders take about 50 ns per addition.
  Costs costs() const override { return {20000, 20}; }
  // Draws every fragment, in the order of the primitives; depth is not tested. The cost is the time of the block that
  // worked longest, in processor time on the CPU: the frame's time on a machine with a core per block.
  Film draw(const Drawing& drawing) override;

 private:
  struct Prepared;
  RenderOptions options_;
  std::string name_;
  Renderer renderer_;
  std::unique_ptr<Prepared> prepared_;
};

// The stamps of a layer (RenderOptions::keep_stamps) as a film; units are blocks.
Film film_of(const Layer& layer);

// The map of a pattern derived from a frame's stamps: a triangle covers two of its periods, up to 4096 pixels, with one
// block per rasterizer. Throws std::runtime_error if the machine runs fewer blocks.
TileMap map_of_pipeline(RenderOptions options);

}  // namespace brokkr::probe
