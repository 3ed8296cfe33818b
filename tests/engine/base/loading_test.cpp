// Memory limits of files, and how often readers check for cancellation.
#include "base/loading.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/growth.h"
#include "base/json_parse.h"
#include "formats/gltf.h"
#include "formats/image_io.h"
#include "formats/obj.h"
#include "formats/sources.h"
#include "frame/bkf.h"
#include "frame/primitive_counts.h"

namespace brokkr {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "brokkr-loading-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr uint64_t kMib = uint64_t(1) << 20;

TEST(FreeMemory, IsTheLeastOfSystemAndControlGroups) {
  const Folder root;
  root.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    1048576 kB\n");
  EXPECT_EQ(free_memory(root.path()), 1024 * kMib);
  // Version 2: the group has no limit, its parent has one; pages of files do not count.
  root.write("proc/self/cgroup", "0::/outer/inner\n");
  root.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  root.write("sys/fs/cgroup/outer/inner/memory.current", "1000\n");
  EXPECT_EQ(free_memory(root.path()), 1024 * kMib);
  root.write("sys/fs/cgroup/outer/memory.max", std::to_string(512 * kMib));
  root.write("sys/fs/cgroup/outer/memory.current", std::to_string(500 * kMib));
  root.write("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file " + std::to_string(88 * kMib) + "\n");
  EXPECT_EQ(free_memory(root.path()), 100 * kMib);
  // Version 1.
  root.write("proc/self/cgroup", "3:cpu:/x\n4:memory:/old\n");
  root.write("sys/fs/cgroup/memory/old/memory.limit_in_bytes", std::to_string(64 * kMib));
  root.write("sys/fs/cgroup/memory/old/memory.usage_in_bytes", std::to_string(24 * kMib));
  EXPECT_EQ(free_memory(root.path()), 40 * kMib);
  root.write("sys/fs/cgroup/memory/old/memory.usage_in_bytes", std::to_string(65 * kMib));
  EXPECT_EQ(free_memory(root.path()), 0u);
}

TEST(FreeMemory, IsAQuarterByDefaultAndFourGibibytesAtMost) {
  EXPECT_EQ(memory_limit_bytes(300), 300 * kMib);
  EXPECT_GT(memory_limit_bytes(0), 0u);
  EXPECT_LE(memory_limit_bytes(0), free_memory() / 3);
  EXPECT_LE(memory_limit_bytes(0), 4096 * kMib);
  EXPECT_LE(memory_limit_bytes(0, 100000 * kMib), 4096 * kMib);
  // Memory that this process holds is no longer free, but counts as available.
  EXPECT_GE(memory_limit_bytes(0, 100000 * kMib), memory_limit_bytes(0));
}

TEST(Loading, CountsAndRefuses) {
  LoadOptions options;
  options.memory_limit = 1;
  Loading loading(options);
  loading.need(kMib / 2, "a");
  loading.check(kMib / 2, "b");
  loading.check(kMib / 2, "b");
  try {
    loading.need(kMib, "commands");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "field 'commands': needs 1.5 MiB of memory, above the limit of 1.0 MiB; make it smaller, or raise the "
                 "memory limit");
  }
  EXPECT_EQ(loading.left(), kMib / 2);
}

TEST(Loading, NamesBytesIfTheNumbersWouldLookEqual) {
  try {
    require_memory(kMib + 1, kMib, "blob.size", "a.bkf", "make it smaller");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "a.bkf: field 'blob.size': needs 1048577 bytes of memory, above the limit of 1048576 bytes; "
                 "make it smaller, or raise the memory limit");
  }
}

TEST(Loading, CountsWhatIsHeldAlready) {
  LoadOptions options;
  options.memory_limit = 3;
  Loading loading(options);
  loading.holds(2 * kMib, "file");
  EXPECT_TRUE(loading.fits(kMib));
  EXPECT_FALSE(loading.fits(kMib + 1));
  EXPECT_THROW(loading.holds(2 * kMib, "frame"), std::runtime_error);
}

// A frame of a small file whose pictures would need gigabytes.
TEST(Loading, RefusesGigabytesOnEveryComputer) {
  const LoadOptions standard;
  Loading loading(standard);
  EXPECT_NO_THROW(loading.check(kMib, "targets"));
  EXPECT_THROW(loading.check(4097 * kMib, "targets"), std::runtime_error);
}

// The error of each reader of `load` under the smallest limit.
template <typename Load>
std::string refusal(Load&& load) {
  LoadOptions options;
  options.memory_limit = 1;
  try {
    load(options);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; i++) all += text;
  return all;
}

const ResourceReader kNoResources = [](const std::string& name, Loading&) -> std::vector<std::byte> {
  throw MissingResource(name);
};

TEST(MemoryLimit, EveryReaderHoldsIt) {
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + repeated("f 1 2 3\n", 30000);
  EXPECT_NE(refusal([&](auto& o) { read_obj(obj, "a.obj", kNoResources, o); }).find("a.obj: field 'f': needs"),
            std::string::npos);
  const std::string facet = "facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  const std::string stl = "solid x\n" + repeated(facet, 10000) + "endsolid\n";
  EXPECT_NE(refusal([&](auto& o) { read_stl(std::as_bytes(std::span(stl)), "a.stl", o); }).find("a.stl: field 'f"),
            std::string::npos);
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face "
      "30000\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n" +
      repeated("3 0 1 2\n", 30000);
  EXPECT_NE(refusal([&](auto& o) {
              read_ply(std::as_bytes(std::span(ply)), "a.ply", kNoResources, o);
            }).find("a.ply: field '"),
            std::string::npos);
  const std::string gltf = "{\"asset\": {\"version\": \"2.0\"}, \"x\": [" + repeated("0,", 100000) + "0]}";
  EXPECT_NE(refusal([&](auto& o) {
              read_gltf(std::as_bytes(std::span(gltf)), "a.gltf", kNoResources, o);
            }).find("a.gltf: field 'json': needs"),
            std::string::npos);
  EXPECT_NE(refusal([&](auto& o) {
              load_frame("generated:city?triangles=50000000", o);
            }).find("generated:city?triangles=50000000, field 'triangles': needs"),
            std::string::npos);
  EXPECT_NE(refusal([&](auto& o) { load_frame("generated:tree?triangles=12&draws=1000000", o); }).find("'draws'"),
            std::string::npos);
}

TEST(MemoryLimit, PicturesAreRefusedByTheirHeader) {
  // A header of 18 bytes and some more, which declares 16384 x 16384 pixels.
  std::string tga(23, '\0');
  tga[2] = 2;
  tga[13] = tga[15] = 0x40;
  tga[16] = 24;
  EXPECT_NE(refusal([&](auto&) {
              read_image(std::as_bytes(std::span(tga)), "x.tga");
            }).find("x.tga: claims 16384 x 16384 pixels, which 23 bytes cannot hold"),
            std::string::npos);
  // The minimum size in bytes of such a picture.
  tga.resize(size_t(1) << 23, '\0');
  EXPECT_NE(refusal([&](auto& o) {
              Loading loading(o);
              read_image(std::as_bytes(std::span(tga)), "x.tga", kMaxImagePixels, loading);
            }).find("field 'x.tga': needs 4.0 GiB"),
            std::string::npos);
}

// Ctrl-C would not end a reader that checks for cancellation too rarely. The work between two checks is bounded, not
// the time, since other programs may take the processor. Here each check takes so long that the reader checks again at
// the next place. Their number is therefore the number of places where the reader checks.
TEST(Cancel, EveryReaderAsksOftenAndStopsAtOnce) {
  constexpr int kQuestions = 30;
  const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + repeated("f 1 2 3\n", 100000);
  const std::string gltf = "{\"asset\": {\"version\": \"2.0\"}, \"x\": [" + repeated("0,", 100000) + "0]}";
  const std::string facet = "facet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  const std::string stl = "solid x\n" + repeated(facet, 10000) + "endsolid\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face "
      "20000\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n" +
      repeated("3 0 1 2\n", 20000);
  const std::vector<std::byte> bkf = bkf_bytes(load_frame("generated:overlap-10k?draws=1000", {}));
  const std::vector<std::function<void(const LoadOptions&)>> loads = {
      [&](const LoadOptions& o) { read_obj(obj, "a.obj", kNoResources, o); },
      [&](const LoadOptions& o) { read_gltf(std::as_bytes(std::span(gltf)), "a.gltf", kNoResources, o); },
      [&](const LoadOptions& o) { read_stl(std::as_bytes(std::span(stl)), "a.stl", o); },
      [&](const LoadOptions& o) { read_ply(std::as_bytes(std::span(ply)), "a.ply", kNoResources, o); },
      [&](const LoadOptions& o) { read_bkf(bkf, "a.bkf", {}, o); },
      [&](const LoadOptions& o) { load_frame("generated:sphere-100k", o); },
      [&](const LoadOptions& o) { load_frame("generated:scan?triangles=100000", o); },
  };
  for (size_t i = 0; i < loads.size(); i++) {
    int asked = 0;
    double last = 0;
    LoadOptions options;
    options.memory_limit = 4096;
    options.progress = [&](double part) {
      EXPECT_LT(asked, kQuestions) << "reader " << i << " went on";
      EXPECT_GE(part, last) << "reader " << i;
      EXPECT_LE(part, 1) << "reader " << i;
      last = part;
      if (++asked == kQuestions) throw LoadCancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(11));
    };
    EXPECT_THROW(loads[i](options), LoadCancelled) << "reader " << i << " asked " << asked << " times";
  }
}

// Returns how often a load checks for cancellation until it ends or is cancelled after `most` checks. Each check takes
// so long that the next place checks again.
int questions(int most, const std::function<void(Loading&)>& load) {
  int asked = 0;
  LoadOptions options;
  options.memory_limit = 4096;
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(11)); };
  options.progress = [&](double) {
    if (++asked == most) throw LoadCancelled();
    wait();
  };
  Loading loading(options);
  wait();
  try {
    load(loading);
  } catch (const LoadCancelled&) {
  }
  return asked;
}

// A polygon that winds around its centre many times and has the maximum number of corners. Few corners are ears, and
// the triangulation visits all others again for each ear.
TEST(Cancel, APolygonIsLeftBetweenItsEars) {
  std::string obj;
  constexpr int kHalf = int(kMaxPolygon) / 2;
  for (int i = 0; i < 2 * kHalf; i++) {
    const int k = i < kHalf ? i : 2 * kHalf - 1 - i;
    const double angle = 0.1 * k, radius = 1 + 0.02 * k - (i < kHalf ? 0 : 0.01);
    obj += fmt::format("v {} {} 0\n", radius * std::cos(angle), radius * std::sin(angle));
  }
  obj += 'f';
  for (int i = 1; i <= 2 * kHalf; i++) obj += fmt::format(" {}", i);
  constexpr int kQuestions = 30;
  const auto load = [&](Loading& loading) { parse_obj(obj, kNoResources, loading); };
  EXPECT_EQ(questions(kQuestions, load), kQuestions);
}

TEST(Cancel, AMaterialFileIsLeftWhileItIsRead) {
  const std::string mtl = repeated("newmtl a\nKd 1 1 1\n", 30000);
  const ResourceReader resources = [&](const std::string&, Loading&) -> std::vector<std::byte> {
    const auto bytes = std::as_bytes(std::span(mtl));
    return {bytes.begin(), bytes.end()};
  };
  constexpr int kQuestions = 30;
  const auto load = [&](Loading& loading) { parse_obj("mtllib a.mtl\n", resources, loading); };
  EXPECT_EQ(questions(kQuestions, load), kQuestions);
}

TEST(Cancel, ListsAreCopiedAndFilledInSteps) {
  constexpr size_t kSteps = 8, kCount = kSteps * kGrowthStep / sizeof(uint32_t);
  std::vector<uint32_t> list;
  EXPECT_EQ(questions(100, [&](Loading& loading) { fill_in_steps(list, kCount, 7u, [&] { loading.look(); }); }),
            int(kSteps));
  ASSERT_EQ(list.capacity(), kCount);
  const auto push = [&](Loading& loading) { push_in_steps(list, 8u, loading); };
  EXPECT_EQ(questions(3, push), 3);
  EXPECT_EQ(list.size(), kCount) << "a copy that was left has changed the list";
  EXPECT_EQ(questions(100, push), int(kSteps));
  EXPECT_EQ(list.size(), kCount + 1);
  EXPECT_EQ(std::count(list.begin(), list.end(), 7u), std::ptrdiff_t(kCount));
  EXPECT_EQ(list.back(), 8u);
  EXPECT_EQ(questions(100, push), 0) << "there was room";
}

TEST(MemoryLimit, MaterialsAreCountedBeforeTheyAreMade) {
  const std::string mtl = repeated("newmtl a\n", 50000);
  const ResourceReader resources = [&](const std::string&, Loading&) -> std::vector<std::byte> {
    const auto bytes = std::as_bytes(std::span(mtl));
    return {bytes.begin(), bytes.end()};
  };
  EXPECT_NE(refusal([&](auto& o) {
              Loading loading(o);
              parse_obj("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", resources, loading);
            }).find("field 'newmtl': needs "),
            std::string::npos);
}

// 8192 x 8192 grey pixels as deflate's longest matches, in a file that ends early: a decoder notices that last.
std::string endless_png() {
  std::string stream("\x78\x01", 2);
  uint32_t bits = 0, count = 0;
  const auto put = [&](uint32_t value, uint32_t size) {
    bits |= value << count;
    for (count += size; count >= 8; count -= 8, bits >>= 8) stream += char(bits & 255);
  };
  put(1, 1);           // the last block,
  put(1, 2);           // with fixed codes
  put(0b00001100, 8);  // a zero
  for (int i = 0; i < 8192 * 8192 / 258; i++) {
    put(0b10100011, 8);  // 258 bytes
    put(0, 5);           // the same distance as the last match
  }
  std::string png("\x89PNG\r\n\x1a\n", 8);
  const auto chunk = [&](const char* type, const std::string& content) {
    for (int i = 3; i >= 0; i--) png += char(content.size() >> (8 * i) & 255);
    png += type + content + std::string(4, '\0');  // no reader checks the checksum
  };
  chunk("IHDR", std::string("\0\0\x20\0\0\0\x20\0\x08\0\0\0\0", 13));
  chunk("IDAT", stream);
  chunk("IEND", "");
  return png;
}

TEST(Cancel, APictureIsLeftWhileItIsDecoded) {
  const std::string png = endless_png();
  for (const bool cancel : {false, true}) {
    int asked = 0;
    LoadOptions options;
    options.memory_limit = 4096;
    options.progress = [&](double) {
      asked++;
      if (cancel) throw LoadCancelled();
    };
    Loading loading(options);
    const auto read = [&] { read_image(std::as_bytes(std::span(png)), "x.png", kMaxImagePixels, loading); };
    if (cancel)
      EXPECT_THROW(read(), LoadCancelled);
    else
      EXPECT_THROW(read(), std::runtime_error);
    EXPECT_GT(asked, 0);
  }
}

TEST(Json, ManyKeysTakeLinearTime) {
  // A naive reader would compare each key with all keys before it, which would take minutes here.
  std::string text = "{";
  constexpr int kKeys = 300000;
  for (int i = 0; i < kKeys; i++) text += (i > 0 ? ", \"k" : "\"k") + std::to_string(i) + "\": 1";
  text += "}";
  EXPECT_EQ(parse_json<nlohmann::ordered_json>(text).size(), size_t(kKeys));
  EXPECT_EQ(parse_json<nlohmann::json>(text).size(), size_t(kKeys));
}

TEST(Json, TwoMembersOfOneNameAreRefused) {
  for (const char* text : {R"({"a": 1, "b": 2, "a": 3})", R"([{"x": {"a": 1, "a": {}}}])"}) {
    EXPECT_TRUE(parse_json_or_null<nlohmann::ordered_json>(text).is_null());
    EXPECT_TRUE(parse_json_or_null<nlohmann::json>(text).is_null());
  }
  EXPECT_EQ(parse_json<nlohmann::ordered_json>(R"({"b": {"a": 1}, "a": {"a": [2, {}, null, "t", -1.5]}})").dump(),
            R"({"b":{"a":1},"a":{"a":[2,{},null,"t",-1.5]}})");
}

// All ranges of a short list, compared with counting the indices one by one.
TEST(PrimitiveCounts, AreThoseOfWalkingTheIndices) {
  Frame frame;
  frame.indices = {0, 1, 2, ~0u, 3, 4, 5, 6, ~0u, ~0u, 7, 8, 9, 1, 2, ~0u, 5};
  PrimitiveCounts counts(frame);
  for (int topology = 0; topology <= int(Topology::line_loop); topology++) {
    for (const bool restart : {true, false}) {
      for (size_t begin = 0; begin <= frame.indices.size(); begin++) {
        for (size_t end = begin; end <= frame.indices.size(); end++) {
          DrawCommand draw;
          draw.topology = Topology(topology);
          draw.indexed = true;
          draw.restart = restart;
          draw.first_index = begin;
          draw.element_count = uint32_t(end - begin);
          ASSERT_EQ(counts.count(draw), primitive_count(frame, draw)) << topology << ' ' << begin << ' ' << end;
        }
      }
    }
  }
}

}  // namespace
}  // namespace brokkr
