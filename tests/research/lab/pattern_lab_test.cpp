// The whole lab on small frames: every experiment gives its rows, resumes after an interruption, and gives the same
// result twice.
#include "lab/pattern_lab.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "brokkr/load.h"
#include "cli/cli.h"
#include "research_modules.h"

namespace brokkr::lab {
namespace {

namespace fs = std::filesystem;

class Lab : public testing::Test {
 protected:
  // One folder for all tests: they share their measurements.
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("brokkr-lab-test-" + std::to_string(getpid()));
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::unique_ptr<PatternLab> make(uint32_t seed = 1) {
    PatternLabOptions options;
    options.folder = folder_;
    options.quick = true;
    options.workers = 2;
    options.seed = seed;
    options.render.machine = MachineKind::cpu;
    options.render.workers = 2;
    auto laboratory = std::make_unique<PatternLab>(options, [](const std::string&) {});
    LoadOptions load;
    load.width = 192;
    load.height = 108;
    laboratory->add("overlap", load_frame("generated:overlap-10k?triangles=300", load));
    laboratory->add("city-1", load_frame("generated:city?triangles=2000", load));
    return laboratory;
  }

  static inline fs::path folder_;
};

std::map<std::string, size_t> columns_of(const std::string& name) {
  for (const PatternExperiment& e : pattern_experiments()) {
    std::map<std::string, size_t> columns;
    const Row names = split(e.columns);
    for (size_t i = 0; i < names.size(); ++i) columns[names[i]] = i;
    if (name == e.name) return columns;
  }
  return {};
}

TEST_F(Lab, RunsEveryExperimentAndGoesOnWhereItWas) {
  std::map<std::string, Rows> first;
  {
    const auto laboratory = make();
    for (const PatternExperiment& e : pattern_experiments()) {
      first[e.name] = laboratory->run(e.name);
      EXPECT_FALSE(first[e.name].empty()) << e.name;
      for (const Row& r : first[e.name]) ASSERT_EQ(r.size(), split(e.columns).size()) << e.name;
      EXPECT_TRUE(fs::exists(folder_ / ("patterns-" + std::string(e.name) + ".csv")));
    }
    EXPECT_THROW(laboratory->run("nothing"), std::invalid_argument);
  }
  // All parts exist: another lab measures nothing and gives the same numbers, times included.
  const auto again = make();
  for (const PatternExperiment& e : pattern_experiments()) EXPECT_EQ(again->run(e.name), first[e.name]) << e.name;
  EXPECT_GT(again->reused(), 20);
  // An incomplete part is measured again.
  const fs::path part = folder_ / "parts" / "load.city-1.csv";
  std::ofstream(part) << "# something else\n";
  const int before = again->reused();
  EXPECT_EQ(again->run("load"), first["load"]);
  EXPECT_EQ(again->reused(), before + 1);
  // Only the random patterns depend on the seed.
  const auto c = columns_of("load");
  const Rows other = make(9)->run("load");
  ASSERT_EQ(other.size(), first["load"].size());
  std::set<std::string> changed;
  for (size_t i = 0; i < other.size(); ++i) {
    if (other[i] != first["load"][i]) changed.insert(other[i][c.at("pattern")]);
  }
  EXPECT_EQ(changed, (std::set<std::string>{"pseudo-random", "hierarchical-maximized-distance", "sudoku"}));
}

TEST_F(Lab, ScoresSearchedPatternsOnFramesThatTheyHaveNotSeen) {
  const auto laboratory = make();
  const Rows rows = laboratory->run("search");
  const auto c = columns_of("search");
  std::set<std::string> unseen;
  for (const Row& r : rows) {
    const std::string group = group_of(r[c.at("frame")]);
    const bool trained = r[c.at("trained_on")].find(group) != std::string::npos;
    EXPECT_EQ(r[c.at("unseen")] == "1", !trained);
    if (r[c.at("unseen")] == "1") unseen.insert(r[c.at("frame")]);
  }
  EXPECT_EQ(unseen, (std::set<std::string>{"overlap", "city-1"}));
  // The files load, and the pipeline takes them.
  const SavedPattern saved = load_pattern(folder_ / "searched" / "searched-20-16-without-city.json");
  EXPECT_EQ(saved.pattern.rasterizers, 20);
  EXPECT_EQ(saved.name, "searched-20-16-without-city");
  const auto p = columns_of("pipeline");
  size_t searched = 0;
  for (const Row& r : laboratory->run("pipeline")) {
    searched += r[p.at("pattern")] == "searched";
    // Simulated and measured times have separate columns.
    EXPECT_GT(std::stod(r[p.at("simulated_ms")]), 0);
    EXPECT_GT(std::stod(r[p.at("measured_ms")]), 0);
    EXPECT_FALSE(r[p.at("isa")].empty());
    EXPECT_GE(std::stod(r[p.at("critical_fragments")]) * std::stod(r[p.at("rasterizers")]),
              std::stod(r[p.at("fragments")]));
  }
  EXPECT_EQ(searched, 2u * 2 * 5 * 2);  // frames, orders, rasterizers, bins
}

TEST_F(Lab, BlocksThatAreSimulatedAndThoseThatRanHaveColumnsOfTheirOwn) {
  const auto c = columns_of("blocks");
  std::map<std::string, int> simulated, ran;  // by frame and pattern
  for (const Row& r : make()->run("blocks")) {
    const std::string run = r[c.at("frame")] + " " + r[c.at("pattern")];
    for (const char* what : {"geometry_ms", "idle_ms"}) {  // all stages of a block or none
      EXPECT_EQ(r[c.at("simulated_raster_ms")].empty(), r[c.at("simulated_" + std::string(what))].empty());
      EXPECT_EQ(r[c.at("measured_raster_ms")].empty(), r[c.at("measured_" + std::string(what))].empty());
    }
    simulated[run] += !r[c.at("simulated_raster_ms")].empty();
    ran[run] += !r[c.at("measured_raster_ms")].empty();
  }
  for (const auto& [run, blocks] : simulated) EXPECT_EQ(blocks, 20) << run;
  for (const auto& [run, blocks] : ran) EXPECT_GE(blocks, 1) << run;
}

TEST_F(Lab, SmallerBinsMeanMorePairs) {
  const Rows rows = make()->run("cost");
  const auto c = columns_of("cost");
  std::map<std::string, double> pairs;  // for 60 rasterizers and city-1
  for (const Row& r : rows) {
    if (r[c.at("frame")] == "city-1" && r[c.at("asked")] == "60" && r[c.at("shading")] == "flat")
      pairs[r[c.at("bin")]] = std::stod(r[c.at("rasterizer_pairs")]);
    EXPECT_GE(std::stod(r[c.at("bin_pairs")]), std::stod(r[c.at("rasterizer_pairs")]));
    EXPECT_GT(std::stod(r[c.at("queue_elements")]), 0);
  }
  EXPECT_GT(pairs["8"], pairs["32"]);
  EXPECT_GT(pairs["32"], pairs["256"]);
}

TEST(PatternGroups, AreApplications) {
  EXPECT_EQ(group_of("0ad-acropolis-bay"), "0ad");
  EXPECT_EQ(group_of("minetest"), "minetest");
  EXPECT_EQ(group_of("courtyard.3"), "courtyard");
}

TEST(PatternsCommand, NamesWhatIsWrong) {
  const auto call = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"brokkr", "patterns"});
    testing::internal::CaptureStderr();
    const int code = app::run(int(words.size()), words.data(), app::research_modules());
    return std::to_string(code) + " " + testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(call({"--no-plots"}).find("2 brokkr: FILE is missing"), std::string::npos);
  EXPECT_NE(call({"x.bkf", "--only", "tea"}).find("2 brokkr: --only"), std::string::npos);
  EXPECT_NE(call({"missing.bkf", "--no-plots", "-o", "/tmp/brokkr-lab-none"}).find("1 brokkr: missing.bkf"),
            std::string::npos);
}

}  // namespace
}  // namespace brokkr::lab
