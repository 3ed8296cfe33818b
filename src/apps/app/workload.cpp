#include "app/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "app/command.h"
#include "app/input.h"
#include "app/resize.h"
#include "app/text.h"
#include "base/file_io.h"
#include "base/nearest_name.h"
#include "base/process.h"

namespace brokkr::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array kShadingNames = {"flat", "phong", "textured", "material", "program"};
constexpr std::array kGenerated = {"sphere-1m", "sphere-100k", "overlap-10k", "terrain", "city"};

bool is_generated(const std::string& file) { return file.rfind("generated:", 0) == 0; }

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::vector<fs::path> files_in(const fs::path& folder, const char* extension) {
  std::vector<fs::path> files = paths_in(folder);
  std::erase_if(files, [&](const fs::path& file) { return file.extension() != extension; });
  return files;
}

std::string textured(const std::string& file) {
  return file + (file.find('?') == std::string::npos ? "?" : "&") + "textured=1";
}

}  // namespace

fs::path bundled_folder(const char* name) {
  fs::path installed = program_folder().parent_path() / "share" / "brokkr" / name;
  if (is_folder(installed)) return installed;
  fs::path above = program_folder();
  for (int i = 0; i < 4 && above.has_relative_path(); ++i, above = above.parent_path()) {
    if (is_folder(above / name) && is_folder(above / "src" / "engine")) return above / name;
  }
  return is_folder(name) ? fs::path(name) : fs::path();
}

const char* shading_name(BenchShading shading) { return kShadingNames[static_cast<size_t>(shading)]; }

Shading Workload::brokkr_shading() const {
  if (shading == BenchShading::program) return Shading::program;
  return shading == BenchShading::flat ? Shading::flat : Shading::material;
}

const char* Workload::gl_shading() const {
  if (shading == BenchShading::program) return "program";
  return shading == BenchShading::flat ? "flat" : "material";
}

std::string Workload::frame_key() const {
  return fmt::format("{}|{}x{}|{}|{}|{}", file, load.width, load.height, load.views, load.view_size, load.camera);
}

std::vector<BenchShading> parse_shadings(const std::vector<std::string>& texts) {
  std::vector<BenchShading> result;
  for (const std::string& text : texts) {
    for (const std::string& word : split(text)) {
      const auto* found = std::find(kShadingNames.begin(), kShadingNames.end(), word);
      if (found == kShadingNames.end())
        throw UsageError("--shading: '" + word + "' is not one of flat, phong, textured, material, program" +
                         did_you_mean(word, {kShadingNames.begin(), kShadingNames.end()}));
      const BenchShading shading = BenchShading(found - kShadingNames.begin());
      if (std::find(result.begin(), result.end(), shading) == result.end()) result.push_back(shading);
    }
  }
  return result;
}

Workload make_workload(const std::string& file, BenchShading shading, const LoadOptions& load) {
  const bool generated = is_generated(file);
  if (!generated && (shading == BenchShading::phong || shading == BenchShading::textured)) {
    throw UsageError("--shading " + std::string(shading_name(shading)) + ": " + file +
                     " has its own surfaces; use flat or material");
  }
  const bool capture = fs::path(file).extension() == ".bkf";
  if (capture && shading == BenchShading::material)
    throw UsageError("--shading material: " + file +
                     " is a captured frame, which has no materials; use flat or program");
  if (!capture && shading == BenchShading::program)
    throw UsageError("--shading program: " + file + " is not a captured frame (.bkf), so it has no programs; use flat");
  Workload workload;
  workload.file = shading == BenchShading::textured ? textured(file) : file;
  workload.name = generated ? file : fs::path(file).stem().string();
  workload.group = generated ? "generated" : capture ? "captures" : "scenes";
  workload.shading = shading;
  workload.load = load;
  return workload;
}

std::vector<Workload> suite_workloads(const std::string& captures, const std::vector<BenchShading>& shadings) {
  std::vector<fs::path> files = files_in(bundled_folder("scenes"), ".bkf");
  if (!captures.empty()) {
    const std::vector<fs::path> more = files_in(captures, ".bkf");
    if (more.empty()) throw std::runtime_error("--captures " + captures + ": there is no .bkf in this folder");
    std::set<fs::path> names;
    for (const fs::path& file : files) names.insert(file.filename());
    for (const fs::path& file : more) {
      if (names.insert(file.filename()).second) files.push_back(file);
    }
    std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) { return a.stem() < b.stem(); });
  }
  std::vector<Workload> all;
  const bool programs = std::find(shadings.begin(), shadings.end(), BenchShading::program) != shadings.end();
  for (const fs::path& file : files) {
    all.push_back(make_workload(file.string(), BenchShading::flat, {}));
    if (programs && !load_frame(file.string(), {}).programs.empty())
      all.push_back(make_workload(file.string(), BenchShading::program, {}));
  }
  for (const fs::path& file : files_in(bundled_folder("assets"), ".obj"))
    all.push_back(make_workload(file.string(), BenchShading::material, {}));
  // The outer loop is over scenes, so that flat and phong share the loaded scene.
  for (const char* name : kGenerated) {
    for (const BenchShading shading : shadings) {
      if (shading != BenchShading::program) all.push_back(make_workload(std::string("generated:") + name, shading, {}));
    }
  }
  return all;
}

Frame load_workload(const std::string& file, const LoadOptions& options) {
  Frame frame = load_moved(file, options, {});
  const uint32_t target = main_target(frame);
  const Target& shown = frame.targets[target];
  if (options.width > 0 && shown.layers == 1 && (shown.width != options.width || shown.height != options.height))
    resize_frame(frame, target, options.width, options.height);
  return frame;
}

bool turn_goes_on(size_t drawn, double spent_ms, int frames, double max_ms) {
  constexpr size_t kFewest = 3, kMaxTimes = 20;
  constexpr double kShortMs = 100;
  const size_t wanted = static_cast<size_t>(frames);
  if (drawn >= std::min(wanted, kFewest) && spent_ms >= max_ms) return false;
  return drawn < wanted || (spent_ms < kShortMs && drawn < kMaxTimes * wanted);
}

}  // namespace brokkr::app
