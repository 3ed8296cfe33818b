// A model of the G80 as [FragSniffer, 2 and Fig. 4] describes it, for the probe to be run on: what it finds must be
// what the model was made of. It shares nothing with the probe but drawings and films, and keeps its processors to
// itself.
//
// A rasterizer walks over a primitive in tiles, two rows of tiles at a time, and cuts it into superfragments of 2 x 2
// pixels, whose pixels outside of the primitive are ghosts: threads without an output. Each tile belongs to a texture
// processor. Its superfragments are assembled to warps as they come, eight in a warp, of at most four primitives. Warps
// wait in a FIFO; where it is full, the rasterizer waits, and with it all other processors. Warps leave the FIFO in
// order, in turn to the two multiprocessors of the texture processor. Each holds some of them and runs one after
// another, or several in turn where instructions wait for each other.
#pragma once

#include "probe/subject.h"

namespace brokkr::probe {

struct G80Options {
  int processors = 6;       // texture processors
  int tile = 16;            // pixels a side
  int multiprocessors = 2;  // of a texture processor
  int fifo = 22;            // warps; makes E1.2's window one of 5000 pixels: 28 make it one of 6000
  int resident = 4;         // warps that a multiprocessor holds: a column of a tile (E1.3)
  int superfragments = 8;   // of 4 threads, in a warp
  int primitives = 4;       // in a warp, at most
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
