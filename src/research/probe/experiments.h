// The experiments of [FragSniffer, 4] on any subject. Each produces a table that compares the subject's numbers with
// the paper's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/drawing.h"
#include "probe/film.h"
#include "probe/tile_map.h"

namespace brokkr::probe {

// One measurement. Numbers that the paper does not explain, or only guesses at, are marked.
struct Measurement {
  std::string what;
  std::optional<double> paper;
  double value = 0;
  // "T": relative to one slow fragment; "ref": relative to a triangle that covers the window; any other text is a unit
  std::string unit;
  bool explained = true;
  std::string note = {};
  bool is_gain = false;  // speedup of the paper's advice over the plain way: 2 is twice as fast
};

inline constexpr double kTolerance = 0.15;

// "agrees" if within kTolerance of the paper, otherwise "differs". "?" if the paper does not explain its number, "-" if
// it gives none.
const char* verdict_of(const Measurement& m);

// The effect of the paper's advice on this subject: "helps"; "no help" if it is less than kTolerance faster; "harms" if
// it is slower by that much; "" if there is no advice.
const char* advice_of(const Measurement& m);

struct ResultOf {
  std::vector<Measurement> rows;
  std::optional<Drawing> shown;  // the drawing whose film shows the result best
};

// The subject and its known properties.
struct Bench {
  explicit Bench(Subject& s) : subject(s) {}

  Subject& subject;
  int tile = 16;   // pixels per side
  int period = 6;  // tiles in a row to the next tile of the same processor
  std::function<void(const std::string&)> progress = [](const std::string&) {};

  // Cost relative to one slow fragment of Costs::slow.
  double in_slow(const Drawing& drawing);
  // Cost relative to a covering triangle; each fragment costs Costs::background.
  double over_reference(Drawing drawing);
  // A quad over the window with slow pixels of Costs::slow; branches are numbered from 1.
  Drawing slow_quad(const std::vector<glm::ivec2>& pixels, bool separate_branches, bool waits = false) const;

 private:
  double one_slow_ = 0, reference_ = 0;
};

struct ExperimentInfo {
  const char* name;
  const char* title;
  ResultOf (*run)(Bench&);
};
std::span<const ExperimentInfo> experiments();

// The position of slow pixels: a tile in the quad's first triangle, away from its diagonal.
glm::ivec2 slow_corner(int tile);

// The experiments by kind of primitive.
ResultOf all_slow(Bench& bench);
ResultOf one_slow(Bench& bench);
ResultOf two_slow(Bench& bench);
ResultOf four_slow(Bench& bench);
ResultOf many_slow(Bench& bench);
ResultOf small_quads(Bench& bench);
ResultOf small_quads_slow(Bench& bench);
ResultOf line_rows(Bench& bench);
ResultOf stacked_lines(Bench& bench);
ResultOf rows_of_points(Bench& bench);
ResultOf squares_of_points(Bench& bench);
ResultOf points_apart(Bench& bench);
ResultOf points_on_one(Bench& bench);
ResultOf points_on_six(Bench& bench);

// Measures the paper's advice ([FragSniffer, 5], situations.cpp): its speedup over the plain way.
std::span<const ExperimentInfo> situations();

// Parameters of a subject's hardware that the probe measures.
struct Parameters {
  Group warp;                  // warp of a covering primitive; without pixels: the subject has no clock
  int multiprocessors = 0;     // working at the same time, over all owners; 0: unknown
  int quad_x = 0, quad_y = 0;  // pixels of a primitive that always run together
  double points_in_warp = 0;   // cost of as many points as a warp has pixels
  double window = 0;           // number of pixels drawn until all processors wait for a slow one
};

// `bench`: must have the subject's tile and period.
Parameters find_parameters(Bench& bench);

}  // namespace brokkr::probe
