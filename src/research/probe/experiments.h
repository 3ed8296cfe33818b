// The experiments of [FragSniffer, 4] on any subject, each a table with the paper's number beside the subject's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "probe/film.h"
#include "probe/subject.h"

namespace brokkr::probe {

// One measurement. A number that the paper does not explain, or that it only guesses at, is marked.
struct Measurement {
  std::string what;
  std::optional<double> paper;
  double value = 0;
  std::string unit;  // "T": of one slow fragment; "ref": of a triangle that covers the window; else as it says
  bool explained = true;
  std::string note = {};
  bool is_gain = false;  // of what the paper advises over the plain way: 2 is twice as fast
};

inline constexpr double kTolerance = 0.15;

// "agrees" within kTolerance of the paper; "differs"; "?" where the paper does not explain its number, "-" where it has
// none.
const char* verdict_of(const Measurement& m);

// Whether what the paper advises helps this subject: "helps", "no help" where it is not kTolerance faster, "harms"
// where it is as much slower; "" for what is no advice.
const char* advice_of(const Measurement& m);

struct ResultOf {
  std::vector<Measurement> rows;
  std::optional<Drawing> shown;  // the drawing whose film shows it best
};

// The subject and what is known of it.
struct Bench {
  explicit Bench(Subject& s) : subject(s) {}

  Subject& subject;
  int tile = 16;   // pixels a side
  int period = 6;  // tiles to the next one of the same processor, in a row
  std::function<void(const std::string&)> progress = [](const std::string&) {};

  // Cost over that of a slow fragment alone, which takes `slow` of Costs.
  double in_slow(const Drawing& drawing);
  // Cost over that of a covering triangle; each fragment takes `background` of Costs.
  double over_reference(Drawing drawing);
  // A quad over the window with slow pixels of Costs::slow; branches count from 1.
  Drawing slow_quad(const std::vector<glm::ivec2>& pixels, bool own_branches, bool waits = false) const;

 private:
  double one_slow_ = 0, reference_ = 0;
};

struct ExperimentInfo {
  const char* name;
  const char* title;
  ResultOf (*run)(Bench&);
};
std::span<const ExperimentInfo> experiments();

// The place of slow pixels: a tile in the quad's first triangle, away from its diagonal.
glm::ivec2 slow_corner(int tile);

// The experiments by kind of primitive (experiments_quad.cpp, experiments_small.cpp).
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

// What the paper advises, measured ([FragSniffer, 5], situations.cpp): how many times as fast it is as the plain way.
std::span<const ExperimentInfo> situations();

}  // namespace brokkr::probe
