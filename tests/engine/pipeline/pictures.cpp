#include "pictures.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "reference/captures.h"

namespace brokkr::test {
namespace {

template <typename T>
void expect_same(const char* plane, const std::vector<T>& expected, const std::vector<T>& got) {
  ASSERT_EQ(expected.size(), got.size()) << plane;
  if (expected == got) return;
  size_t different = 0, first = expected.size();
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    different++;
    first = std::min(first, i);
  }
  ADD_FAILURE() << plane << ": " << different << " of " << expected.size() << " values differ, first at " << first
                << ": " << expected[first] << " became " << got[first];
}

std::vector<uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::transform(values.begin(), values.end(), bits.begin(), [](float v) { return std::bit_cast<uint32_t>(v); });
  return bits;
}

}  // namespace

void expect_same_pictures(const std::vector<TargetImage>& expected, const std::vector<TargetImage>& got) {
  ASSERT_EQ(expected.size(), got.size());
  for (size_t t = 0; t < expected.size(); ++t) {
    ASSERT_EQ(expected[t].layers.size(), got[t].layers.size());
    for (size_t l = 0; l < expected[t].layers.size(); ++l) {
      SCOPED_TRACE("target " + std::to_string(t) + ", layer " + std::to_string(l));
      const Layer &a = expected[t].layers[l], &b = got[t].layers[l];
      ASSERT_EQ(a.width, b.width);
      ASSERT_EQ(a.height, b.height);
      expect_same("colour", a.color, b.color);
      expect_same("float colour", a.color_float, b.color_float);
      ASSERT_EQ(a.more_colors.size(), b.more_colors.size());
      for (size_t i = 0; i < a.more_colors.size(); ++i)
        expect_same("colour beyond the first", bits_of(a.more_colors[i]), bits_of(b.more_colors[i]));
      expect_same("depth", a.depth, b.depth);
      expect_same("stencil", a.stencil, b.stencil);
      if (!a.visible_id.empty() && !b.visible_id.empty()) {
        expect_same("visible primitive", a.visible_id, b.visible_id);
        expect_same("depth writer", a.depth_id, b.depth_id);
      }
      if (!a.overdraw.empty() && !b.overdraw.empty()) expect_same("overdraw", a.overdraw, b.overdraw);
    }
  }
}

double slowness() {
  constexpr bool kSlow = BROKKR_ADDRESS_SANITIZER || BROKKR_THREAD_SANITIZER || BROKKR_TEST_INTERPRETED;
#if defined(NDEBUG)
  return kSlow ? 20 : 1;
#else
  return 20;
#endif
}

RenderResult render_to_end(Renderer& renderer, PreparedFrame& prepared, const RenderOptions& options,
                           double max_seconds) {
  if (slowness() > 1) max_seconds *= 10;
  const auto processor_seconds = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  const double begin = processor_seconds();
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false, stuck = false;
  std::thread watch([&] {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return ended; })) {
      if (processor_seconds() - begin < max_seconds) continue;
      stuck = true;
      renderer.request_abort();
    }
  });
  const auto end = [&] {
    {
      const std::scoped_lock lock(mutex);
      ended = true;
    }
    changed.notify_one();
    watch.join();
  };
  RenderResult result;
  try {
    result = renderer.render(prepared, options);
  } catch (...) {
    end();
    throw;
  }
  end();
  if (stuck)
    ADD_FAILURE() << "the launch made no progress: it did not end in " << max_seconds << " s of processor time";
  return result;
}

bool is_there(MachineKind machine) {
  const std::vector<MachineInfo> found = find_machines();
  return std::any_of(found.begin(), found.end(),
                     [&](const MachineInfo& m) { return m.kind == machine && m.available; });
}

std::vector<MachineKind> machines() {
  std::vector<MachineKind> all{MachineKind::cpu, MachineKind::emulated, MachineKind::cuda};
  std::erase_if(all, [](MachineKind machine) { return !is_there(machine); });
  return all;
}

std::filesystem::path find_capture(const std::string& name) {
  for (const char* folder : {"tests/frames", "scenes"}) {
    const auto bundled = std::filesystem::path(BROKKR_SOURCE_DIR) / folder / name;
    if (std::filesystem::exists(bundled)) return bundled;
  }
  const auto captured = captures_folder() / name;
  return std::filesystem::exists(captured) ? captured : std::filesystem::path();
}

}  // namespace brokkr::test
