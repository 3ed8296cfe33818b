// A model of the G80 after [FragSniffer, 2 and Fig. 4], as a subject that tests the probe: the probe must find the
// model's parameters. It shares only drawings and films with the probe and keeps its processors private.
//
// A rasterizer walks over a primitive tile by tile, two rows of tiles at a time, and cuts it into superfragments of 2 x
// 2 pixels. Pixels outside the primitive are ghosts: threads without output. Each tile belongs to a texture processor,
// which assembles its superfragments to warps in order of arrival, eight per warp, from at most four primitives. Warps
// wait in a FIFO; if it is full, the rasterizer waits, and so do all other processors. Warps leave the FIFO in order,
// alternating between the two multiprocessors of the texture processor. Each multiprocessor holds a few warps. It runs
// one after another, or alternates between several if instructions wait for each other.
#pragma once

#include "probe/drawing.h"

namespace brokkr::probe {

struct G80Options {
  int processors = 6;                            // texture processors
  int tile = 16;                                 // pixels per side
  int multiprocessors = 2;                       // per texture processor
  int fifo = 22;                                 // warps; gives the window of 5000 pixels of E1.2; 28 would give 6000
  int resident = 4;                              // warps per multiprocessor: a column of a tile (E1.3)
  int superfragments = 8;                        // superfragments of 4 threads per warp
  int primitives = 4;                            // maximum per warp
  std::vector<int> shifts = {0, 2, 4, 1, 5, 3};  // Tile(i, j) = (i + shifts[j mod size]) mod processors
};

class G80Model : public Subject {
 public:
  explicit G80Model(G80Options options = {}) : options_(std::move(options)) {}
  std::string name() const override { return "G80 model"; }
  const char* unit() const override { return "additions"; }
  Film draw(const Drawing& drawing) override;
  double cost(const Drawing& drawing) override;

 private:
  G80Options options_;
};

}  // namespace brokkr::probe
