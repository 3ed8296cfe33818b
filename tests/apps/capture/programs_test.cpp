// Programs by others, if they are installed: captured live, and through apitrace. Brokkr's rendering of the frame must
// have the silhouette and the depth order that the program's own driver produced.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "captured_frames.h"
#include "display.h"

namespace brokkr::capture_test {
namespace {

class Programs : public testing::Test {
 protected:
  void need(const std::string& program) {
    if (!has_program(program)) GTEST_SKIP() << program << " is not installed";
    if (display_.name().empty()) GTEST_SKIP() << "Xvfb is not installed";
  }

  // Without sound, with a separate home folder.
  std::string environment() const {
    return "LIBGL_ALWAYS_SOFTWARE=1 SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null DISPLAY=" + display_.name() +
           " HOME=" + folder_.path().string() + " ";
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  // All pixels whose depth does not depend on a shader agree, there are enough of them, and the frame has its draws.
  void expect_same_depth(const std::string& frame_file, size_t draws) {
    const Frame frame = read_bkf(frame_file);
    EXPECT_EQ(frame.skipped_draws, 0u);
    EXPECT_GE(draws_of(frame).size(), draws);
    const RunResult checked = run(std::string(BROKKR_PROGRAM) + " check --json - " + frame_file);
    ASSERT_EQ(checked.code, 0) << checked.out;
    const nlohmann::json references = nlohmann::json::parse(checked.out)["references"];
    ASSERT_FALSE(references.empty());
    for (const auto& reference : references) {
      EXPECT_GE(reference["hard_percent"].get<double>(), 99.9) << reference.dump();
      EXPECT_GE(reference["hard_pixels"].get<double>(), 0.3 * reference["pixels"].get<double>());
    }
    EXPECT_GT(silhouette(frame), 0.02) << "nothing is in front of the cleared depth";
  }

  // The fraction of the window that is covered, according to the driver's own depth.
  static double silhouette(const Frame& frame) {
    const std::vector<float>& depth = frame.references.back().depth;
    size_t covered = 0;
    for (float value : depth) covered += value < 1.0f;
    return depth.empty() ? 0 : static_cast<double>(covered) / static_cast<double>(depth.size());
  }

  VirtualDisplay display_;
  TemporaryFolder folder_;
};

TEST_F(Programs, Gears) {
  need("glxgears");
  if (IsSkipped()) return;
  const RunResult captured = run(environment() + BROKKR_PROGRAM + " capture --frame 5 --check-state --timeout 60 -o " +
                                 file("gears.bkf") + " -- glxgears");
  ASSERT_EQ(captured.code, 0) << captured.out;
  EXPECT_NE(captured.out.find(" 0 state differences"), std::string::npos) << captured.out;
  expect_same_depth(file("gears.bkf"), 3);
}

// On a terminal (which `script` provides), capture reports the program's progress. After that has been seen, the
// terminal goes away, and the program with it.
TEST_F(Programs, ProgressIsShownUntilTheFrame) {
  need("glxgears");
  need("script");
  if (IsSkipped()) return;
  const std::string log = file("log");
  const RunResult watched =
      run(environment() + "script -qefc \"" + BROKKR_PROGRAM + " capture --frame 1000000 -o " + file("never.bkf") +
          " -- glxgears\" " + log + " >/dev/null & until grep -q \"frame [0-9]* of 1000000\" " + log +
          " 2>/dev/null; do kill -0 $! || exit 1; sleep 0.1; done; kill $!; wait");
  EXPECT_EQ(watched.code, 0) << watched.out;
}

TEST_F(Programs, GearsThroughApitrace) {
  need("glxgears");
  need("apitrace");
  if (IsSkipped()) return;
  const std::string trace = file("gears.trace");
  run(environment() + "timeout 3 apitrace trace -o " + trace + " glxgears", 30);
  const RunResult imported =
      run(environment() + BROKKR_PROGRAM + " import --frame 5 --timeout 60 -o " + file("imported.bkf") + " " + trace);
  ASSERT_EQ(imported.code, 0) << imported.out;
  expect_same_depth(file("imported.bkf"), 3);
}

// A recording of our program gives exactly the same draws as the program itself.
TEST_F(Programs, RecordingOfEveryDraw) {
  need("apitrace");
  need("eglretrace");
  if (IsSkipped()) return;
  const std::string trace = file("every.trace");
  const RunResult recorded =
      run(environment() + "apitrace trace --api egl -o " + trace + " " + BROKKR_CAPTURE_PROGRAM, 60);
  if (recorded.code == 77) GTEST_SKIP() << recorded.out;
  const std::string options =
      " --frame 1 --every 1 --count " + std::to_string(scene::kSubroutines - 1) + " --timeout 60 ";
  const RunResult live = run(environment() + BROKKR_PROGRAM + " capture" + options + "-o " + file("live-{}.bkf") +
                             " -- " + BROKKR_CAPTURE_PROGRAM);
  ASSERT_EQ(live.code, 0) << live.out;
  const RunResult imported =
      run(environment() + BROKKR_PROGRAM + " import --egl" + options + "-o " + file("imported-{}.bkf") + " " + trace);
  ASSERT_EQ(imported.code, 0) << imported.out;
  for (int number = 1; number < scene::kSubroutines; number++) {
    if (number == scene::kThreads) continue;  // the order of the two threads is not defined
    // A clear of alpha alone is recorded from eglretrace's window, which has alpha, and not from ours, which has none.
    if (number == scene::kParts) continue;
    const Frame a = read_bkf(file("live-" + std::to_string(number) + ".bkf"));
    const Frame b = read_bkf(file("imported-" + std::to_string(number) + ".bkf"));
    EXPECT_EQ(a.commands.size(), b.commands.size()) << "frame " << number;
    EXPECT_EQ(a.positions, b.positions) << "frame " << number;
    EXPECT_EQ(a.indices, b.indices) << "frame " << number;
    EXPECT_EQ(a.states, b.states) << "frame " << number;
    EXPECT_EQ(a.skipped_reasons, b.skipped_reasons) << "frame " << number;
  }
}

// A real game: levels, reflections with stencil, particles, text.
TEST_F(Programs, Neverball) {
  need("neverball");
  if (IsSkipped()) return;
  const RunResult captured = run(environment() + BROKKR_PROGRAM + " capture --frame 20 --timeout 100 -o " +
                                 file("neverball.bkf") + " -- neverball -l map-mym/circuit2.sol");
  ASSERT_EQ(captured.code, 0) << captured.out;
  expect_same_depth(file("neverball.bkf"), 100);
}

}  // namespace
}  // namespace brokkr::capture_test
