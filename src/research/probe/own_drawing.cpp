#include "probe/own_drawing.h"

#include <charconv>
#include <iterator>
#include <stdexcept>

#include "app/text.h"
#include "base/file_io.h"

namespace brokkr::probe {
namespace {

constexpr const char* kForm = "X,Y[,COST[,BRANCH]]";
constexpr const char* kGroup = "Experiment draw";
constexpr double kMostCost = 1e9;
constexpr uint64_t kMostListBytes = 1 << 20;

// Parses "10,20,1000,2"; the defaults are `cost` and branch 1. Throws std::invalid_argument.
SlowPixel parse_slow(const std::string& text, uint32_t cost) {
  uint32_t values[4] = {0, 0, cost, 1};
  const std::vector<std::string> parts = app::split(text);
  const auto refuse = [&] {
    throw std::invalid_argument("'" + text + "' is not " + kForm +
                                " of whole numbers from 0 on, as in 100,200,1000000,1");
  };
  if (parts.size() < 2 || parts.size() > 4) refuse();
  for (size_t i = 0; i < parts.size(); ++i) {
    const char *const begin = parts[i].data(), *const end = begin + parts[i].size();
    const auto [stopped, error] = std::from_chars(begin, end, values[i]);
    if (error != std::errc() || stopped != end || values[i] > kMostCost) refuse();
  }
  return {int(values[0]), int(values[1]), values[2], values[3]};
}

// Reads one line per pixel; ignores empty lines and those that begin with #.
void read_list(const std::string& file, uint32_t cost, std::vector<SlowPixel>& slow) {
  const std::vector<std::byte> bytes = read_file(file, kMostListBytes);
  int number = 0;
  for (const std::string& line : app::split(std::string(as_text(bytes)), '\n')) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    try {
      slow.push_back(parse_slow(line, cost));
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace

std::vector<app::Option> drawing_options() {
  using namespace app;
  std::vector<Option> all = {
      several(text_option("--slow", kForm, "A fragment that takes COST additions, in branch 1 to 4; may be repeated")),
      file_option("--slow-list", "FILE", std::string("Slow fragments, a line ") + kForm + " for each"),
      choice_option("--primitives", "KIND", "What fills the window (quads)",
                    {std::begin(kDrawings), std::end(kDrawings)}),
      integer_option("--edge", "Pixels of a primitive or of a square of them (512)", 1, kWindow),
      choice_option("--fill", "ORDER", "Primitives row by row, tile by tile or shuffled (raster)",
                    {"raster", "tiles", "shuffle"}),
      integer_option("--overlap", "So many of each primitive, one over the other (1)", 1, 64),
      integer_option("--calls", "Drawing calls that the primitives are dealt out to (1)", 1, 1 << 16),
      integer_option("--cost", "Additions of a slow fragment (the subject's own)", 0, kMostCost),
      integer_option("--background", "Additions of all others (0)", 0, kMostCost),
      flag("--waits", "Each addition waits for the one before it"),
  };
  for (Option& option : all) option.group = kGroup;
  return all;
}

Drawing own_drawing(const app::Arguments& arguments, const Costs& costs) {
  const std::string fill = arguments.text("fill", "raster"), kind = arguments.text("primitives", "quads");
  if (kind == "strip" && (arguments.has("fill") || arguments.has("calls")))
    throw app::UsageError("--primitives strip: one call draws a strip, in one order; leave --fill and --calls out");
  const FillOrder order = fill == "tiles"     ? FillOrder::tiles
                          : fill == "shuffle" ? FillOrder::shuffle
                                              : FillOrder::raster;
  Drawing drawing = drawing_of(kind, int(arguments.integer("edge", kWindow)));
  reorder(drawing, order);
  overlap(drawing, int(arguments.integer("overlap", 1)));
  deal_out(drawing, size_t(arguments.integer("calls", 1)));
  drawing.background = uint32_t(arguments.integer("background", 0));
  drawing.waits = arguments.has("waits");
  const auto cost = uint32_t(arguments.integer("cost", costs.slow));
  try {
    for (const std::string& text : arguments.all("slow")) drawing.slow.push_back(parse_slow(text, cost));
  } catch (const std::invalid_argument& error) {
    throw app::UsageError(std::string("--slow: ") + error.what());
  }
  const std::string list = arguments.text("slow-list");
  if (!list.empty()) read_list(list, cost, drawing.slow);
  try {
    check_drawing(drawing);
  } catch (const std::invalid_argument& error) {
    throw app::UsageError(std::string(list.empty() ? "--slow: " : "--slow-list " + list + ": ") + error.what());
  }
  return drawing;
}

}  // namespace brokkr::probe
