// Pictures of several ranks equal those of one rank, bit for bit. mpirun starts the test: every rank runs every test in
// the same order, and rank 0 compares. BROKKR_RANKS_LONG=1 tests every pattern with every threshold, in both modes,
// with all frames.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "app/resize.h"
#include "brokkr/load.h"
#include "oracle/soup.h"
#include "program_passes.h"
#include "ranks/render.h"

namespace brokkr::ranks {
namespace {

Talk* talk = nullptr;

struct Case {
  RankSettings settings;
  RenderOptions options;
};

std::vector<Case> cases() {
  constexpr uint32_t kMerges[] = {4096, 0, 100};
  constexpr int kBins[] = {32, 8, 64};
  const bool all = std::getenv("BROKKR_RANKS_LONG") != nullptr;
  const auto machines = find_machines();
  const bool emulates = std::any_of(machines.begin(), machines.end(), [](const MachineInfo& machine) {
    return machine.kind == MachineKind::emulated && machine.available;
  });
  std::vector<Case> list;
  size_t number = 0;
  for (const auto& pattern : Choices<PatternKind>::all) {
    for (size_t i = 0; i < (all ? 6u : 1u); ++i, ++number) {
      Case c;
      c.settings.pattern = pattern.value;
      c.settings.merge = kMerges[number % 3];
      c.settings.bin = kBins[number / 3 % 3];
      c.settings.runahead = all ? i >= 3 : number % 2 == 0;
      c.settings.mode = number % 4 == 3 ? ShareMode::duplicate : ShareMode::cpd;
      c.options.workers = 1 + int(number % 2);
      if (number % 5 == 4) c.options.order = OrderMode::strict;
      if (number % 5 == 2) c.options.small_triangles = SmallTriangles::direct;
      if (emulates && number % 7 == 6) c.options.machine = MachineKind::emulated;
      list.push_back(c);
    }
  }
  return list;
}

std::vector<PlaneUse> everything(const Frame& frame) {
  std::vector<PlaneUse> all;
  for (uint32_t t = 0; t < frame.targets.size(); ++t) all.push_back({t, kPlaneColor | kPlaneDepth | kPlaneStencil});
  return all;
}

template <class T>
size_t differences(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return size_t(-1);
  size_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += std::memcmp(&a[i], &b[i], sizeof(T)) != 0;
  return count;
}

void expect_same(const std::vector<TargetImage>& one, const std::vector<TargetImage>& many) {
  ASSERT_EQ(one.size(), many.size());
  for (size_t t = 0; t < one.size(); ++t) {
    for (size_t l = 0; l < one[t].layers.size(); ++l) {
      const Layer &a = one[t].layers[l], &b = many[t].layers[l];
      EXPECT_EQ(differences(a.color, b.color), 0u) << "colour of target " << t << ", layer " << l;
      EXPECT_EQ(differences(a.color_float, b.color_float), 0u) << "colour of target " << t << ", layer " << l;
      for (size_t i = 0; i < a.more_colors.size(); ++i)
        EXPECT_EQ(differences(a.more_colors[i], b.more_colors[i]), 0u) << "colour " << i + 1 << " of target " << t;
      EXPECT_EQ(differences(a.depth, b.depth), 0u) << "depth of target " << t << ", layer " << l;
      EXPECT_EQ(differences(a.stencil, b.stencil), 0u) << "stencil of target " << t << ", layer " << l;
    }
  }
}

// Sums over ranks that hold only if each rank has done its part.
void expect_work_shared(const std::vector<RankReport>& reports) {
  uint64_t projected = 0;
  for (const RankReport& r : reports) projected += r.distribution.projected;
  EXPECT_EQ(projected, reports.front().frame_primitives);
}

// Draws the frame with every case. Only rank 0 draws the single-rank picture.
void check_frame(const Frame& frame) {
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions plain;
  plain.workers = 1;
  RenderResult one;
  if (talk->rank() == 0) one = renderer.render(prepared, plain);
  for (const Case& c : cases()) {
    SCOPED_TRACE(pattern_name(c.settings.pattern) + ", merge " + std::to_string(c.settings.merge) + ", bin " +
                 std::to_string(c.settings.bin) + ", " + name_of(c.settings.mode) +
                 (c.settings.runahead ? ", runahead" : ""));
    const auto [many, report] = render(renderer, prepared, c.options, c.settings, everything(frame), *talk);
    Message counts;
    append<uint64_t>(counts, std::vector<uint64_t>{report.distribution.projected, report.frame_primitives});
    if (talk->rank() != 0) {
      talk->send(0, Channel::report, std::move(counts));
      continue;
    }
    expect_same(one.targets, many.targets);
    std::vector<RankReport> reports = {report};
    for (int from = 1; from < talk->size(); ++from) {
      const Message theirs = talk->receive(from, Channel::report);
      uint64_t numbers[2];
      std::memcpy(numbers, theirs.data(), sizeof numbers);
      reports.emplace_back();
      reports.back().distribution.projected = numbers[0];
    }
    if (c.settings.mode == ShareMode::cpd) expect_work_shared(reports);
  }
  // The prepared frame has its removed parts again.
  if (talk->rank() == 0) expect_same(one.targets, renderer.render(prepared, plain).targets);
}

void check_file(const char* name, int width, int height) {
  Frame frame = load_frame(std::string(BROKKR_SOURCE_DIR) + "/" + name, {});
  if (width > 0) app::resize_frame(frame, main_target(frame), width, height);
  check_frame(frame);
}

TEST(Together, SoupOfEverything) {
  oracle::SoupOptions soup;
  soup.clipping = soup.polygon_offset = soup.depth_clamp = true;
  for (uint32_t seed = 1; seed <= 2; ++seed) check_frame(oracle::make_soup(seed, soup));
}

TEST(Together, SoupOfBlits) {
  oracle::SoupOptions soup;
  soup.blits = soup.clipping = true;
  soup.draws = 12;
  for (uint32_t seed = 3; seed <= 4; ++seed) check_frame(oracle::make_soup(seed, soup));
}

TEST(Together, SoupOfHalvesAndLayers) {
  oracle::SoupOptions soup;
  soup.format = ColorFormat::rgba16f;
  soup.layers = 3;
  soup.instances = soup.blits = true;
  soup.width = 70;
  soup.height = 90;
  for (uint32_t seed = 6; seed <= 7; ++seed) check_frame(oracle::make_soup(seed, soup));
}

TEST(Together, TransformedScene) {
  LoadOptions load;
  load.width = 200;
  load.height = 120;
  check_frame(load_frame("generated:city?triangles=6000&instanced=1&textured=1", load));
}

#if defined(BROKKR_HAVE_SHADERS)
// Draws read the colour, depth and mip levels of a target between draws, and copies.
TEST(Together, ProgramsThatReadWhatWasDrawn) {
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    const test::ProgramPasses passes(seed);
    Renderer renderer;
    const PreparedFrame prepared = renderer.prepare(passes.frame());
    EXPECT_GT(cut_segments(PreparedFrame::Impl::of(prepared), true, ~0u).size(), 6u);
    const RenderResult one = renderer.render(passes.frame(), {});
    EXPECT_EQ(one.statistics.false_color_draws, 0u);
    check_frame(passes.frame());
  }
}
#endif

TEST(Together, FeatureTest) { check_file("tests/frames/gl-feature-test.bkf", 0, 0); }
TEST(Together, Shadow) { check_file("tests/frames/measured/glmark2-shadow.bkf", 160, 120); }

// Squares in which every byte identifies the owner, in memory that only the machine reaches. Data enters and leaves
// through from_host and to_host.
class NamedSquares final : public TargetSquares {
 public:
  std::vector<int> taken;  // per rank: messages received with the right bytes

  size_t bytes(const OwnedBins&, uint32_t rank, uint32_t target, uint32_t planes) override {
    return rank == 1 && target == 0 ? 0 : 100 * (rank + 1) + 10 * target + planes;  // a rank may own nothing
  }
  void pack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, void* to) override {
    std::memset(to, name(rank, target), bytes(owned, rank, target, planes));
  }
  void unpack(const OwnedBins& owned, uint32_t rank, uint32_t target, uint32_t planes, const void* from) override {
    const auto* const at = static_cast<const unsigned char*>(from);
    taken[rank] += std::all_of(at, at + bytes(owned, rank, target, planes),
                               [&](unsigned char byte) { return byte == name(rank, target); });
  }
  void* memory(size_t bytes) override {
    memory_.assign(bytes, std::byte(0));
    return memory_.data();
  }
  void to_host(const void* memory, void* host, size_t bytes) override { std::memcpy(host, memory, bytes); }
  void from_host(void* memory, const void* host, size_t bytes) override { std::memcpy(memory, host, bytes); }

 private:
  static unsigned char name(uint32_t rank, uint32_t target) {
    return static_cast<unsigned char>(16 * rank + target + 1);
  }
  Message memory_;
};

TEST(Together, SquaresGoWhereTheyAreWanted) {
  OwnedBins owned;
  owned.rank = uint32_t(talk->rank());
  NamedSquares squares;
  const auto expected = [&](bool gathered) {
    std::vector<int> all(size_t(talk->size()), gathered && talk->rank() != 0 ? 0 : 2);
    all[size_t(talk->rank())] = 0;
    if (all.size() > 1 && all[1] > 0) all[1] = 1;  // rank 1 owns nothing of target 0
    return all;
  };
  for (const bool gathered : {false, true}) {
    squares.taken.assign(size_t(talk->size()), 0);
    const auto exchange = exchange_in_memory(*talk, owned, squares);
    const std::vector<PlaneUse> uses = {{0, kPlaneColor}, {1, kPlaneDepth}};
    const uint64_t bytes = gathered ? exchange->gather(uses) : exchange->broadcast(uses);
    EXPECT_EQ(bytes > 0, talk->size() > 1 && !(gathered && talk->rank() == 0));
    EXPECT_EQ(squares.taken, expected(gathered)) << gathered;
  }
}

// No rank draws all of the work.
TEST(Together, RanksDrawLessThanAll) {
  LoadOptions load;
  load.width = 256;
  load.height = 256;
  const Frame frame = load_frame("generated:city?triangles=20000", load);
  Renderer renderer;
  PreparedFrame prepared = renderer.prepare(frame);
  RenderOptions options;
  options.workers = 1;
  const RankReport report = render(renderer, prepared, options, {}, {}, *talk).second;
  if (talk->size() == 1) return;
  EXPECT_LT(report.drawn_primitives, report.frame_primitives);
  if (talk->size() <= 4) {
    EXPECT_GT(report.drawn_primitives, 0u);
  }
  EXPECT_GT(report.distribution.id_bytes, 0u);
}

}  // namespace

// Every rank runs the tests. Only rank 0 prints, and the exit status of each rank counts.
int run_all(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(catch_exceptions, false);  // a rank that fails must not leave the others waiting
  const std::unique_ptr<Transport> transport = open_transport();
  Talk all(*transport, 300);
  talk = &all;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (all.rank() != 0) delete listeners.Release(listeners.default_result_printer());
  const int failed = RUN_ALL_TESTS();
  if (failed != 0 && all.rank() != 0) std::cerr << "rank " << all.rank() << " failed\n";
  transport->finish();
  return failed;
}

}  // namespace brokkr::ranks

int main(int argc, char** argv) { return brokkr::ranks::run_all(argc, argv); }
